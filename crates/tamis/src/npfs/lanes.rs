//! Many greedy selections at once: every bootstrap, of the data and of every permutation of the target, is a lane.
//!
//! At each step the lanes that chose the same feature last need the same table, (candidate, chosen), with other weights
//! or another target. So such lanes are counted together: a row adds its weights, one per lane, to the cell it falls
//! in, 8 to 32 of them by a few vector additions. Lanes whose targets differ carry two counts, of all rows and of the
//! rows of class 1, which is enough for two classes. Counts have 16 bits; larger samples are counted lane by lane.

use crate::base::Result;
use crate::codes::Codes;
use crate::codes::counts::{Context, NARROW, Scratch, Sums, Weights, XLnX, sums, x_ln_x};
use crate::information::Criterion;
use crate::information::criteria::{Sample, State};
use crate::numeric::pool::Pool;
use rayon::prelude::*;

/// The largest sample whose counts fit 16 bits.
pub(super) const MOST_ROWS: usize = NARROW - 1;

/// Lanes counted together at most.
const WIDEST: usize = 32;

/// Work between two looks at the clock: rows × candidates × units.
const WORK: usize = 400_000_000;

/// The features that a criterion chooses under every one of `weights` (one per row of the codes) with every one of
/// `targets`, in the order they are chosen; all targets of the first weights come first.
pub fn choose(
    codes: &Codes,
    criterion: Criterion,
    k: usize,
    weights: &[Vec<u32>],
    targets: &[Vec<u8>],
) -> Result<Vec<Vec<u32>>> {
    Engine { codes, criterion, k }.run(weights, targets, &mut |_| Ok(()))
}

/// The selections to run.
pub(super) struct Engine<'a> {
    pub(super) codes: &'a Codes,
    pub(super) criterion: Criterion,
    pub(super) k: usize,
}

/// One greedy selection under way.
struct Lane {
    /// Position in the result.
    at: usize,
    bootstrap: usize,
    target: usize,
    state: State,
    chosen: Vec<u32>,
}

/// Lanes that are counted together.
struct Unit {
    newest: Option<usize>,
    lanes: Vec<Lane>,
}

