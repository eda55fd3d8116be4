//! Moments of two classes at once, with the rows in the order in which they lie.
//!
//! Every row has a mask of ones or zeros; a number is added to the sums of its class, and zero to those of the other. The
//! sums are interleaved in a fixed number of lanes, whatever the width of the machine's vectors.

use super::moments::{Moments, less_shift, two_sum};
use crate::numeric::linalg::{WideWork, run_wide};

/// Sums kept side by side.
pub(super) const LANES: usize = 8;

/// Rows handled at a time, so that a second pass finds them in cache.
pub(super) const BLOCK: usize = 2048;

/// The largest share of Σ(x − pivot)² that may be due to the pivot's distance from the mean. One pass then costs at most
/// four bits; beyond it the deviations from the mean are summed in a second pass.
const NEAR: f64 = 15.0 / 16.0;

/// The class of every sample.
#[derive(Debug)]
pub(super) struct TwoClasses {
    /// The samples, [`BLOCK`] at a time.
    blocks: Vec<ClassMasks>,
    /// How many samples each class has.
    counts: [f64; 2],
    /// The samples' rows, unless they are all rows of the table in order.
    rows: Option<Vec<u32>>,
    /// The class of every sample.
    codes: Vec<u8>,
}

/// The classes of neighbouring samples.
#[derive(Debug)]
pub(super) struct ClassMasks {
    /// All ones for samples of class 1, zero for those of class 0.
    masks: Vec<u64>,
    /// How many samples each class has.
    counts: [f64; 2],
    /// The first sample of each class; 0 for a class without any.
    firsts: [usize; 2],
}

/// Σ(x − centre) and Σ(x − centre)² of both classes, each with its own centre.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Deviations {
    pub(super) sums: [f64; 2],
    pub(super) squares: [f64; 2],
}

impl TwoClasses {
    /// Samples are these rows; `codes` has the class of every row of the table.
    pub(super) fn new(rows: &[u32], codes: &[u32]) -> TwoClasses {
        let whole = rows.len() == codes.len() && rows.iter().enumerate().all(|(i, &row)| row as usize == i);
        let blocks: Vec<ClassMasks> = rows.chunks(BLOCK).map(|rows| ClassMasks::new(rows, codes)).collect();
        let counts = [0, 1].map(|class: usize| blocks.iter().map(|block| block.counts[class]).sum());
        let codes = rows.iter().map(|&row| u8::from(codes[row as usize] == 1)).collect();
        TwoClasses { blocks, counts, rows: (!whole).then(|| rows.to_vec()), codes }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.blocks.iter().map(ClassMasks::len).sum()
    }

    /// The samples, some at a time.
    pub(super) fn blocks(&self) -> &[ClassMasks] {
        &self.blocks
    }

    /// How many samples each class has.
    pub(super) fn counts(&self) -> [f64; 2] {
        self.counts
    }

    /// The class of a sample.
    pub(super) fn class(&self, sample: usize) -> usize {
        usize::from(self.codes[sample])
    }

    /// The class of every sample.
    pub(super) fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The samples' rows, unless they are all rows of the table in order.
    pub(super) fn rows(&self) -> Option<&[u32]> {
        self.rows.as_deref()
    }

    /// The moments of a column's classes 0 and 1; a mean is not finite if a value is missing or infinite. `room` is
    /// memory to use again.
    pub(super) fn moments<T: Copy + Into<f64>>(&self, column: &[T], room: &mut Vec<f64>) -> [Moments; 2] {
        match &self.rows {
            None => self.of_samples(column),
            Some(rows) => {
                room.clear();
                room.extend(rows.iter().map(|&row| column[row as usize].into()));
                self.of_samples(room)
            }
        }
    }

    fn of_samples<T: Copy + Into<f64>>(&self, samples: &[T]) -> [Moments; 2] {
        let merge = |[a, b]: [Moments; 2], (values, block): (&[T], &ClassMasks)| {
            let [c, d] = block.moments(values);
            [a.merge(c), b.merge(d)]
        };
        samples.chunks(BLOCK).zip(&self.blocks).fold([Moments::default(); 2], merge)
    }
}

