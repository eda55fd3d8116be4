//! A vector of scores as counts on a grid: its memory does not depend on how many there are.
//!
//! Cells are 1/1024 wide within ±8 and 1/64 from there to ±40; scores beyond lie in the last cell. The smallest and the
//! largest score are kept as they are. With 100,000 scores and more, medians are off by far less than their own error
//! (1.25/√K), and sums over scores by less than 10⁻⁶ of them.

/// Cells per unit within ±[`FINE_TO`].
const FINE: f64 = 1024.0;
const FINE_TO: f64 = 8.0;
/// Cells per unit beyond.
const COARSE: f64 = 64.0;
const COARSE_TO: f64 = 40.0;
/// Cells on each side of zero.
const SIDE: usize = (FINE_TO * FINE + (COARSE_TO - FINE_TO) * COARSE) as usize;

/// Counts of scores, apart for features with two-sided and one-sided scores.
#[derive(Default)]
pub(super) struct Counted {
    two_sided: Counts,
    one_sided: Counts,
}

/// Counts of one kind of scores; no cells while there are none.
struct Counts {
    cells: Vec<u32>,
    n: u64,
    least: f64,
    most: f64,
}

impl Default for Counts {
    fn default() -> Self {
        Counts { cells: vec![], n: 0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

/// The cell of a score.
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

/// The middle of a cell.
fn middle(cell: usize) -> f64 {
    0.5 * (edge(cell) + edge(cell + 1))
}

impl Counts {
    fn add(&mut self, z: f64) {
        if self.cells.is_empty() {
            self.cells = vec![0; 2 * SIDE];
        }
        self.cells[cell(z)] += 1;
        self.n += 1;
        self.least = self.least.min(z);
        self.most = self.most.max(z);
    }

    /// Scores in ascending order: the least and the largest as they are, the others at the middles of their cells.
    fn each(&self, mut visit: impl FnMut(f64, f64)) {
        if self.n == 0 {
            return;
        }
        visit(self.least, 1.0);
        let (first, last) = (cell(self.least), cell(self.most));
        for c in first..=last {
            let ends = u32::from(c == first) + u32::from(c == last && self.n > 1);
            let count = self.cells[c] - ends;
            if count > 0 {
                visit(middle(c).clamp(self.least, self.most), f64::from(count));
            }
        }
        if self.n > 1 {
            visit(self.most, 1.0);
        }
    }
}

impl Counted {
    pub(super) fn add(&mut self, z: f64, one_sided: bool) {
        if one_sided { self.one_sided.add(z) } else { self.two_sided.add(z) }
    }

    /// Calls `visit` with a score, whether it is one-sided, and how many scores it stands for.
    pub(super) fn each(&self, mut visit: impl FnMut(f64, bool, f64)) {
        self.two_sided.each(|z, count| visit(z, false, count));
        self.one_sided.each(|z, count| visit(z, true, count));
    }

    /// Both kinds of scores cumulated.
    pub(super) fn cumulative(&self) -> Cumulative {
        let mut below = Vec::with_capacity(2 * SIDE + 1);
        let mut sum = 0_u64;
        below.push(0.0);
        for c in 0..2 * SIDE {
            let count = |counts: &Counts| u64::from(counts.cells.get(c).copied().unwrap_or(0));
            sum += count(&self.two_sided) + count(&self.one_sided);
            below.push(sum as f64);
        }
        Cumulative { below, half: 0.5 * sum as f64 }
    }
}

/// How many scores lie below the lower end of each cell.
pub(super) struct Cumulative {
    below: Vec<f64>,
    half: f64,
}

impl Cumulative {
    /// Scores below `z`, a cell's scores spread evenly over it.
    fn below(&self, z: f64) -> f64 {
        let c = cell(z);
        let share = ((z - edge(c)) / (edge(c + 1) - edge(c))).clamp(0.0, 1.0);
        self.below[c] + share * (self.below[c + 1] - self.below[c])
    }

    /// The number with half of the scores below it.
    pub(super) fn median(&self) -> f64 {
        let c = self.below.partition_point(|below| *below <= self.half).clamp(1, 2 * SIDE) - 1;
        let inside = self.below[c + 1] - self.below[c];
        let share = if inside > 0.0 { (self.half - self.below[c]) / inside } else { 0.5 };
        edge(c) + share * (edge(c + 1) - edge(c))
    }

    /// The distance from `centre` within which half of the scores lie.
    pub(super) fn deviation(&self, centre: f64) -> f64 {
        let (mut near, mut far) = (0.0, 2.0 * COARSE_TO);
        for _ in 0..80 {
            let distance = 0.5 * (near + far);
            let inside = self.below(centre + distance) - self.below(centre - distance);
            if inside < self.half { near = distance } else { far = distance }
        }
        0.5 * (near + far)
    }
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
        let mut counted = Counted::default();
        let scores = [-50.0, -3.2, 0.1, 0.1, 0.1001, 4.0, 9.5, 61.0];
        scores.iter().for_each(|z| counted.add(*z, false));
        counted.add(2.5, true);
        let mut seen = vec![];
        counted.each(|z, one_sided, count| seen.push((z, one_sided, count)));
        assert_eq!(seen.iter().map(|(_, _, count)| count).sum::<f64>(), 9.0);
        assert_eq!((seen[0].0, seen[seen.len() - 2].0), (-50.0, 61.0));
        assert_eq!(seen[seen.len() - 1], (2.5, true, 1.0));
    }
}