impl Engine<'_> {
    /// The features chosen under every one of `weights` with every one of `targets`, by position among the codes; all
    /// targets of the first weights come first.
    pub(super) fn run(
        &self,
        weights: &[Vec<u32>],
        targets: &[Vec<u8>],
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<Vec<u32>>> {
        let most = weights.iter().map(|w| w.iter().map(|w| *w as usize).sum::<usize>()).max().unwrap_or(0);
        let ln = XLnX::up_to(most);
        let pairs: Vec<(usize, usize)> =
            (0..weights.len()).flat_map(|b| (0..targets.len()).map(move |t| (b, t))).collect();
        let narrow = self.codes.levels * self.codes.levels * self.codes.classes <= NARROW;
        if most > MOST_ROWS || !narrow {
            return self.one_by_one(weights, targets, &pairs, &ln, tick);
        }
        let mixed = targets.len() > 1 && self.codes.classes == 2;
        let weights: Vec<Vec<u16>> = weights.iter().map(|w| w.iter().map(|w| *w as u16).collect()).collect();
        let job = Job { codes: self.codes, criterion: self.criterion, weights: &weights, targets, ln: &ln, mixed };
        let mut lanes: Vec<Lane> = pairs
            .iter()
            .enumerate()
            .map(|(at, &(bootstrap, target))| {
                let sample = job.sample(bootstrap, target);
                let state = State::new(self.criterion, sample, std::iter::repeat_n(Sums::default(), self.codes.len()));
                Lane { at, bootstrap, target, state, chosen: Vec::with_capacity(self.k) }
            })
            .collect();
        let pool = Pool::new(LaneScratch::default);
        let steps = if self.criterion.pairs() { self.k } else { 1 };
        for step in 0..steps {
            let mut units = job.group(lanes);
            let at_once = (WORK / (self.codes.rows() * self.codes.len()).max(1)).max(rayon::current_num_threads());
            let total = units.len().max(1) as u64;
            for (done, some) in units.chunks_mut(at_once).enumerate() {
                // thousandths of all the work
                tick((step as u64 * total + (done * at_once) as u64) * 1000 / (steps as u64 * total))?;
                some.par_iter_mut().for_each(|unit| pool.with(|scratch| job.count(unit, scratch)));
            }
            lanes = units.into_iter().flat_map(|unit| unit.lanes).collect();
            lanes.par_iter_mut().for_each(|lane| {
                let picks = if self.criterion.pairs() { 1 } else { self.k };
                for _ in 0..picks {
                    lane.chosen.extend(lane.state.take_best().map(|(at, _)| at as u32));
                }
            });
        }
        lanes.sort_by_key(|lane| lane.at);
        Ok(lanes.into_iter().map(|lane| lane.chosen).collect())
    }

    /// Without lanes, for samples whose counts do not fit.
    fn one_by_one(
        &self,
        weights: &[Vec<u32>],
        targets: &[Vec<u8>],
        pairs: &[(usize, usize)],
        ln: &XLnX,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<Vec<u32>>> {
        let pool = Pool::new(Scratch::new);
        let mut all = Vec::with_capacity(pairs.len());
        for some in pairs.chunks(rayon::current_num_threads()) {
            tick(all.len() as u64 * 1000 / pairs.len() as u64)?;
            let one = |&(b, t): &(usize, usize)| pool.with(|scratch| self.one(&weights[b], &targets[t], ln, scratch));
            all.par_extend(some.par_iter().map(one));
        }
        Ok(all)
    }

    fn one(&self, weights: &[u32], target: &[u8], ln: &XLnX, scratch: &mut Scratch) -> Vec<u32> {
        let codes = self.codes;
        let columns: Vec<&[u8]> = (0..codes.len()).map(|at| codes.column(at)).collect();
        let context = |chosen: Option<usize>, with_target: bool| {
            let chosen = chosen.map(|at| (codes.column(at), codes.levels));
            Context::new(codes.rows(), chosen, with_target.then_some((target, codes.classes)), codes.levels)
        };
        let singles = sums(&context(None, true), &columns, Weights::Whole(weights), ln, scratch);
        let mut state = State::new(self.criterion, sample(weights, target, codes.classes), singles.into_iter());
        let mut chosen = Vec::new();
        while chosen.len() < self.k {
            let Some((at, _)) = state.take_best() else { break };
            chosen.push(at as u32);
            if self.criterion.pairs() && chosen.len() < self.k {
                let context = context(Some(at), self.criterion.pairs_with_target());
                let found = sums(&context, &columns, Weights::Whole(weights), ln, scratch);
                found.into_iter().enumerate().for_each(|(candidate, sums)| state.add(candidate, at, sums));
                state.end_step();
            }
        }
        chosen
    }
}

/// Terms shared by all lanes of a sample.
fn sample<W: Copy + Into<u32>>(weights: &[W], target: &[u8], classes: usize) -> Sample {
    let mut counts = vec![0.0; classes];
    weights.iter().zip(target).for_each(|(w, y)| counts[usize::from(*y)] += f64::from((*w).into()));
    let total: f64 = counts.iter().sum();
    Sample { total, whole: x_ln_x(total), classes: counts.iter().map(|c| x_ln_x(*c)).sum() }
}

/// Everything the lanes share.
struct Job<'a> {
    codes: &'a Codes,
    criterion: Criterion,
    weights: &'a [Vec<u16>],
    targets: &'a [Vec<u8>],
    ln: &'a XLnX,
    /// Whether lanes of different targets are counted together.
    mixed: bool,
}

