//! Correlations of every pair of columns, by matrix products of blocks of columns.

use crate::numeric::linalg::Matrix;
use crate::table::View;
use rayon::prelude::*;

/// Columns of a block.
const BLOCK: usize = 128;
/// With fewer rows in common two columns always agree.
const FEWEST_COMMON: f64 = 2.5;
/// A correlation this little below a limit reaches it.
const ROUNDING: f64 = 1e-12;
/// Less of a column's sum of squares than this share is rounding.
const NO_VARIANCE: f64 = 1e-12;

/// Columns to be correlated: centred, of length one, each row times the root of its weight, and 0 where missing.
pub(super) struct Columns {
    blocks: Vec<Block>,
    /// The position of each column, in the order of the blocks: complete ones come first.
    order: Vec<usize>,
    /// The roots of the weights, as many columns as a block may have.
    complete: Matrix,
}

struct Block {
    values: Matrix,
    /// The root of the weight where a value is known, else 0; absent where none is missing.
    known: Option<Matrix>,
}

impl Columns {
    /// These features over these rows of the table; a category is a column of zeros, which has no correlation.
    pub(super) fn new(data: &View, features: &[u32], rows: &[u32]) -> Columns {
        let root: Vec<f64> = rows.iter().map(|&r| data.weights().map_or(1.0, |w| w[r as usize].sqrt())).collect();
        let columns: Vec<(Vec<f64>, Option<Vec<f64>>)> = features
            .par_iter()
            .map(|&i| match data.numbers(i as usize) {
                Some(x) => standardised(&x, rows, &root),
                None => (vec![0.0; rows.len()], None),
            })
            .collect();
        let mut order: Vec<usize> = (0..features.len()).collect();
        order.sort_by_key(|&i| columns[i].1.is_some());
        let filled = |of: &[usize], column: &dyn Fn(usize) -> Vec<f64>| {
            Matrix::from_columns(rows.len(), of.len(), |j, out| out.copy_from_slice(&column(of[j])))
        };
        let block = |of: &[usize]| Block {
            values: filled(of, &|i| columns[i].0.clone()),
            known: (of.iter().any(|&i| columns[i].1.is_some()))
                .then(|| filled(of, &|i| columns[i].1.clone().unwrap_or_else(|| root.clone()))),
        };
        let blocks = order.chunks(BLOCK).map(block).collect();
        let complete = Matrix::from_columns(rows.len(), BLOCK, |_, out| out.copy_from_slice(&root));
        Columns { blocks, order, complete }
    }
}

/// A column less its mean, of length one, and where it is known if not everywhere; zeros without variance.
fn standardised(x: &[f64], rows: &[u32], root: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
    let known = || rows.iter().zip(root).map(|(&r, w)| (x[r as usize], w)).filter(|(x, _)| !x.is_nan());
    let weight: f64 = known().map(|(_, w)| w * w).sum();
    let mean = known().map(|(x, w)| w * w * x).sum::<f64>() / weight;
    let value = |(&r, w): (&u32, &f64)| if x[r as usize].is_nan() { 0.0 } else { w * (x[r as usize] - mean) };
    let mut values: Vec<f64> = rows.iter().zip(root).map(value).collect();
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    let usable = length > 0.0 && length.is_finite();
    values.iter_mut().for_each(|v| *v = if usable { *v / length } else { 0.0 });
    let mark = |(&r, w): (&u32, &f64)| if x[r as usize].is_nan() { 0.0 } else { *w };
    let complete = rows.iter().all(|&r| !x[r as usize].is_nan());
    (values, (!complete).then(|| rows.iter().zip(root).map(mark).collect()))
}

/// AᵀB.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.n_columns(), b.n_columns());
    a.transpose_product(b, &mut out);
    out
}

