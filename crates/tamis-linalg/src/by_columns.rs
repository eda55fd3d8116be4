//! What matrices of either precision have in common.

/// The making of a matrix, its columns, and its products with vectors, which are summed in f64.
macro_rules! by_columns {
    ($matrix:ident, $number:ty) => {
        impl $crate::vectors::Columns for $matrix {
            type Number = $number;

            fn column(&self, j: usize) -> &[$number] {
                self.column(j)
            }
        }

        impl $matrix {
            /// A matrix of zeros.
            pub fn zeros(rows: usize, columns: usize) -> Self {
                $matrix(faer::Mat::zeros(rows, columns))
            }

            /// A matrix whose columns are filled one by one.
            pub fn from_columns(rows: usize, columns: usize, mut fill: impl FnMut(usize, &mut [$number])) -> Self {
                let mut matrix = $matrix::zeros(rows, columns);
                (0..columns).for_each(|j| fill(j, matrix.column_mut(j)));
                matrix
            }

            /// The number of rows.
            pub fn n_rows(&self) -> usize {
                self.0.nrows()
            }

            /// The number of columns.
            pub fn n_columns(&self) -> usize {
                self.0.ncols()
            }

            /// Column `j` as a slice.
            pub fn column(&self, j: usize) -> &[$number] {
                self.0.col_as_slice(j)
            }

            /// Column `j` as a mutable slice.
            pub fn column_mut(&mut self, j: usize) -> &mut [$number] {
                self.0.col_as_slice_mut(j)
            }

            /// A·x. Cost: one pass over A.
            pub fn times(&self, x: &[f64], out: &mut [f64]) {
                out.fill(0.0);
                $crate::vectors::run_wide($crate::vectors::Times { matrix: self, x, out });
            }

            /// Aᵀ·x. Cost: one pass over A.
            pub fn transpose_times(&self, x: &[f64], out: &mut [f64]) {
                $crate::vectors::run_wide($crate::vectors::TransposeTimes { matrix: self, x, out });
            }
        }
    };
}
pub(crate) use by_columns;