impl Job<'_> {
    fn sample(&self, bootstrap: usize, target: usize) -> Sample {
        sample(&self.weights[bootstrap], &self.targets[target], self.codes.classes)
    }

    /// Whether the target enters the table.
    fn with_target(&self, newest: Option<usize>) -> bool {
        newest.is_none() || self.criterion.pairs_with_target()
    }

    /// Lanes that need the same tables, in units of at most [`WIDEST`].
    fn group(&self, mut lanes: Vec<Lane>) -> Vec<Unit> {
        let key = |lane: &Lane| {
            let newest = lane.chosen.last().map(|n| *n as usize);
            let apart = !self.mixed && self.with_target(newest);
            (newest, if apart { lane.target } else { 0 })
        };
        lanes.sort_by_key(|lane| (key(lane), lane.at));
        let mut units: Vec<Unit> = Vec::new();
        for lane in lanes {
            match units.last_mut() {
                Some(unit) if key(&unit.lanes[0]) == key(&lane) && unit.lanes.len() < WIDEST => unit.lanes.push(lane),
                _ => units.push(Unit { newest: key(&lane).0, lanes: vec![lane] }),
            }
        }
        units
    }

    /// Counts the newest pair of every candidate in every lane, and adds its term.
    fn count(&self, unit: &mut Unit, scratch: &mut LaneScratch) {
        let mixed = self.mixed && self.with_target(unit.newest);
        match (unit.lanes.len(), mixed) {
            (1, _) => self.count_one(unit, scratch.scalar()),
            (0..=8, false) => self.count_lanes::<8, false>(unit, scratch.eight()),
            (0..=16, false) => self.count_lanes::<16, false>(unit, scratch.sixteen()),
            (_, false) => self.count_lanes::<32, false>(unit, scratch.thirty_two()),
            (0..=8, true) => self.count_lanes::<16, true>(unit, scratch.sixteen()),
            (0..=16, true) => self.count_lanes::<32, true>(unit, scratch.thirty_two()),
            (_, true) => self.count_lanes::<64, true>(unit, scratch.sixty_four()),
        }
        for lane in &mut unit.lanes {
            if unit.newest.is_some() {
                lane.state.end_step();
            }
        }
    }

    fn context(&self, newest: Option<usize>, target: Option<usize>) -> Context {
        let codes = self.codes;
        let chosen = newest.map(|at| (codes.column(at), codes.levels));
        let target = target.map(|t| (self.targets[t].as_slice(), codes.classes));
        Context::new(codes.rows(), chosen, target, codes.levels)
    }

    fn add(lane: &mut Lane, newest: Option<usize>, candidate: usize, sums: Sums) {
        match newest {
            None => lane.state.set_single(candidate, sums),
            Some(chosen) => lane.state.add(candidate, chosen, sums),
        }
    }

    /// A lane that nobody shares a table with.
    fn count_one(&self, unit: &mut Unit, scratch: &mut Scratch) {
        let newest = unit.newest;
        let lane = &mut unit.lanes[0];
        let context = self.context(newest, self.with_target(newest).then_some(lane.target));
        let weights: Vec<u32> = self.weights[lane.bootstrap].iter().map(|w| u32::from(*w)).collect();
        let left: Vec<usize> = (0..self.codes.len()).filter(|at| !lane.state.taken(*at)).collect();
        for some in left.chunks(64) {
            let columns: Vec<&[u8]> = some.iter().map(|&at| self.codes.column(at)).collect();
            let found = sums(&context, &columns, Weights::Whole(&weights), self.ln, scratch);
            some.iter().zip(found).for_each(|(&at, sums)| Self::add(lane, newest, at, sums));
        }
    }

    /// Lanes together: `L` counts per cell, one per lane, or two where the targets differ.
    fn count_lanes<const L: usize, const MIXED: bool>(&self, unit: &mut Unit, tables: &mut Tables<L>) {
        let newest = unit.newest;
        let target = (!MIXED && self.with_target(newest)).then(|| unit.lanes[0].target);
        let context = self.context(newest, target);
        let Some(cells) = context.narrow() else { return }; // `run` sends wide tables elsewhere
        let mut weights = vec![[0_u16; L]; self.codes.rows()];
        for (l, lane) in unit.lanes.iter().enumerate() {
            let own = &self.weights[lane.bootstrap];
            weights.iter_mut().zip(own).for_each(|(row, w)| row[l] = *w);
            if MIXED {
                let ones = own.iter().zip(&self.targets[lane.target]);
                weights.iter_mut().zip(ones).for_each(|(row, (w, y))| row[L / 2 + l] = w * u16::from(*y));
            }
        }
        let shape = context.shape();
        let left: Vec<usize> =
            (0..self.codes.len()).filter(|at| unit.lanes.iter().any(|lane| !lane.state.taken(*at))).collect();
        if !MIXED && shape.0 * shape.1 * shape.2 > 2 * cells.len() {
            let groups = self.context(newest, None);
            let Some(groups) = groups.narrow() else { return };
            for candidate in left {
                let column = self.codes.column(candidate);
                let (joint, margin) = sparse_lanes(cells, groups, column, &weights, tables, self.ln.narrow());
                for (l, lane) in unit.lanes.iter_mut().enumerate() {
                    Self::add(lane, newest, candidate, Sums { joint: joint[l], margin: margin[l] });
                }
            }
            return;
        }
        // two candidates at once: the weights are read once, and one table need not wait for the other
        for pair in left.chunks(2) {
            match *pair {
                [a, b] => {
                    let columns = self.codes.column(a).iter().zip(self.codes.column(b));
                    let [first, second] = tables;
                    for ((cell, (x, z)), w) in cells.iter().zip(columns).zip(&weights) {
                        add_lanes(&mut first[usize::from(cell.wrapping_add(u16::from(*x)))], w);
                        add_lanes(&mut second[usize::from(cell.wrapping_add(u16::from(*z)))], w);
                    }
                }
                _ => {
                    for ((cell, x), w) in cells.iter().zip(self.codes.column(pair[0])).zip(&weights) {
                        add_lanes(&mut tables[0][usize::from(cell.wrapping_add(u16::from(*x)))], w);
                    }
                }
            }
            for (&candidate, table) in pair.iter().zip(tables.iter_mut()) {
                let (joint, margin) = lane_sums::<L, MIXED>(table, shape, self.ln.narrow());
                for (l, lane) in unit.lanes.iter_mut().enumerate() {
                    Self::add(lane, newest, candidate, Sums { joint: joint[l], margin: margin[l] });
                }
            }
        }
    }
}

