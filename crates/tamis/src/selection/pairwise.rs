//! Correlations of every pair of columns, by matrix products of blocks of columns.

use crate::numeric::linalg::Matrix;
use rayon::prelude::*;

/// Columns of a block.
const BLOCK: usize = 128;
/// A correlation this little below a limit reaches it.
const ROUNDING: f64 = 1e-12;
/// Less of a column's sum of squares than this share is rounding.
const NO_VARIANCE: f64 = 1e-12;

/// Columns to be correlated: centred, of length one, each row times the root of its weight, and 0 where missing.
pub(super) struct Columns {
    blocks: Vec<ColumnBlock>,
    /// The position of each column, in the order of the blocks: complete ones come first.
    order: Vec<usize>,
    /// The roots of the weights, as many columns as a block may have.
    complete: Matrix,
    /// Two columns need so much weight in common.
    fewest_common: f64,
}

struct ColumnBlock {
    values: Matrix,
    /// The root of the weight where a value is known, else 0; absent where none is missing.
    known: Option<Matrix>,
}

impl Columns {
    /// Columns whose rows are multiplied by these roots of weights, with NaN for missing values; one that is `None` has no
    /// correlation. Where values are missing, two columns need rows of the weight `fewest_common` in common.
    pub(super) fn new(columns: Vec<Option<Vec<f64>>>, roots: &[f64], fewest_common: f64) -> Columns {
        let columns: Vec<(Vec<f64>, Option<Vec<f64>>)> = columns
            .into_par_iter()
            .map(|column| column.map_or_else(|| (vec![0.0; roots.len()], None), |x| standardised(x, roots)))
            .collect();
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&i| columns[i].1.is_some());
        let filled = |of: &[usize], column: &dyn Fn(usize) -> Vec<f64>| {
            Matrix::from_columns(roots.len(), of.len(), |j, out| out.copy_from_slice(&column(of[j])))
        };
        let block = |of: &[usize]| ColumnBlock {
            values: filled(of, &|i| columns[i].0.clone()),
            known: (of.iter().any(|&i| columns[i].1.is_some()))
                .then(|| filled(of, &|i| columns[i].1.clone().unwrap_or_else(|| roots.to_vec()))),
        };
        let blocks = order.chunks(BLOCK).map(block).collect();
        let complete = Matrix::from_columns(roots.len(), BLOCK, |_, out| out.copy_from_slice(roots));
        Columns { blocks, order, complete, fewest_common }
    }
}

/// A column less its mean, of length one, and where it is known if not everywhere; zeros without variance.
fn standardised(mut x: Vec<f64>, roots: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
    let known = || x.iter().zip(roots).filter(|(x, _)| !x.is_nan());
    let weight: f64 = known().map(|(_, root)| root * root).sum();
    let mean = known().map(|(x, root)| root * x).sum::<f64>() / weight;
    let missing = x.iter().any(|x| x.is_nan());
    let mark = |(x, root): (&f64, &f64)| if x.is_nan() { 0.0 } else { *root };
    let marks = missing.then(|| x.iter().zip(roots).map(mark).collect());
    x.iter_mut().zip(roots).for_each(|(x, root)| *x = if x.is_nan() { 0.0 } else { *x - root * mean });
    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let usable = length > 0.0 && length.is_finite();
    x.iter_mut().for_each(|x| *x = if usable { *x / length } else { 0.0 });
    (x, marks)
}

/// AᵀB.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.n_columns(), b.n_columns());
    a.transpose_product(b, &mut out);
    out
}

/// The correlations of the columns of two blocks, each over the rows in which both are known.
fn correlations(a: &ColumnBlock, b: &ColumnBlock, complete: &Matrix, fewest_common: f64) -> Matrix {
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
            let varies =
                n >= fewest_common - ROUNDING && var_a > NO_VARIANCE * total_a && var_b > NO_VARIANCE * total_b;
            *r = if varies { (*r - sum_a * sum_b / n) / (var_a * var_b).sqrt() } else { 0.0 };
        }
    }
    r
}

/// For each limit and every column the leader of its component: columns are joined whose correlation is at least the
/// limit in size.
pub(super) fn join_correlated<const L: usize>(columns: &Columns, limits: [f64; L]) -> [Vec<usize>; L] {
    let Columns { blocks, order, complete, fewest_common } = columns;
    let pairs: Vec<(usize, usize)> = (0..blocks.len()).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
    let joined: Vec<[Vec<(usize, usize)>; L]> = pairs
        .par_iter()
        .map(|&(a, b)| {
            let r = correlations(&blocks[a], &blocks[b], complete, *fewest_common);
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
