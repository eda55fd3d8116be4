//! Moments of two classes of a matrix that is stored by rows, to the same bits as of its columns one by one.
//!
//! The samples of one lane and one class are added in the order in which a column's kernel adds them; neighbouring columns
//! are added side by side, so that rows are read as they lie and nothing is transposed.

use super::moments::Moments;
use super::two_class_moments::{ClassMasks, Deviations, LANES, TwoClasses};
use crate::numeric::linalg::{WideWork, run_wide};

/// Rows added at a time, so that the sums are loaded and stored once for all of them.
const TOGETHER: usize = 8;

/// The samples of two classes by lane.
#[derive(Debug)]
pub(super) struct TwoClassRows<'a> {
    two: &'a TwoClasses,
    /// For every block and lane, the samples of class 0 and of class 1 in the order in which they are added.
    lanes: Vec<[[Vec<u32>; 2]; LANES]>,
}

/// Memory a thread keeps from tile to tile: sums of neighbouring columns.
#[derive(Debug, Default)]
pub(super) struct Tile {
    /// Of one lane and class.
    lane: [Vec<f64>; 2],
    /// Of all lanes: sums and squares of each class.
    total: [[Vec<f64>; 2]; 2],
}

impl<'a> TwoClassRows<'a> {
    pub(super) fn new(two: &'a TwoClasses) -> TwoClassRows<'a> {
        TwoClassRows { two, lanes: two.blocks().iter().map(by_lane).collect() }
    }

    /// The moments of both classes of `width` neighbouring columns, as [`TwoClasses::moments`] has them. `row` is the part
    /// of a row of the table within these columns.
    pub(super) fn moments<'r, T>(
        &self,
        width: usize,
        row: impl Fn(usize) -> &'r [T],
        tile: &mut Tile,
    ) -> Vec<[Moments; 2]>
    where
        T: Copy + Into<f64> + 'r,
    {
        let mut moments = vec![[Moments::default(); 2]; width];
        let mut from = 0;
        for (block, lanes) in self.two.blocks().iter().zip(&self.lanes) {
            let at = |sample: usize| self.two.rows().map_or(sample, |rows| rows[sample] as usize);
            let rows: Vec<&[T]> = (from..from + block.len()).map(|sample| row(at(sample))).collect();
            run_wide(SumTile { tile, rows: &rows, lanes, firsts: block.firsts(), width });
            for (column, [zero, one]) in moments.iter_mut().enumerate() {
                let [c, d] = tile.moments(block, &rows, column);
                (*zero, *one) = (zero.merge(c), one.merge(d));
            }
            from += block.len();
        }
        moments
    }
}

/// The samples of each lane and class: those past the last whole chunk come first.
fn by_lane(block: &ClassMasks) -> [[Vec<u32>; 2]; LANES] {
    let whole = block.len() - block.len() % LANES;
    let mut lanes: [[Vec<u32>; 2]; LANES] = Default::default();
    for sample in (whole..block.len()).chain(0..whole) {
        lanes[sample % LANES][block.class(sample)].push(sample as u32);
    }
    lanes
}

/// Sums the deviations of all samples of a block from the first of their class.
struct SumTile<'a, T> {
    tile: &'a mut Tile,
    rows: &'a [&'a [T]],
    lanes: &'a [[Vec<u32>; 2]; LANES],
    firsts: [usize; 2],
    width: usize,
}

impl<T: Copy + Into<f64>> WideWork for SumTile<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let SumTile { tile, rows, lanes, firsts, width } = self;
        let zeros = |values: &mut Vec<f64>| {
            values.clear();
            values.resize(width, 0.0);
        };
        tile.total.iter_mut().flatten().for_each(zeros);
        for classes in lanes {
            for (class, samples) in classes.iter().enumerate() {
                tile.lane.iter_mut().for_each(zeros);
                let [sums, squares] = &mut tile.lane;
                let pivots = rows[firsts[class]];
                let (together, rest) = samples.as_chunks::<TOGETHER>();
                for some in together {
                    add(some.map(|sample| rows[sample as usize]), pivots, sums, squares);
                }
                for &sample in rest {
                    add([rows[sample as usize]], pivots, sums, squares);
                }
                for (total, lane) in tile.total[class].iter_mut().zip(&tile.lane) {
                    total.iter_mut().zip(lane).for_each(|(total, lane)| *total += lane);
                }
            }
        }
    }
}