impl ClassMasks {
    fn new(rows: &[u32], codes: &[u32]) -> ClassMasks {
        let mask = |&row: &u32| if codes[row as usize] == 1 { u64::MAX } else { 0 };
        let masks: Vec<u64> = rows.iter().map(mask).collect();
        let ones = masks.iter().filter(|&&mask| mask != 0).count() as f64;
        let first = |wanted: bool| masks.iter().position(|&mask| (mask != 0) == wanted).unwrap_or(0);
        let firsts = [first(false), first(true)];
        ClassMasks { counts: [masks.len() as f64 - ones, ones], firsts, masks }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// The class of a sample.
    pub(super) fn class(&self, sample: usize) -> usize {
        usize::from(self.masks[sample] != 0)
    }

    /// The samples whose values are the pivots of the classes.
    pub(super) fn firsts(&self) -> [usize; 2] {
        self.firsts
    }

    /// The moments of both classes in one pass relative to the first value of each, so that equal numbers give M2 = 0
    /// exactly and a large common offset costs no digits; in two passes where the first value lies far from the others.
    pub(super) fn moments<T: Copy + Into<f64>>(&self, values: &[T]) -> [Moments; 2] {
        let pivots = self.firsts.map(|first| values[first].into());
        let one_pass = self.near(pivots, &self.deviations(values, pivots));
        if let [Some(zero), Some(one)] = one_pass {
            return [zero, one];
        }
        self.far(values, pivots, one_pass)
    }

    /// The moments of each class from deviations from its pivot; `None` where the pivot lies too far from the mean.
    pub(super) fn near(&self, pivots: [f64; 2], deviations: &Deviations) -> [Option<Moments>; 2] {
        [0, 1].map(|class: usize| {
            let (count, sum, squares) = (self.counts[class], deviations.sums[class], deviations.squares[class]);
            if count == 0.0 {
                return Some(Moments::default());
            }
            let shift = sum / count;
            if sum * shift > NEAR * squares {
                return None;
            }
            let (mean, rest) = two_sum(pivots[class], shift);
            Some(Moments { count, mean, rest, m2: less_shift(squares, sum * shift) })
        })
    }

    /// Completes [`ClassMasks::near`] by deviations from the mean.
    #[inline(never)]
    fn far<T: Copy + Into<f64>>(&self, values: &[T], pivots: [f64; 2], one_pass: [Option<Moments>; 2]) -> [Moments; 2] {
        let Deviations { sums, .. } = self.deviations(values, pivots);
        let mean = |class: usize| {
            let shift = if self.counts[class] > 0.0 { sums[class] / self.counts[class] } else { 0.0 };
            pivots[class] + shift
        };
        let means = [mean(0), mean(1)];
        let Deviations { sums, squares } = self.deviations(values, means);
        [0, 1].map(|class: usize| {
            let (count, drift) = (self.counts[class], sums[class]);
            let m2 = less_shift(squares[class], drift * drift / count);
            one_pass[class].unwrap_or(Moments { count, mean: means[class], rest: drift / count, m2 })
        })
    }

    /// The deviations of values from a centre for each class.
    fn deviations<T: Copy + Into<f64>>(&self, values: &[T], centres: [f64; 2]) -> Deviations {
        run_wide(SumDeviations { values, masks: &self.masks, centres })
    }
}

/// The sums of [`ClassMasks::deviations`].
struct SumDeviations<'a, T> {
    values: &'a [T],
    masks: &'a [u64],
    centres: [f64; 2],
}

impl<T: Copy + Into<f64>> WideWork for SumDeviations<'_, T> {
    type Output = Deviations;

    #[inline(always)]
    fn run(self) -> Deviations {
        let SumDeviations { values, masks, centres } = self;
        let mut lanes = Lanes::default();
        let (chunks, rest) = values.as_chunks::<LANES>();
        let (mask_chunks, mask_rest) = masks.as_chunks::<LANES>();
        if !rest.is_empty() {
            // a value at the centre of its class adds nothing
            let (mut x, mut masks) = ([centres[0]; LANES], [0; LANES]);
            x.iter_mut().zip(rest).for_each(|(x, &value)| *x = value.into());
            masks[..mask_rest.len()].copy_from_slice(mask_rest);
            lanes.add(x, &masks, centres);
        }
        for (chunk, masks) in chunks.iter().zip(mask_chunks) {
            lanes.add(chunk.map(Into::into), masks, centres);
        }
        lanes.total()
    }
}

/// Interleaved sums of both classes.
#[derive(Default)]
struct Lanes {
    sums: [[f64; LANES]; 2],
    squares: [[f64; LANES]; 2],
}

impl Lanes {
    /// Adds a value to every lane. Each loop does one operation on all lanes, the form in which compilers vectorise it.
    #[inline(always)]
    fn add(&mut self, x: [f64; LANES], masks: &[u64; LANES], centres: [f64; 2]) {
        let [mut zero, mut one] = [[0.0; LANES]; 2];
        for lane in 0..LANES {
            zero[lane] = f64::from_bits((x[lane] - centres[0]).to_bits() & !masks[lane]);
        }
        for lane in 0..LANES {
            one[lane] = f64::from_bits((x[lane] - centres[1]).to_bits() & masks[lane]);
        }
        for lane in 0..LANES {
            self.sums[0][lane] += zero[lane];
        }
        for lane in 0..LANES {
            self.sums[1][lane] += one[lane];
        }
        for lane in 0..LANES {
            self.squares[0][lane] += zero[lane] * zero[lane];
        }
        for lane in 0..LANES {
            self.squares[1][lane] += one[lane] * one[lane];
        }
    }

    /// The sums over the lanes, in order.
    #[inline(always)]
    fn total(&self) -> Deviations {
        let total = |lanes: [[f64; LANES]; 2]| lanes.map(|lanes| lanes.iter().sum());
        Deviations { sums: total(self.sums), squares: total(self.squares) }
    }
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
