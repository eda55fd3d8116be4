//! Sparse matrices by columns or by rows, wherever they lie in memory.

use std::ops::Range;

/// The entries of a sparse matrix, line after line, where lines are its columns or its rows; all other values are 0.
///
/// Those of line `i` are the ones from `starts[i]` to `starts[i + 1]`; each place occurs at most once in a line.
#[derive(Debug, Clone, Copy)]
pub struct SparseLines<'a> {
    /// Where the entries of each line begin; one more at the end.
    pub starts: &'a [usize],
    /// The place of each entry in its line: its row where lines are columns, its column where they are rows.
    pub places: &'a [u32],
    /// The values.
    pub values: &'a [f64],
}

/// [`SparseLines`] that own their entries.
#[derive(Debug, Clone, Default)]
pub struct OwnedSparseLines {
    /// Where the entries of each line begin; one more at the end.
    pub starts: Vec<usize>,
    /// The place of each entry in its line.
    pub places: Vec<u32>,
    /// The values.
    pub values: Vec<f64>,
}

impl<'a> SparseLines<'a> {
    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places and values of a line.
    pub fn line(&self, line: usize) -> (&'a [u32], &'a [f64]) {
        let stored = self.starts[line]..self.starts[line + 1];
        (&self.places[stored.clone()], &self.values[stored])
    }

    /// Columns for rows, or rows for columns; each line of the result has its places in ascending order. `lines` is how
    /// many it has. Cost: two passes over the entries.
    pub fn transposed(&self, lines: usize) -> OwnedSparseLines {
        let mut starts = vec![0_usize; lines + 1];
        self.places.iter().for_each(|&place| starts[place as usize + 1] += 1);
        for line in 1..starts.len() {
            starts[line] += starts[line - 1];
        }
        let mut next = starts.clone();
        let (mut places, mut values) = (vec![0_u32; self.places.len()], vec![0.0; self.values.len()]);
        for line in 0..self.len() {
            let (from, entries) = self.line(line);
            for (&place, &value) in from.iter().zip(entries) {
                let at = &mut next[place as usize];
                (places[*at], values[*at]) = (line as u32, value);
                *at += 1;
            }
        }
        OwnedSparseLines { starts, places, values }
    }

    /// Writes neighbouring lines of `height` values one after the other into `out`: all places, or these in their order.
    pub fn fill(&self, lines: Range<usize>, height: usize, places: Option<&[u32]>, out: &mut [f64]) {
        let mut room = vec![0.0; if places.is_some() { height } else { 0 }];
        let taken = places.map_or(height, <[u32]>::len);
        for (line, out) in lines.zip(out.chunks_exact_mut(taken.max(1))) {
            let whole: &mut [f64] = if places.is_some() { &mut room } else { out };
            whole.fill(0.0);
            let (at, values) = self.line(line);
            at.iter().zip(values).for_each(|(&at, &x)| whole[at as usize] = x);
            if let Some(places) = places {
                out.iter_mut().zip(places).for_each(|(o, &place)| *o = room[place as usize]);
            }
        }
    }
}

impl OwnedSparseLines {
    /// The entries, to be read.
    pub fn lines(&self) -> SparseLines<'_> {
        SparseLines { starts: &self.starts, places: &self.places, values: &self.values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_rows_of_one_matrix_are_each_others_transposes() {
        let rows = OwnedSparseLines {
            starts: vec![0, 2, 2, 5],
            places: vec![3, 1, 0, 1, 3],
            values: vec![7.0, 2.0, 4.0, 5.0, 6.0],
        };
        let columns = rows.lines().transposed(4);
        assert_eq!(
            (columns.starts.as_slice(), columns.places.as_slice()),
            (&[0, 1, 3, 3, 5][..], &[2, 0, 2, 0, 2][..])
        );
        let mut dense = vec![1.0; 12];
        columns.lines().fill(0..4, 3, None, &mut dense);
        assert_eq!(dense, [0.0, 0.0, 4.0, 2.0, 0.0, 5.0, 0.0, 0.0, 0.0, 7.0, 0.0, 6.0]);
        let mut some = vec![1.0; 4];
        columns.lines().fill(2..4, 3, Some(&[2, 0]), &mut some);
        assert_eq!(some, [0.0, 0.0, 6.0, 7.0]);
        let back = columns.lines().transposed(3);
        assert_eq!((back.starts, back.values), (rows.starts, vec![2.0, 7.0, 4.0, 5.0, 6.0]));
    }
}