impl Tile {
    /// The moments of a column of the block whose deviations were summed.
    fn moments<T: Copy + Into<f64>>(&self, block: &ClassMasks, rows: &[&[T]], column: usize) -> [Moments; 2] {
        let pivots = block.firsts().map(|first| rows[first][column].into());
        let [zero, one] = &self.total;
        let deviations =
            Deviations { sums: [zero[0][column], one[0][column]], squares: [zero[1][column], one[1][column]] };
        if let [Some(zero), Some(one)] = block.near(pivots, &deviations) {
            return [zero, one];
        }
        let values: Vec<f64> = rows.iter().map(|row| row[column].into()).collect();
        block.moments(&values)
    }
}

/// Adds rows' deviations from the pivots, and their squares, to the sums of neighbouring columns.
#[inline(always)]
fn add<T: Copy + Into<f64>, const N: usize>(rows: [&[T]; N], pivots: &[T], sums: &mut [f64], squares: &mut [f64]) {
    let width = sums.len();
    let (rows, pivots, squares) = (rows.map(|row| &row[..width]), &pivots[..width], &mut squares[..width]);
    for column in 0..width {
        let pivot: f64 = pivots[column].into();
        let (mut sum, mut square) = (sums[column], squares[column]);
        for row in rows {
            let d = row[column].into() - pivot;
            sum += d;
            square += d * d;
        }
        (sums[column], squares[column]) = (sum, square);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of moments; every NaN is the same.
    fn bits(moments: [Moments; 2]) -> [[u64; 4]; 2] {
        let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
        moments.map(|m| [m.count, m.mean, m.rest, m.m2].map(bits))
    }

    #[test]
    fn rows_give_the_bits_of_columns() {
        for n in [1, 2, 7, 9, 130, 2048, 2051, 4103] {
            let width = 37;
            let value = |row: usize, column: usize| match (row, column) {
                (0 | 1, 3) => 1e9,
                (5, 4) => f64::NAN,
                (6, 5) => f64::INFINITY,
                (_, 6) => 0.1,
                (_, 7) => 1e200 * (row as f64).sin(),
                _ => ((row * 37 + column * column) as f64 * 0.61).sin() + column as f64,
            };
            let doubles: Vec<f64> = (0..n * width).map(|i| value(i / width, i % width)).collect();
            let singles: Vec<f32> = doubles.iter().map(|&x| x as f32).collect();
            let codes: Vec<u32> = (0..n as u32).map(|row| row * 7 % 3 % 2).collect();
            let all: Vec<u32> = (0..n as u32).collect();
            let some: Vec<u32> = (0..n as u32).filter(|row| row % 5 != 3).rev().collect();
            for rows in [all, some] {
                let two = TwoClasses::new(&rows, &codes);
                let by_row = TwoClassRows::new(&two);
                let mut tile = Tile::default();
                let double = by_row.moments(width, |row| &doubles[row * width..][..width], &mut tile);
                let single = by_row.moments(width, |row| &singles[row * width..][..width], &mut tile);
                for column in 0..width {
                    let own: Vec<f64> = (0..n).map(|row| doubles[row * width + column]).collect();
                    let narrow: Vec<f32> = own.iter().map(|&x| x as f32).collect();
                    let wide: Vec<f64> = narrow.iter().map(|&x| f64::from(x)).collect();
                    let room = &mut vec![];
                    assert_eq!(bits(double[column]), bits(two.moments(&own, room)), "{n} rows, column {column}");
                    let wanted = bits(two.moments(&wide, room));
                    assert_eq!(bits(two.moments(&narrow, room)), wanted, "{n} rows, column {column}");
                    assert_eq!(bits(single[column]), wanted, "{n} rows, column {column}");
                }
            }
        }
    }
}
