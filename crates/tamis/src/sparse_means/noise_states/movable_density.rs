//! A state's density moved along the grid: the components of a mixture, all of them windows of one vector.

use super::score_grid::{NODES, OnGrid};
use std::ops::Range;

/// No density is less, so that no score is impossible.
const LEAST: f64 = 1e-12;

/// A density that can be moved by up to the width of the grid.
pub(super) struct MovableDensity(Vec<f64>);

impl MovableDensity {
    pub(super) fn new(density: &OnGrid) -> MovableDensity {
        let mut padded = vec![LEAST; 3 * NODES];
        padded[NODES..2 * NODES].iter_mut().zip(density).for_each(|(to, h)| *to += h);
        MovableDensity(padded)
    }

    /// The density moved up by so many nodes, at some of the nodes.
    pub(super) fn moved(&self, by: i32, nodes: &Range<usize>) -> &[f64] {
        let from = (NODES as i32 - by) as usize;
        &self.0[from + nodes.start..from + nodes.end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_density_has_its_peak_elsewhere() {
        let mut density = [0.0; NODES];
        density[80] = 1.0;
        let movable = MovableDensity::new(&density);
        for by in [-160, -80, -1, 0, 3, 80, 160] {
            let moved = movable.moved(by, &(0..NODES));
            let peak = moved.iter().position(|h| *h > 0.5);
            assert_eq!(peak, usize::try_from(80 + by).ok().filter(|b| *b < NODES));
            assert_eq!(movable.moved(by, &(70..100)), &moved[70..100]);
        }
    }
}
