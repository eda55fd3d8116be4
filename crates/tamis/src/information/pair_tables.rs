//! The tables of all pairs of features and the target, by matrix products, and the best partner of every feature.

use crate::base::{Progress, Result};
use crate::codes::CodedTable;
use crate::codes::counts::XLnX;
use crate::numeric::linalg::Matrix;
use crate::numeric::random::permutation;
use rayon::prelude::*;

/// Features whose tables are made by one product.
const BLOCK: usize = 64;

/// The score of every feature with the partner it comes from, for the data and for each permutation.
pub(super) type Best = Vec<(f64, u32)>;

pub(super) fn all_pairs(
    codes: &CodedTable,
    features: &[usize],
    (permutations, seed): (usize, u64),
    progress: &mut dyn Progress,
) -> Result<Vec<Best>> {
    let rows = codes.n_rows();
    // rows of each class, the last left out: it is what remains
    let by_class = |order: Option<&[u32]>| -> Vec<Vec<u32>> {
        let mut classes = vec![vec![]; codes.classes];
        for row in 0..rows {
            let from = order.map_or(row, |o| o[row] as usize);
            classes[usize::from(codes.target[from])].push(row as u32);
        }
        classes
    };
    let mut targets = vec![by_class(None)];
    for r in 0..permutations {
        targets.push(by_class(Some(&permutation(seed, r as u64, rows))));
    }
    let job = Job { codes, features, targets: &targets, ln: XLnX::up_to(rows) };
    let own: Vec<Vec<f64>> = targets.par_iter().map(|classes| job.own(classes)).collect();
    let blocks: Vec<std::ops::Range<usize>> =
        (0..features.len()).step_by(BLOCK).map(|from| from..(from + BLOCK).min(features.len())).collect();
    let tiles: Vec<(usize, usize)> = (0..blocks.len()).flat_map(|a| (a..blocks.len()).map(move |b| (a, b))).collect();
    let mut best = vec![vec![(f64::NEG_INFINITY, 0); features.len()]; targets.len()];
    for (done, some) in tiles.chunks(rayon::current_num_threads()).enumerate() {
        progress.step("pairing", (done * some.len()) as u64, tiles.len() as u64)?;
        let found: Vec<Vec<Best>> =
            some.par_iter().map(|&(a, b)| job.tile(blocks[a].clone(), blocks[b].clone(), &own)).collect();
        for (&(a, b), tile) in some.iter().zip(found) {
            let places: Vec<usize> = blocks[a].clone().chain(blocks[b].clone()).collect();
            for (best, tile) in best.iter_mut().zip(tile) {
                for (&at, &(score, partner)) in places.iter().zip(&tile) {
                    // the first partner among equals, whatever the order of tiles
                    let (least, known) = best[at];
                    if score > least || (score == least && partner < known) {
                        best[at] = (score, partner);
                    }
                }
            }
        }
    }
    progress.step("pairing", tiles.len() as u64, tiles.len() as u64)?;
    Ok(best)
}

struct Job<'a> {
    codes: &'a CodedTable,
    features: &'a [usize],
    targets: &'a [Vec<Vec<u32>>],
    ln: XLnX,
}

/// Indicators of the levels of some features, the last of each left out, over some rows.
struct Indicators {
    matrix: Matrix,
    /// Where the columns of each feature begin.
    starts: Vec<usize>,
    /// How often each level of each feature occurs.
    margins: Vec<Vec<f64>>,
}

