//! Rows that are equally correlated within blocks: their square root and its inverse.
//!
//! The correlation matrix of b rows is R = (1 − ρ)I + ρ11ᵀ. It stretches what rows of a block have in common by
//! 1 + (b − 1)ρ and their deviations from it by 1 − ρ, so that R^(±½) needs block means only.

/// Blocks of correlated rows.
#[derive(Debug, Clone)]
pub(crate) struct CorrelatedRows {
    /// The block of each row, numbered from 0.
    blocks: Vec<u32>,
    /// How many rows each block has.
    sizes: Vec<f64>,
    correlation: f64,
}

impl CorrelatedRows {
    pub(crate) fn new(blocks: Vec<u32>, correlation: f64) -> CorrelatedRows {
        let mut sizes = vec![0.0; blocks.iter().max().map_or(0, |&most| most as usize + 1)];
        blocks.iter().for_each(|&block| sizes[block as usize] += 1.0);
        CorrelatedRows { blocks, sizes, correlation }
    }

    /// The same for some of the rows.
    pub(crate) fn only(&self, wanted: &[usize]) -> CorrelatedRows {
        CorrelatedRows::new(wanted.iter().map(|&row| self.blocks[row]).collect(), self.correlation)
    }

    /// R^(−½) times a column: its noise becomes independent.
    pub(crate) fn whiten(&self, column: &mut [f64]) {
        self.stretch(column, -0.5);
    }

    /// R^(½) times a column.
    pub(crate) fn correlate(&self, column: &mut [f64]) {
        self.stretch(column, 0.5);
    }

    fn stretch(&self, column: &mut [f64], power: f64) {
        let mut means = vec![0.0; self.sizes.len()];
        column.iter().zip(&self.blocks).for_each(|(x, &block)| means[block as usize] += x);
        means.iter_mut().zip(&self.sizes).for_each(|(mean, size)| *mean /= size.max(1.0));
        let apart = (1.0 - self.correlation).powf(power);
        let common: Vec<f64> =
            self.sizes.iter().map(|size| (1.0 + (size - 1.0) * self.correlation).powf(power)).collect();
        for (x, &block) in column.iter_mut().zip(&self.blocks) {
            let mean = means[block as usize];
            *x = apart * (*x - mean) + common[block as usize] * mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitening_undoes_correlating_and_gives_the_inverse_of_the_correlations() {
        let rows = CorrelatedRows::new(vec![0, 0, 1, 0, 2], 0.4);
        let column = [1.0, -2.0, 0.5, 3.0, 4.0];
        let mut there_and_back = column;
        rows.correlate(&mut there_and_back);
        rows.whiten(&mut there_and_back);
        // R⁻½ twice is R⁻¹: R times it is the column again
        let mut inverse = column;
        rows.whiten(&mut inverse);
        rows.whiten(&mut inverse);
        let common: f64 = [0, 1, 3].iter().map(|&at| inverse[at]).sum();
        for at in 0..5 {
            let own = if [2, 4].contains(&at) { inverse[at] } else { 0.6 * inverse[at] + 0.4 * common };
            assert!((own - column[at]).abs() < 1e-12 && (there_and_back[at] - column[at]).abs() < 1e-12);
        }
    }
}
