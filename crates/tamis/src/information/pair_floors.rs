//! The scores that pairs of features must beat to be counted.

use super::pair_tables::{LANES, PairTile};

/// What a pair must reach to be looked at: for each feature of a tile the score it has, and for any pair a gain.
pub(super) struct Floors {
    pub(super) left: Vec<f32>,
    pub(super) right: Vec<f32>,
    pub(super) gain: f32,
}

impl Floors {
    /// Where every feature of the tile has the score `score`, and gains do not matter.
    pub(super) fn all(tile: &PairTile, score: f64) -> Floors {
        let padded = tile.right.len().next_multiple_of(LANES);
        let mut floors = Floors {
            left: vec![f32::NEG_INFINITY; tile.left.len()],
            right: vec![f32::INFINITY; padded],
            gain: f32::INFINITY,
        };
        floors.set_all(tile, score);
        floors
    }

    /// Sets the score of every feature.
    pub(super) fn set_all(&mut self, tile: &PairTile, score: f64) {
        self.left.fill(score as f32);
        self.right[..tile.right.len()].fill(score as f32);
    }

    /// Sets the score of one feature, wherever it is in the tile.
    pub(super) fn set(&mut self, tile: &PairTile, at: usize, score: f64) {
        if tile.left.contains(&at) {
            self.left[at - tile.left.start] = score as f32;
        }
        if tile.right.contains(&at) {
            self.right[at - tile.right.start] = score as f32;
        }
    }

    /// Sets the gain that makes a pair worth a look whatever the scores are.
    pub(super) fn set_gain(&mut self, gain: f64) {
        self.gain = gain as f32;
    }
}
