//! A block of kernel values in 16 bits, for kernels of which as many as possible are to be kept.

use crate::numeric::linalg::{SingleMatrix, vectorised};

/// Steps from 0 to 1.
const STEPS: f32 = 65_535.0;

/// Numbers from 0 to 1, by columns, each within 7.7e-6 of what it was made of.
pub(super) struct RoundedBlock {
    columns: Vec<Vec<u16>>,
}

impl RoundedBlock {
    /// Rounds numbers from 0 to 1. Cost: one pass.
    pub(super) fn of(block: &SingleMatrix) -> RoundedBlock {
        let column = |j: usize| {
            let mut out = vec![0_u16; block.n_rows()];
            let parts = out.iter_mut().zip(block.column(j));
            vectorised(|| parts.for_each(|(o, v)| *o = (v * STEPS + 0.5) as u16));
            out
        };
        RoundedBlock { columns: (0..block.n_columns()).map(column).collect() }
    }

    /// The numbers. Cost: one pass.
    pub(super) fn numbers(&self) -> SingleMatrix {
        let rows = self.columns.first().map_or(0, Vec::len);
        SingleMatrix::from_columns(rows, self.columns.len(), |j, out| {
            let parts = out.iter_mut().zip(&self.columns[j]);
            vectorised(|| parts.for_each(|(o, v)| *o = f32::from(*v) * (1.0 / STEPS)));
        })
    }

    /// Only these columns, which go up, stay.
    pub(super) fn keep(&mut self, columns: &[usize]) {
        for (to, &from) in columns.iter().enumerate() {
            self.columns.swap(to, from);
        }
        self.columns.truncate(columns.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_within_half_a_step_and_columns_stay_in_order() {
        let block = SingleMatrix::from_columns(301, 5, |j, out| {
            out.iter_mut().enumerate().for_each(|(i, o)| *o = (i as f32 / 300.0).powi(j as i32));
        });
        let mut rounded = RoundedBlock::of(&block);
        rounded.keep(&[0, 2, 3]);
        let numbers = rounded.numbers();
        assert_eq!(numbers.n_columns(), 3);
        for (at, j) in [0, 2, 3].into_iter().enumerate() {
            let apart = numbers.column(at).iter().zip(block.column(j)).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f32::max) < 7.7e-6, "column {j}");
        }
        assert_eq!((numbers.column(0)[0], numbers.column(1)[0]), (1.0, 0.0), "ends are exact");
    }
}
