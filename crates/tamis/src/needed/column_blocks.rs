//! Columns of a matrix in blocks, so that threads share them and one block at a time is replaced.

use crate::numeric::linalg::{Matrix, widely};
use rayon::prelude::*;

/// Columns of a block.
pub(super) const WIDTH: usize = 128;

/// Gram matrices are summed in so many parts, whatever the number of threads, so that the order of sums is fixed.
const PARTS: usize = 4;

/// A matrix by blocks of columns; all blocks but the last have the same number.
pub(super) struct ColumnBlocks {
    blocks: Vec<Matrix>,
    rows: usize,
    columns: usize,
}

impl ColumnBlocks {
    /// Columns that lie one after the other.
    pub(super) fn new(rows: usize, columns: Vec<Vec<f64>>) -> ColumnBlocks {
        let n = columns.len();
        let mut left = columns.into_iter();
        let blocks = (0..n.div_ceil(WIDTH))
            .map(|at| {
                let width = WIDTH.min(n - at * WIDTH);
                // a column is freed as soon as it is copied
                Matrix::from_columns(rows, width, |_, out| {
                    if let Some(column) = left.next() {
                        out.copy_from_slice(&column);
                    }
                })
            })
            .collect();
        ColumnBlocks { blocks, rows, columns: n }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.rows
    }

    pub(super) fn n_columns(&self) -> usize {
        self.columns
    }

    pub(super) fn column(&self, j: usize) -> &[f64] {
        self.blocks[j / WIDTH].column(j % WIDTH)
    }

    /// `out` = Xᵀ·a.
    pub(super) fn transpose_times(&self, a: &[f64], out: &mut [f64]) {
        self.blocks.par_iter().zip(out.par_chunks_mut(WIDTH)).for_each(|(block, out)| block.transpose_times(a, out));
    }

    /// Xᵀ·a of several vectors: a column of X is read once for four of them. Every sum has the same order however many there
    /// are.
    pub(super) fn transpose_times_many(&self, vectors: &[&[f64]], outs: &mut [&mut [f64]]) {
        let products: Vec<Vec<f64>> = self.blocks.par_iter().map(|block| block_products(block, vectors)).collect();
        for (at, of_block) in products.iter().enumerate() {
            let width = self.blocks[at].n_columns();
            for (out, products) in outs.iter_mut().zip(of_block.chunks_exact(width)) {
                out[at * WIDTH..at * WIDTH + width].copy_from_slice(products);
            }
        }
    }

    /// XᵀA, block by block: a matrix of the columns of A for every block of X.
    pub(super) fn products<'a>(&'a self, a: &'a Matrix) -> impl IndexedParallelIterator<Item = Matrix> + 'a {
        self.blocks.par_iter().map(|block| {
            let mut out = Matrix::zeros(block.n_columns(), a.n_columns());
            block.transpose_product(a, &mut out);
            out
        })
    }

    /// XXᵀ, lower half.
    pub(super) fn outer_gram(&self) -> Matrix {
        let size = self.blocks.len().div_ceil(PARTS).max(1);
        let part = |blocks: &[Matrix]| {
            let mut gram = Matrix::zeros(self.rows, self.rows);
            blocks.iter().for_each(|block| block.add_outer_gram(&mut gram));
            gram
        };
        let mut parts = self.blocks.par_chunks(size).map(part).collect::<Vec<_>>().into_iter();
        let first = parts.next().unwrap_or_else(|| Matrix::zeros(self.rows, self.rows));
        parts.fold(first, |mut sum, part| {
            sum.add(&part);
            sum
        })
    }

