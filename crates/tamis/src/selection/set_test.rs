//! What is said of a set of features as a whole.

use serde::{Deserialize, Serialize};

/// The sign of most of a set's scores, compared with null targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Higher in the positive class, or with the numeric target.
    Up,
    /// Lower.
    Down,
}

/// Four answers about a set of features: two questions, each asked of scores of one sign and of scores of either.
///
/// *Self-contained*: does any feature of the set differ? *Competitive*: do its features differ more than all others?
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct OfEachQuestion {
    /// Self-contained, mostly in one direction.
    pub direction: Option<f64>,
    /// Self-contained, in either.
    pub mixed: Option<f64>,
    /// Competitive, mostly in one direction.
    pub competitive_direction: Option<f64>,
    /// Competitive, in either.
    pub competitive_mixed: Option<f64>,
}

impl OfEachQuestion {
    /// The answers in order.
    pub fn all(&self) -> [Option<f64>; 4] {
        [self.direction, self.mixed, self.competitive_direction, self.competitive_mixed]
    }

    /// The smallest of them.
    pub fn least(&self) -> Option<f64> {
        self.all().into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// The tests of a set of features.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SetTest {
    /// How many of its features have a score with a sign: those that are tested.
    pub tested: usize,
    /// Which way most of them go, compared with null targets.
    pub direction: Direction,
    /// The mean of their scores.
    pub mean_score: f64,
    /// p-values.
    pub p: OfEachQuestion,
    /// p-values adjusted for the number of sets, each question by itself (Benjamini & Hochberg 1995).
    pub q: OfEachQuestion,
    /// The features that speak most for it, by index, strongest first: those in its direction, or all where the mixed test
    /// says more.
    pub leading: Vec<u32>,
}

impl SetTest {
    pub(crate) fn new(tested: usize, direction: Direction, mean_score: f64, p: OfEachQuestion) -> SetTest {
        SetTest { tested, direction, mean_score, p, q: OfEachQuestion::default(), leading: vec![] }
    }
}
