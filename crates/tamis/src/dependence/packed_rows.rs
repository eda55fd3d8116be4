//! Sets of rows as bits, eight sets side by side, and how many rows each shares with another set.

use crate::numeric::linalg::vectorised;

/// Sets that are counted at once.
pub(super) const LANES: usize = 8;

/// One word of each of eight sets.
type Lanes = [u64; LANES];

/// Sets of rows, one bit a row. The words of eight sets alternate, so that a loop over them vectorises.
pub(super) struct PackedRows {
    words: usize,
    lanes: Vec<Lanes>,
}

/// Words that hold the bits of so many rows.
pub(super) fn words(rows: usize) -> usize {
    rows.div_ceil(64)
}

/// Adds a row to a set that stands by itself.
pub(super) fn insert(set: &mut [u64], row: usize) {
    set[row / 64] |= 1 << (row % 64);
}

impl PackedRows {
    /// So many empty sets.
    pub(super) fn new(rows: usize, sets: usize) -> PackedRows {
        let words = words(rows);
        PackedRows { words, lanes: vec![[0; LANES]; words * sets.div_ceil(LANES)] }
    }

    /// Adds a row to a set.
    pub(super) fn insert(&mut self, set: usize, row: usize) {
        self.lanes[set / LANES * self.words + row / 64][set % LANES] |= 1 << (row % 64);
    }

    /// Replaces a set.
    pub(super) fn fill(&mut self, set: usize, words: &[u64]) {
        for (lanes, word) in self.lanes[set / LANES * self.words..].iter_mut().zip(words) {
            lanes[set % LANES] = *word;
        }
    }

    /// The words of a set, each of them with the same word of `mask`.
    pub(super) fn masked(&self, set: usize, mask: &[u64], out: &mut [u64]) {
        let lanes = &self.lanes[set / LANES * self.words..];
        for ((out, lanes), mask) in out.iter_mut().zip(lanes).zip(mask) {
            *out = lanes[set % LANES] & mask;
        }
    }

    /// How many sets there is room for: a multiple of eight.
    pub(super) fn capacity(&self) -> usize {
        self.lanes.len().checked_div(self.words).unwrap_or(0) * LANES
    }

    /// How many rows each set shares with `mask`, from set `first`, a multiple of eight, on; `counts` has a place for each
    /// set looked at.
    ///
    /// Cost: rows/64 operations a set and a fourth of the population counts, by carry-save adders (Harley & Seal).
    #[inline(always)]
    pub(super) fn count(&self, mask: &[u64], first: usize, counts: &mut [u32]) {
        let blocks = self.lanes[first / LANES * self.words..].chunks_exact(self.words.max(1));
        for (block, counts) in blocks.zip(counts.chunks_exact_mut(LANES)) {
            let sums = block_counts(mask, block);
            counts.iter_mut().zip(sums).for_each(|(count, sum)| *count = sum as u32);
        }
    }

    /// [`PackedRows::count`] over all sets, compiled for the widest registers of this machine.
    pub(super) fn count_all(&self, mask: &[u64], counts: &mut [u32]) {
        vectorised(|| self.count(mask, 0, counts));
    }
}

#[inline(always)]
fn block_counts(mask: &[u64], block: &[Lanes]) -> Lanes {
    let (mut ones, mut twos, mut fours, mut sums) = ([0; LANES], [0; LANES], [0; LANES], [0; LANES]);
    let (masks, rest) = mask.as_chunks::<4>();
    let (blocks, last) = block.as_chunks::<4>();
    for (m, b) in masks.iter().zip(blocks) {
        let (sum, carry) = add(ones, shared(m[0], &b[0]), shared(m[1], &b[1]));
        let (sum, other_carry) = add(sum, shared(m[2], &b[2]), shared(m[3], &b[3]));
        ones = sum;
        let (sum, four) = add(twos, carry, other_carry);
        twos = sum;
        fours = plus_ones(fours, four);
    }
    for (m, b) in rest.iter().zip(last) {
        sums = plus_ones(sums, shared(*m, b));
    }
    let (ones, twos) = (plus_ones(sums, ones), plus_ones([0; LANES], twos));
    std::array::from_fn(|lane| ones[lane] + 2 * twos[lane] + 4 * fours[lane])
}

#[inline(always)]
fn shared(mask: u64, lanes: &Lanes) -> Lanes {
    std::array::from_fn(|lane| mask & lanes[lane])
}

#[inline(always)]
fn plus_ones(sums: Lanes, bits: Lanes) -> Lanes {
    std::array::from_fn(|lane| sums[lane] + u64::from(bits[lane].count_ones()))
}

/// The sum of three bits in every place: its lower and its upper bit.
#[inline(always)]
fn add(a: Lanes, b: Lanes, c: Lanes) -> (Lanes, Lanes) {
    let half: Lanes = std::array::from_fn(|lane| a[lane] ^ b[lane]);
    (
        std::array::from_fn(|lane| half[lane] ^ c[lane]),
        std::array::from_fn(|lane| (a[lane] & b[lane]) | (half[lane] & c[lane])),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    #[test]
    fn counts_are_those_of_rows_one_by_one() {
        for rows in [1, 63, 64, 65, 200, 256, 700] {
            let mut rng = random::stream(rows as u64, 0);
            let sets: Vec<Vec<bool>> = (0..19).map(|_| (0..rows).map(|_| rng.random::<bool>()).collect()).collect();
            let mut packed = PackedRows::new(rows, sets.len());
            let mut mask = vec![0; words(rows)];
            for row in 0..rows {
                (0..sets.len()).filter(|&set| sets[set][row]).for_each(|set| packed.insert(set, row));
                if sets[3][row] {
                    insert(&mut mask, row);
                }
            }
            let mut counts = vec![0; packed.capacity()];
            packed.count_all(&mask, &mut counts);
            let shared = |set: &Vec<bool>| set.iter().zip(&sets[3]).filter(|(a, b)| **a && **b).count() as u32;
            assert_eq!(counts[..sets.len()], sets.iter().map(shared).collect::<Vec<_>>());
            let mut late = vec![0; LANES];
            packed.count(&mask, LANES, &mut late);
            assert_eq!(late, counts[LANES..2 * LANES]);
        }
    }
}