/// Adds a row's weights to a cell. All are read before any is written: this way it is vectorised.
#[inline(always)]
fn add_lanes<const L: usize>(counts: &mut [u16; L], weights: &[u16; L]) {
    let before = *counts;
    *counts = std::array::from_fn(|l| before[l].wrapping_add(weights[l]));
}

/// Sums over tables with more cells than rows: only cells that some row falls in are visited.
fn sparse_lanes<const L: usize>(
    cells: &[u16],
    groups: &[u16],
    x: &[u8],
    weights: &[[u16; L]],
    tables: &mut Tables<L>,
    ln: &[f64; NARROW],
) -> ([f64; L], [f64; L]) {
    let (mut joint, mut margin) = ([0.0; L], [0.0; L]);
    let [by_class, by_group] = tables;
    let places = || {
        cells.iter().zip(groups).zip(x).map(|((cell, group), x)| {
            let x = u16::from(*x);
            (usize::from(cell.wrapping_add(x)), usize::from(group.wrapping_add(x)))
        })
    };
    for ((cell, group), w) in places().zip(weights) {
        add_lanes(&mut by_class[cell], w);
        add_lanes(&mut by_group[group], w);
    }
    for (cell, group) in places() {
        let (a, b) = (std::mem::replace(&mut by_class[cell], [0; L]), std::mem::replace(&mut by_group[group], [0; L]));
        for l in 0..L {
            joint[l] += ln[usize::from(a[l])];
            margin[l] += ln[usize::from(b[l])];
        }
    }
    (joint, margin)
}

/// Σ c ln c of every lane's table, which is emptied. With `MIXED` the second half of the counts are those of class 1.
fn lane_sums<const L: usize, const MIXED: bool>(
    table: &mut [[u16; L]; NARROW],
    (groups, classes, stride): (usize, usize, usize),
    ln: &[f64; NARROW],
) -> ([f64; L], [f64; L]) {
    let (mut joint, mut margin) = ([0.0; L], [0.0; L]);
    for group in table[..groups * classes * stride].chunks_exact_mut(classes * stride) {
        if MIXED {
            for counts in group {
                let (all, ones) = counts.split_at_mut(L / 2);
                for l in 0..L / 2 {
                    joint[l] += ln[usize::from(ones[l])] + ln[usize::from(all[l].wrapping_sub(ones[l]))];
                    margin[l] += ln[usize::from(all[l])];
                }
                *counts = [0; L];
            }
            continue;
        }
        if classes == 2 {
            let (zeros, ones) = group.split_at_mut(stride);
            for (a, b) in zeros.iter_mut().zip(ones) {
                for l in 0..L {
                    joint[l] += ln[usize::from(a[l])] + ln[usize::from(b[l])];
                    margin[l] += ln[usize::from(a[l].wrapping_add(b[l]))];
                }
                (*a, *b) = ([0; L], [0; L]);
            }
            continue;
        }
        for level in 0..stride {
            let mut sum = [0_u16; L];
            for counts in group[level..].iter_mut().step_by(stride) {
                for l in 0..L {
                    joint[l] += ln[usize::from(counts[l])];
                    sum[l] = sum[l].wrapping_add(counts[l]);
                }
                *counts = [0; L];
            }
            for l in 0..L {
                margin[l] += ln[usize::from(sum[l])];
            }
        }
    }
    (joint, margin)
}

/// Two tables with a count per lane in every cell.
type Tables<const L: usize> = [Box<[[u16; L]; NARROW]>; 2];

/// Memory a thread keeps, made when first needed.
#[derive(Default)]
struct LaneScratch {
    scalar: Option<Scratch>,
    eight: Option<Tables<8>>,
    sixteen: Option<Tables<16>>,
    thirty_two: Option<Tables<32>>,
    sixty_four: Option<Tables<64>>,
}

fn empty<const L: usize>(tables: &mut Option<Tables<L>>) -> &mut Tables<L> {
    tables.get_or_insert_with(|| {
        // from the system as zeros: what is never touched costs nothing
        std::array::from_fn(|_| bytemuck::allocation::zeroed_box())
    })
}

impl LaneScratch {
    fn scalar(&mut self) -> &mut Scratch {
        self.scalar.get_or_insert_with(Scratch::new)
    }
    fn eight(&mut self) -> &mut Tables<8> {
        empty(&mut self.eight)
    }
    fn sixteen(&mut self) -> &mut Tables<16> {
        empty(&mut self.sixteen)
    }
    fn thirty_two(&mut self) -> &mut Tables<32> {
        empty(&mut self.thirty_two)
    }
    fn sixty_four(&mut self) -> &mut Tables<64> {
        empty(&mut self.sixty_four)
    }
}