impl Job<'_> {
    fn levels(&self, at: usize) -> usize {
        self.codes.column(self.features[at]).iter().copied().max().map_or(1, |c| usize::from(c) + 1)
    }

    /// −N·H(Y|X) of every feature: what a pair must exceed.
    fn own(&self, classes: &[Vec<u32>]) -> Vec<f64> {
        let one = |at: usize| {
            let column = self.codes.column(self.features[at]);
            let mut total = vec![0_usize; self.levels(at)];
            let mut sum = 0.0;
            for rows in classes {
                let mut counts = vec![0_usize; total.len()];
                rows.iter().for_each(|&r| counts[usize::from(column[r as usize])] += 1);
                sum += counts.iter().map(|c| self.ln.of(*c)).sum::<f64>();
                total.iter_mut().zip(&counts).for_each(|(t, c)| *t += c);
            }
            sum - total.iter().map(|c| self.ln.of(*c)).sum::<f64>()
        };
        (0..self.features.len()).map(one).collect()
    }

    fn indicators(&self, block: &std::ops::Range<usize>, rows: &[u32]) -> Indicators {
        let levels: Vec<usize> = block.clone().map(|at| self.levels(at)).collect();
        let mut starts = vec![0];
        levels.iter().for_each(|l| starts.push(starts[starts.len() - 1] + l - 1));
        let mut matrix = Matrix::zeros(rows.len(), starts[levels.len()]);
        let mut margins: Vec<Vec<f64>> = levels.iter().map(|l| vec![0.0; *l]).collect();
        for (f, at) in block.clone().enumerate() {
            let column = self.codes.column(self.features[at]);
            for (i, &row) in rows.iter().enumerate() {
                let code = usize::from(column[row as usize]);
                margins[f][code] += 1.0;
                if code + 1 < levels[f] {
                    matrix.column_mut(starts[f] + code)[i] = 1.0;
                }
            }
        }
        Indicators { matrix, starts, margins }
    }

    /// The best scores of the features of two blocks from the pairs between them, for every target.
    fn tile(&self, a: std::ops::Range<usize>, b: std::ops::Range<usize>, own: &[Vec<f64>]) -> Vec<Best> {
        let all: Vec<u32> = (0..self.codes.n_rows() as u32).collect();
        let product = |rows: &[u32]| {
            let (left, right) = (self.indicators(&a, rows), self.indicators(&b, rows));
            let mut counts = Matrix::zeros(left.matrix.n_columns(), right.matrix.n_columns());
            left.matrix.transpose_product(&right.matrix, &mut counts);
            (left, right, counts)
        };
        let total = product(&all);
        let n = all.len() as f64;
        let one = |(classes, own): (&Vec<Vec<u32>>, &Vec<f64>)| -> Best {
            // the last class is what the others leave
            let tables: Vec<_> = classes[..classes.len() - 1].iter().map(|rows| product(rows)).collect();
            let mut best = vec![(f64::NEG_INFINITY, 0); a.len() + b.len()];
            let (mut whole, mut rest, mut some) = (Vec::new(), Vec::new(), Vec::new());
            for (i, at) in a.clone().enumerate() {
                for (j, with) in b.clone().enumerate() {
                    if at == with || (a == b && with < at) {
                        continue;
                    }
                    fill(&total, i, j, &mut whole);
                    rest.clone_from(&whole);
                    let mut sum = 0.0;
                    for table in &tables {
                        fill(table, i, j, &mut some);
                        for (r, c) in rest.iter_mut().zip(&some) {
                            *r -= c;
                            sum += self.ln.of(*c as usize);
                        }
                    }
                    for (r, w) in rest.iter().zip(&whole) {
                        sum += self.ln.of(*r as usize) - self.ln.of(*w as usize);
                    }
                    let better = |best: &mut (f64, u32), score: f64, partner: usize| {
                        if score > best.0 {
                            *best = (score, partner as u32);
                        }
                    };
                    better(&mut best[i], (sum - own[with]) / n, with);
                    better(&mut best[a.len() + j], (sum - own[at]) / n, at);
                }
            }
            best
        };
        self.targets.iter().zip(own).map(one).collect()
    }
}

/// The whole table of a pair from the part that was counted and the margins.
fn fill((left, right, counts): &(Indicators, Indicators, Matrix), i: usize, j: usize, out: &mut Vec<f64>) {
    let (rows, columns) = (&left.margins[i], &right.margins[j]);
    let (p, q) = (rows.len() - 1, columns.len() - 1);
    out.clear();
    out.resize((p + 1) * (q + 1), 0.0);
    out[(p + 1) * (q + 1) - 1] = rows[p];
    for v in 0..q {
        let column = &counts.column(right.starts[j] + v)[left.starts[i]..left.starts[i] + p];
        let mut sum = 0.0;
        for (u, c) in column.iter().enumerate() {
            out[u * (q + 1) + v] = *c;
            sum += c;
        }
        out[p * (q + 1) + v] = columns[v] - sum;
        out[(p + 1) * (q + 1) - 1] -= columns[v] - sum;
    }
    for u in 0..p {
        out[u * (q + 1) + q] = rows[u] - out[u * (q + 1)..u * (q + 1) + q].iter().sum::<f64>();
    }
}
