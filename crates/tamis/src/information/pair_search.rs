//! All pairs of features under all targets: the best partner of every feature, the best pair of every permutation, and
//! the pairs that no permutation reaches.

use super::pair_bits::{ClassRows, PackedBits};
use super::pair_floors::Floors;
use super::pair_tables::{PairTarget, PairTile, planes_for};
use crate::base::{Progress, Result};
use crate::codes::CodedTable;
use crate::codes::counts::XLnX;
use crate::numeric::random::permutation;
use rayon::prelude::*;
use std::ops::Range;

/// Features on each side of a tile of pairs.
const BLOCK: usize = 64;
/// Tiles between two looks at the clock, for each thread.
const TILES: usize = 32;
/// Bytes for the bits of targets that are looked at together.
const MEMORY: usize = 256 << 20;
/// Pairs that are listed at most.
pub(super) const MOST_PAIRS: usize = 1000;

/// A pair of features, by position among the codes, the first before the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    /// I(X_j,X_k;Y) less the larger of I(X_j;Y) and I(X_k;Y).
    pub(super) gain: f64,
}

/// The outcome for all pairs.
pub(super) struct AllPairs {
    /// The score of every feature with the partner it comes from.
    pub(super) best: Vec<(f64, usize)>,
    /// The largest score of each permutation.
    pub(super) null: Vec<f64>,
    /// Pairs whose gain exceeds every score of every permutation, the largest gain first.
    pub(super) pairs: Vec<Pair>,
    /// Whether there are more of them.
    pub(super) more: bool,
    rows: usize,
    ln: XLnX,
    all: PackedBits,
    data: PairTarget,
}

impl AllPairs {
    /// The counts of a pair by class, each row by row of `side`² cells; and `side`.
    pub(super) fn tables(&self, pair: (usize, usize)) -> (Vec<Vec<usize>>, usize) {
        (self.data.tables(pair, &self.all), self.all.planes + 1)
    }

    /// What a pair gains over the better of its two features.
    pub(super) fn gain(&self, pair: (usize, usize)) -> f64 {
        let sum = self.data.sum(pair, &self.all, &self.ln, &mut vec![]);
        (sum - self.data.own[pair.0].max(self.data.own[pair.1])) / self.rows as f64
    }
}

/// Looks at all pairs of the features of `codes` with its target and with `permutations` permutations of it.
///
/// Cost: rows/64 words × 4 for each pair and target with three levels and two classes of equal size; the logarithms of
/// a table are only taken where a bound says that they may matter.
pub(super) fn all_pairs(
    codes: &CodedTable,
    (permutations, seed): (usize, u64),
    progress: &mut dyn Progress,
) -> Result<AllPairs> {
    let rows = codes.n_rows();
    let ln = XLnX::up_to(rows);
    let all = PackedBits::of_all(codes, planes_for(codes.levels));
    let classes = ClassRows::new(codes.target.iter().copied(), codes.classes);
    let together = (MEMORY / classes.bytes(all.planes, codes.len()).max(1)).clamp(1, permutations.max(1));
    let data = PairTarget::new(codes, classes, &all, &ln);
    let batches = permutations.div_ceil(together).max(1);
    let mut search = Search::new(codes.len(), permutations);
    for batch in 0..batches {
        let some = batch * together..((batch + 1) * together).min(permutations);
        let targets: Vec<PairTarget> = some
            .clone()
            .map(|r| {
                let order = permutation(seed, r as u64, rows);
                let target = order.iter().map(|&from| codes.target[from as usize]);
                PairTarget::new(codes, ClassRows::new(target, codes.classes), &all, &ln)
            })
            .collect();
        // the data come last, when most of the threshold is known
        let data = (batch + 1 == batches).then_some(&data);
        let job = Job { all: &all, ln: &ln, rows, targets: &targets, from: some.start, data };
        search.run(&job, (batch, batches), progress)?;
    }
    search.shorten();
    let Search { best, null, mut pairs, .. } = search;
    let more = pairs.len() > MOST_PAIRS;
    pairs.truncate(MOST_PAIRS);
    Ok(AllPairs { best, null, pairs, more, rows, ln, all, data })
}

/// Everything the tiles of a batch share.
struct Job<'a> {
    all: &'a PackedBits,
    ln: &'a XLnX,
    rows: usize,
    targets: &'a [PairTarget],
    /// The number of the first permutation.
    from: usize,
    data: Option<&'a PairTarget>,
}

/// The outcome so far, of all tiles or of one.
struct Search {
    best: Vec<(f64, usize)>,
    null: Vec<f64>,
    pairs: Vec<Pair>,
    /// The gain of the least pair of a full list.
    least: f64,
}

/// The outcome of a tile.
struct TileOutcome {
    /// Scores with partners of the features on the left and on the right.
    best: Vec<(usize, f64, usize)>,
    null: Vec<f64>,
    pairs: Vec<Pair>,
}

impl Search {
    fn new(features: usize, permutations: usize) -> Search {
        let none = f64::NEG_INFINITY;
        Search { best: vec![(none, 0); features], null: vec![none; permutations], pairs: vec![], least: none }
    }