    /// XᵀX, lower half.
    pub(super) fn gram(&self) -> Matrix {
        let n = self.blocks.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|b| (b..n).map(move |a| (a, b))).collect();
        let products: Vec<Matrix> = pairs
            .par_iter()
            .map(|&(a, b)| {
                let mut out = Matrix::zeros(self.blocks[a].n_columns(), self.blocks[b].n_columns());
                match a == b {
                    true => self.blocks[a].add_gram(&mut out),
                    false => self.blocks[a].transpose_product(&self.blocks[b], &mut out),
                }
                out
            })
            .collect();
        let mut gram = Matrix::zeros(self.columns, self.columns);
        for ((a, b), product) in pairs.into_iter().zip(products) {
            for j in 0..product.n_columns() {
                let column = gram.column_mut(b * WIDTH + j);
                column[a * WIDTH..a * WIDTH + product.n_rows()].copy_from_slice(product.column(j));
            }
        }
        gram
    }

    /// UᵀX in the place of X.
    pub(super) fn rotated(mut self, u: &Matrix) -> ColumnBlocks {
        self.rows = u.n_columns();
        self.blocks.par_iter_mut().for_each(|block| {
            let mut out = Matrix::zeros(u.n_columns(), block.n_columns());
            u.transpose_product(block, &mut out);
            *block = out;
        });
        self
    }
}

/// The products of the columns of a block with several vectors, vector by vector.
fn block_products(block: &Matrix, vectors: &[&[f64]]) -> Vec<f64> {
    let mut products = vec![0.0; block.n_columns() * vectors.len()];
    let out = &mut products[..];
    widely!((block: &'a Matrix, vectors: &'a [&'a [f64]], out: &'a mut [f64]) -> () {
        let (rows, columns) = (block.n_rows(), block.n_columns());
        let (fours, rest) = vectors.as_chunks::<4>();
        for (group, four) in fours.iter().enumerate() {
            for j in 0..columns {
                let products = dots(block.column(j), four.map(|vector| &vector[..rows]));
                for (at, product) in products.into_iter().enumerate() {
                    out[(4 * group + at) * columns + j] = product;
                }
            }
        }
        for (at, vector) in rest.iter().enumerate() {
            for j in 0..columns {
                let [product] = dots(block.column(j), [&vector[..rows]]);
                out[(4 * fours.len() + at) * columns + j] = product;
            }
        }
    });
    products
}

/// Σ x·a of several vectors, each in eight lanes.
#[inline(always)]
fn dots<const N: usize>(x: &[f64], vectors: [&[f64]; N]) -> [f64; N] {
    let mut lanes = [[0.0; 8]; N];
    let (chunks, rest) = x.as_chunks::<8>();
    let split = vectors.map(|vector| vector[..x.len()].as_chunks::<8>());
    for (at, x) in chunks.iter().enumerate() {
        for n in 0..N {
            let a = &split[n].0[at];
            for i in 0..8 {
                lanes[n][i] += x[i] * a[i];
            }
        }
    }
    std::array::from_fn(|n| {
        let last: f64 = rest.iter().zip(split[n].1).map(|(x, a)| x * a).sum();
        lanes[n].iter().sum::<f64>() + last
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::linalg::dot;

    #[test]
    fn blocks_give_the_products_of_their_columns() {
        let column = |j: usize| (0..9).map(|i| ((i * 7 + j * 5) % 11) as f64 - 4.0).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..300).map(column).collect();
        let blocks = ColumnBlocks::new(9, columns.clone());
        let (gram, outer) = (blocks.gram(), blocks.outer_gram());
        for i in 0..300 {
            for j in 0..=i {
                assert_eq!(gram.column(j)[i], dot(&columns[i], &columns[j]));
            }
        }
        for i in 0..9 {
            for k in 0..=i {
                assert_eq!(outer.column(k)[i], columns.iter().map(|x| x[i] * x[k]).sum::<f64>());
            }
        }
        let a = column(1000);
        let mut out = vec![0.0; 300];
        blocks.transpose_times(&a, &mut out);
        let vectors: Vec<Vec<f64>> = (1000..1007).map(column).collect();
        let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
        let mut many = vec![vec![0.0; 300]; 7];
        blocks.transpose_times_many(&vectors, &mut many.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        assert_eq!(many[0], out);
        for (vector, products) in vectors.iter().zip(&many) {
            assert_eq!(*products, columns.iter().map(|x| dot(x, vector)).collect::<Vec<f64>>());
        }
        let u = Matrix::from_fn(9, 2, |i, j| (i + j) as f64);
        let turned = blocks.rotated(&u);
        for j in 0..300 {
            assert_eq!(out[j], dot(&columns[j], &a));
            assert_eq!(turned.column(j), [dot(u.column(0), &columns[j]), dot(u.column(1), &columns[j])]);
        }
    }
}