/// The correlations of the columns of two blocks, each over the rows in which both are known.
fn correlations(a: &Block, b: &Block, complete: &Matrix) -> Matrix {
    let mut r = product(&a.values, &b.values);
    if a.known.is_none() && b.known.is_none() {
        return r;
    }
    let (known_a, known_b) = (a.known.as_ref().unwrap_or(complete), b.known.as_ref().unwrap_or(complete));
    // the root of the weight is a factor of values and marks alike: one of the square's two is taken out
    let squares = |x: &Matrix, known: &Matrix| {
        Matrix::from_columns(x.n_rows(), x.n_columns(), |j, out| {
            let cells = x.column(j).iter().zip(known.column(j));
            out.iter_mut().zip(cells).for_each(|(out, (x, w))| *out = if *w > 0.0 { x * x / w } else { 0.0 });
        })
    };
    let n = product(known_a, known_b);
    let (sum_a, sum_b) = (product(&a.values, known_b), product(known_a, &b.values));
    let squares_a = product(&squares(&a.values, known_a), known_b);
    let squares_b = product(known_a, &squares(&b.values, known_b));
    for j in 0..r.n_columns() {
        for (i, r) in r.column_mut(j).iter_mut().enumerate() {
            let at = |m: &Matrix| m.column(j)[i];
            let (n, sum_a, sum_b) = (at(&n), at(&sum_a), at(&sum_b));
            let (total_a, total_b) = (at(&squares_a), at(&squares_b));
            let (var_a, var_b) = (total_a - sum_a * sum_a / n, total_b - sum_b * sum_b / n);
            let varies = n > FEWEST_COMMON && var_a > NO_VARIANCE * total_a && var_b > NO_VARIANCE * total_b;
            *r = if varies { (*r - sum_a * sum_b / n) / (var_a * var_b).sqrt() } else { 0.0 };
        }
    }
    r
}

/// For each limit and every column the leader of its component: columns are joined whose correlation is at least the
/// limit in size.
pub(super) fn join_correlated<const L: usize>(columns: &Columns, limits: [f64; L]) -> [Vec<usize>; L] {
    let Columns { blocks, order, complete } = columns;
    let pairs: Vec<(usize, usize)> = (0..blocks.len()).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
    let joined: Vec<[Vec<(usize, usize)>; L]> = pairs
        .par_iter()
        .map(|&(a, b)| {
            let r = correlations(&blocks[a], &blocks[b], complete);
            limits.map(|limit| spanning(&r, limit, (a * BLOCK, b * BLOCK)))
        })
        .collect();
    std::array::from_fn(|level| {
        let mut components = Components::new(order.len());
        for &(i, j) in joined.iter().flat_map(|found| &found[level]) {
            components.join(order[i], order[j]);
        }
        (0..order.len()).map(|i| components.leader(i)).collect()
    })
}

/// Pairs that join the same columns as all correlations of at least `limit`, none of them needlessly; rows and columns of
/// `r` are numbered from `from`.
fn spanning(r: &Matrix, limit: f64, from: (usize, usize)) -> Vec<(usize, usize)> {
    // a column on the diagonal has two numbers, which its correlation with itself joins
    let n_rows = r.n_rows();
    let mut components = Components::new(n_rows + r.n_columns());
    let mut pairs = vec![];
    for j in 0..r.n_columns() {
        for (i, r) in r.column(j).iter().enumerate() {
            if r.abs() >= limit - ROUNDING && components.join(i, n_rows + j) {
                pairs.push((from.0 + i, from.1 + j));
            }
        }
    }
    pairs
}

/// Connected components; each is led by its smallest number.
struct Components(Vec<usize>);

impl Components {
    fn new(n: usize) -> Components {
        Components((0..n).collect())
    }

    fn leader(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Joins two components; false if they were one.
    fn join(&mut self, i: usize, j: usize) -> bool {
        let (i, j) = (self.leader(i), self.leader(j));
        self.0[i.max(j)] = i.min(j);
        i != j
    }
}