    /// Looks at all tiles of a batch of targets.
    fn run(&mut self, job: &Job, (batch, batches): (usize, usize), progress: &mut dyn Progress) -> Result<()> {
        let features = self.best.len();
        let block = |a: usize| a * BLOCK..((a + 1) * BLOCK).min(features);
        let blocks = features.div_ceil(BLOCK);
        let tiles: Vec<(usize, usize)> = (0..blocks).flat_map(|a| (a..blocks).map(move |b| (a, b))).collect();
        let total = (tiles.len() * batches) as u64;
        let at_once = TILES * rayon::current_num_threads();
        for (done, some) in tiles.chunks(at_once).enumerate() {
            progress.step("pairing", (batch * tiles.len() + done * at_once) as u64, total)?;
            let known = &*self;
            let found: Vec<TileOutcome> = some.par_iter().map(|&(a, b)| known.tile(job, block(a), block(b))).collect();
            found.into_iter().for_each(|tile| self.add(job.from, tile));
        }
        progress.step("pairing", ((batch + 1) * tiles.len()) as u64, total)
    }

    /// The largest score of any permutation so far.
    fn threshold(&self) -> f64 {
        self.null.iter().copied().fold(0.0, f64::max)
    }

    /// Looks at a tile, passing over pairs that cannot change what is known.
    fn tile(&self, job: &Job, left: Range<usize>, right: Range<usize>) -> TileOutcome {
        let tile = PairTile::new(job.all, left, right, job.rows);
        let mut scratch = Vec::new();
        let n = job.rows as f64;
        let mut null = Vec::with_capacity(job.targets.len());
        for (r, target) in job.targets.iter().enumerate() {
            let mut most = self.null[job.from + r];
            let mut floors = Floors::all(&tile, most);
            tile.scan(target, &mut floors, &mut |i, j, floors| {
                let sum = target.sum((i, j), job.all, job.ln, &mut scratch);
                let score = (sum - target.own[i].min(target.own[j])) / n;
                if score > most {
                    most = score;
                    floors.set_all(&tile, most);
                }
            });
            null.push(most);
        }
        let mut outcome = TileOutcome { best: vec![], null, pairs: vec![] };
        if let Some(data) = job.data {
            self.tile_of_data(job, data, &tile, &mut outcome);
        }
        outcome
    }

    fn tile_of_data(&self, job: &Job, data: &PairTarget, tile: &PairTile, outcome: &mut TileOutcome) {
        let n = job.rows as f64;
        let places: Vec<usize> =
            tile.left.clone().chain(tile.right.clone().filter(|j| !tile.left.contains(j))).collect();
        let place = |at: usize| {
            if tile.left.contains(&at) { at - tile.left.start } else { tile.left.len() + at - tile.right.start }
        };
        let mut best: Vec<(f64, usize)> = places.iter().map(|&at| self.best[at]).collect();
        let mut floors = Floors::all(tile, f64::NEG_INFINITY);
        places.iter().zip(&best).for_each(|(&at, (score, _))| floors.set(tile, at, *score));
        let threshold = outcome.null.iter().copied().fold(self.threshold(), f64::max);
        floors.set_gain(threshold.max(self.least));
        let (mut scratch, pairs) = (Vec::new(), &mut outcome.pairs);
        tile.scan(data, &mut floors, &mut |i, j, floors| {
            let sum = data.sum((i, j), job.all, job.ln, &mut scratch);
            for (at, with) in [(i, j), (j, i)] {
                let score = (sum - data.own[with]) / n;
                if better((score, with), best[place(at)]) {
                    best[place(at)] = (score, with);
                    floors.set(tile, at, score);
                }
            }
            let found = Pair { first: i, second: j, gain: (sum - data.own[i].max(data.own[j])) / n };
            if found.gain > threshold && found.gain >= self.least {
                pairs.push(found);
            }
        });
        outcome.best = places.into_iter().zip(best).map(|(at, (score, with))| (at, score, with)).collect();
    }

    /// Adds the outcome of a tile; the order of tiles does not matter.
    fn add(&mut self, from: usize, tile: TileOutcome) {
        for (most, found) in self.null[from..].iter_mut().zip(tile.null) {
            *most = most.max(found);
        }
        for (at, score, with) in tile.best {
            if better((score, with), self.best[at]) {
                self.best[at] = (score, with);
            }
        }
        self.pairs.extend(tile.pairs);
        if self.pairs.len() > 4 * MOST_PAIRS {
            self.shorten();
        }
    }

    /// Drops pairs below the threshold, and those beyond the most that are listed.
    fn shorten(&mut self) {
        let threshold = self.threshold();
        self.pairs.retain(|pair| pair.gain > threshold);
        self.pairs.sort_by(|a, b| b.gain.total_cmp(&a.gain).then((a.first, a.second).cmp(&(b.first, b.second))));
        // one more than is listed tells whether there are more
        self.pairs.truncate(MOST_PAIRS + 1);
        if let Some(last) = self.pairs.get(MOST_PAIRS) {
            self.least = last.gain;
        }
    }
}

/// The larger score wins; among equals, the first partner.
fn better((score, partner): (f64, usize), (least, known): (f64, usize)) -> bool {
    score > least || (score == least && partner < known)
}
