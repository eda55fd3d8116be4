//! Moments of two classes at once, with the rows in the order in which they lie.
//!
//! Every row has a mask of ones or zeros; a number is added to the sums of its class, and zero to those of the other. The
//! sums are interleaved in a fixed number of lanes, whatever the width of the machine's vectors.

use super::moments::Moments;
use crate::numeric::linalg::vectorised;

/// Sums kept side by side.
const LANES: usize = 8;

/// Rows handled at a time, so that the second pass finds them in cache.
const BLOCK: usize = 2048;

/// The class of every sample.
#[derive(Debug)]
pub(super) struct TwoClasses {
    /// All ones for samples of class 1, zero for those of class 0.
    masks: Vec<u64>,
    /// The samples' rows, unless they are all rows of the table in order.
    rows: Option<Vec<u32>>,
}

impl TwoClasses {
    /// Samples are these rows; `codes` has the class of every row of the table.
    pub(super) fn new(rows: &[u32], codes: &[u32]) -> TwoClasses {
        let whole = rows.len() == codes.len() && rows.iter().enumerate().all(|(i, &row)| row as usize == i);
        let mask = |&row: &u32| if codes[row as usize] == 1 { u64::MAX } else { 0 };
        TwoClasses { masks: rows.iter().map(mask).collect(), rows: (!whole).then(|| rows.to_vec()) }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// The samples' rows, unless they are all rows of the table in order.
    pub(super) fn rows(&self) -> Option<&[u32]> {
        self.rows.as_deref()
    }

    /// The moments of a column's classes 0 and 1; a mean is not finite if a value is missing or infinite. `room` is
    /// memory to use again.
    pub(super) fn moments(&self, column: &[f64], room: &mut Vec<f64>) -> [Moments; 2] {
        let samples = match &self.rows {
            None => column,
            Some(rows) => {
                room.clear();
                room.extend(rows.iter().map(|&row| column[row as usize]));
                room
            }
        };
        let blocks = samples.chunks(BLOCK).zip(self.masks.chunks(BLOCK));
        let merge = |[a, b]: [Moments; 2], (values, masks): (&[f64], &[u64])| {
            let [c, d] = vectorised(|| block(values, masks));
            [a.merge(c), b.merge(d)]
        };
        blocks.fold([Moments::default(); 2], merge)
    }
}

/// The moments of a block, in two passes relative to the first value of each class, so that equal numbers give M2 = 0
/// exactly and a large common offset costs no digits.
#[inline(always)]
fn block(values: &[f64], masks: &[u64]) -> [Moments; 2] {
    let ones = masks.iter().filter(|&&mask| mask != 0).count() as f64;
    let counts = [masks.len() as f64 - ones, ones];
    let first = |wanted: bool| masks.iter().position(|&mask| (mask != 0) == wanted).map_or(0.0, |at| values[at]);
    let pivots = [first(false), first(true)];
    let [sums, _] = deviations(values, masks, pivots);
    let mean = |c: usize| if counts[c] > 0.0 { pivots[c] + sums[c] / counts[c] } else { 0.0 };
    let means = [mean(0), mean(1)];
    let [drifts, squares] = deviations(values, masks, means);
    [0, 1].map(|c: usize| {
        if counts[c] == 0.0 {
            return Moments::default();
        }
        let m2 = (squares[c] - drifts[c] * drifts[c] / counts[c]).max(0.0);
        Moments { count: counts[c], mean: means[c], rest: drifts[c] / counts[c], m2 }
    })
}

/// Σ(x − centre) and Σ(x − centre)² of both classes, each with its own centre.
#[inline(always)]
fn deviations(values: &[f64], masks: &[u64], centres: [f64; 2]) -> [[f64; 2]; 2] {
    let [zero, one] = centres.map(f64::to_bits);
    let mut sums = [[0.0; LANES]; 2];
    let mut squares = [[0.0; LANES]; 2];
    let mut add = |lane: usize, x: f64, mask: u64| {
        let d = x - f64::from_bits(one & mask | zero & !mask);
        let (bits, square) = (d.to_bits(), (d * d).to_bits());
        sums[0][lane] += f64::from_bits(bits & !mask);
        sums[1][lane] += f64::from_bits(bits & mask);
        squares[0][lane] += f64::from_bits(square & !mask);
        squares[1][lane] += f64::from_bits(square & mask);
    };
    let (chunks, mask_chunks) = (values.chunks_exact(LANES), masks.chunks_exact(LANES));
    for (lane, (&x, &mask)) in chunks.remainder().iter().zip(mask_chunks.remainder()).enumerate() {
        add(lane, x, mask);
    }
    for (chunk, masks) in chunks.zip(mask_chunks) {
        for lane in 0..LANES {
            add(lane, chunk[lane], masks[lane]);
        }
    }
    let total = |lanes: [[f64; LANES]; 2]| lanes.map(|lanes| lanes.iter().sum());
    [total(sums), total(squares)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_classes_have_the_moments_of_their_own_values() {
        for n in [2, 7, 8, 23, 2048, 2049, 5000] {
            let column: Vec<f64> = (0..n).map(|i| 1e6 + ((i * 37) as f64 * 0.61).sin()).collect();
            let codes: Vec<u32> = (0..n as u32).map(|i| i * 7 % 3 % 2).collect();
            let rows: Vec<u32> = (0..n as u32).collect();
            let found = TwoClasses::new(&rows, &codes).moments(&column, &mut vec![]);
            for class in 0..2 {
                let own: Vec<f64> = (0..n).filter(|&i| codes[i] == class).map(|i| column[i]).collect();
                let (wanted, found) = (Moments::of(&own), found[class as usize]);
                assert_eq!(found.count, wanted.count);
                assert!((found.mean + found.rest - wanted.mean - wanted.rest).abs() < 1e-9);
                assert!((found.m2 - wanted.m2).abs() <= 1e-11 * wanted.m2, "{n}: {} {}", found.m2, wanted.m2);
            }
        }
    }

    #[test]
    fn equal_values_have_no_variance_and_missing_ones_are_noticed() {
        let rows: Vec<u32> = (0..100).collect();
        let codes: Vec<u32> = rows.iter().map(|row| row % 2).collect();
        let two = TwoClasses::new(&rows, &codes);
        let column: Vec<f64> = codes.iter().map(|&code| if code == 1 { 0.1 } else { 1e9 + 0.3 }).collect();
        let mut room = vec![];
        let [zero, one] = two.moments(&column, &mut room);
        assert_eq!((zero.m2, one.m2, zero.mean, one.mean), (0.0, 0.0, 1e9 + 0.3, 0.1));
        let mut gap = column.clone();
        gap[4] = f64::NAN;
        assert!(!two.moments(&gap, &mut room)[0].mean.is_finite());
        gap[4] = f64::INFINITY;
        assert!(!two.moments(&gap, &mut room)[0].mean.is_finite());
        let some = TwoClasses::new(&rows[1..], &codes);
        assert_eq!(some.moments(&column, &mut room)[0].count, 49.0);
    }
}
