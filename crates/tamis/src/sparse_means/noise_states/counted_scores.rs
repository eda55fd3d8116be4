//! The scores of very many features as counts in cells: their memory does not depend on how many there are.
//!
//! Cells are 1/1024 wide within ±8 and 1/64 from there to ±40; scores beyond lie in the last cell. The smallest and the
//! largest score are kept as they are. With the tens of thousands of scores at which counting starts, an order statistic
//! is off by far less than its own error.

/// Cells per unit within ±[`FINE_TO`].
const FINE: f64 = 1024.0;
const FINE_TO: f64 = 8.0;
/// Cells per unit beyond.
const COARSE: f64 = 64.0;
const COARSE_TO: f64 = 40.0;
/// Cells on each side of zero.
const SIDE: usize = (FINE_TO * FINE + (COARSE_TO - FINE_TO) * COARSE) as usize;

/// Counts of scores.
pub(super) struct CountedScores {
    cells: Vec<u32>,
    n: u64,
    least: f64,
    most: f64,
}

/// The cell of a score.
#[inline(always)]
fn cell(z: f64) -> usize {
    let size = z.abs();
    let out = if size < FINE_TO { size * FINE } else { FINE_TO * FINE + (size.min(COARSE_TO) - FINE_TO) * COARSE };
    let out = (out as usize).min(SIDE - 1);
    if z < 0.0 { SIDE - 1 - out } else { SIDE + out }
}

/// The lower end of a cell.
fn edge(cell: usize) -> f64 {
    let distance = |out: usize| match out as f64 {
        out if out <= FINE_TO * FINE => out / FINE,
        out => FINE_TO + (out - FINE_TO * FINE) / COARSE,
    };
    if cell < SIDE { -distance(SIDE - cell) } else { distance(cell - SIDE) }
}

impl CountedScores {
    pub(super) fn new() -> CountedScores {
        CountedScores { cells: vec![0; 2 * SIDE], n: 0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }

    pub(super) fn add(&mut self, z: f64) {
        self.cells[cell(z)] += 1;
        self.n += 1;
        self.least = self.least.min(z);
        self.most = self.most.max(z);
    }

    /// The smallest and the largest score.
    pub(super) fn range(&self) -> [f64; 2] {
        [self.least, self.most]
    }

    /// Calls `visit` with scores in ascending order and how many each stands for: the least and the largest as they are,
    /// the others at the middles of their cells.
    pub(super) fn each(&self, mut visit: impl FnMut(f64, f64)) {
        if self.n == 0 {
            return;
        }
        visit(self.least, 1.0);
        let (first, last) = (cell(self.least), cell(self.most));
        for c in first..=last {
            let ends = u32::from(c == first) + u32::from(c == last && self.n > 1);
            let count = self.cells[c] - ends;
            if count > 0 {
                visit((0.5 * (edge(c) + edge(c + 1))).clamp(self.least, self.most), f64::from(count));
            }
        }
        if self.n > 1 {
            visit(self.most, 1.0);
        }
    }

    /// The counts, cumulated.
    pub(super) fn cumulated(&self) -> Cumulated {
        let mut sum = 0_u64;
        let ends = self.cells.iter().map(|count| {
            sum += u64::from(*count);
            sum as f64
        });
        Cumulated { below: std::iter::once(0.0).chain(ends).collect(), range: self.range() }
    }
}

/// How many scores lie below the lower end of each cell, those of a cell spread evenly over it.
pub(super) struct Cumulated {
    below: Vec<f64>,
    range: [f64; 2],
}

impl Cumulated {
    /// How many scores there are.
    pub(super) fn len(&self) -> f64 {
        self.below[2 * SIDE]
    }

    fn below(&self, z: f64) -> f64 {
        let c = cell(z);
        let share = ((z - edge(c)) / (edge(c + 1) - edge(c))).clamp(0.0, 1.0);
        self.below[c] + share * (self.below[c + 1] - self.below[c])
    }

    /// The number with half of the scores below it.
    pub(super) fn median(&self) -> f64 {
        let half = 0.5 * self.len();
        let c = self.below.partition_point(|below| *below <= half).clamp(1, 2 * SIDE) - 1;
        let inside = self.below[c + 1] - self.below[c];
        let share = if inside > 0.0 { (half - self.below[c]) / inside } else { 0.5 };
        edge(c) + share * (edge(c + 1) - edge(c))
    }

    /// How many scores exceed `centre` by more than `distance`, or with `both` sides are as far from it.
    pub(super) fn beyond(&self, centre: f64, distance: f64, both: bool) -> f64 {
        let above = self.len() - self.below(centre + distance);
        if both { above + self.below(centre - distance) } else { above }
    }

    /// The largest distance of a score above `centre`, or on `both` sides.
    pub(super) fn farthest(&self, centre: f64, both: bool) -> f64 {
        let above = self.range[1] - centre;
        if both { above.max(centre - self.range[0]) } else { above }
    }
}

/// The distance with `rank` scores beyond it, of scores counted by `beyond`.
pub(super) fn distance_at_rank(beyond: impl Fn(f64) -> f64, rank: f64) -> f64 {
    let (mut near, mut far) = (-COARSE_TO, 2.0 * COARSE_TO);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        if beyond(middle) > rank { near = middle } else { far = middle }
    }
    0.5 * (near + far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_lies_in_its_cell() {
        for z in [0.0, -0.0, 1e-9, -1e-9, 0.5, -0.5, 7.9999, -7.9999, 8.0, -8.0, 8.01, 39.99, -39.99] {
            let c = cell(z);
            assert!(edge(c) <= z && z <= edge(c + 1), "{z}: {} {}", edge(c), edge(c + 1));
        }
        assert_eq!((cell(1e9), cell(-1e9)), (2 * SIDE - 1, 0));
        assert!((0..2 * SIDE).all(|c| edge(c) < edge(c + 1)));
    }

    #[test]
    fn visits_stand_for_all_scores_and_keep_the_extremes() {
        let mut counted = CountedScores::new();
        let scores = [-50.0, -3.2, 0.1, 0.1, 0.1001, 4.0, 9.5, 61.0];
        scores.iter().for_each(|z| counted.add(*z));
        let mut seen = vec![];
        counted.each(|z, count| seen.push((z, count)));
        assert_eq!(seen.iter().map(|(_, count)| count).sum::<f64>(), 8.0);
        assert_eq!((seen[0].0, seen[seen.len() - 1].0), (-50.0, 61.0));
        let cumulated = counted.cumulated();
        assert_eq!((cumulated.farthest(1.0, true), cumulated.farthest(1.0, false)), (60.0, 60.0));
        assert_eq!(cumulated.farthest(20.0, true), 70.0);
    }
}
