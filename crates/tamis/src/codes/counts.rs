//! Sums over contingency tables: the hot loop of all mutual-information filters.
//!
//! All of it rests on c ln c: with counts c of the cells (x, s, y) of a candidate X, a chosen feature S and the
//! target, joint = Σ c_xsy ln c_xsy and margin = Σ c_xs ln c_xs are everything a criterion needs of the pair. A table
//! of c ln c spares the logarithms, and the row's part of a cell's index, (s·classes + y)·levels, is made once for all
//! candidates. Where it fits 16 bits a table of 2¹⁶ cells needs no check of its bounds.

/// Cells whose index fits 16 bits.
pub(crate) const NARROW: usize = 1 << 16;

/// Candidates counted at once: their tables differ, so no addition waits for the one before it.
const TOGETHER: usize = 4;

/// Σ c ln c over the cells of a pair's table, with and without the target.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct EntropySums {
    pub(crate) joint: f64,
    pub(crate) margin: f64,
}

/// c ln c for whole c up to a largest.
#[derive(Debug, Clone)]
pub(crate) struct XLnX(Vec<f64>);

impl XLnX {
    pub(crate) fn up_to(most: usize) -> XLnX {
        XLnX((0..=most.max(NARROW - 1)).map(|c| if c <= most { x_ln_x(c as f64) } else { 0.0 }).collect())
    }

    pub(crate) fn of(&self, c: usize) -> f64 {
        self.0[c]
    }

    /// For counts of 16 bits, which need no check.
    pub(crate) fn narrow(&self) -> &[f64; NARROW] {
        // it has at least so many entries
        self.0.first_chunk().unwrap_or(&[0.0; NARROW])
    }
}

pub(crate) fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// How often each row counts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RowCounts<'a> {
    Once,
    Whole(&'a [u32]),
    Real(&'a [f64]),
}

/// The level of a chosen feature and the class of every row, before candidates are counted.
#[derive(Debug, Clone)]
pub(crate) struct CellIndex {
    /// (s·classes + y)·stride of every row.
    rows: Vec<u32>,
    /// The cells in 16 bits, if they fit together with any code.
    narrow: Option<Vec<u16>>,
    groups: usize,
    classes: usize,
    stride: usize,
}

impl CellIndex {
    /// `chosen` is the column of codes below `groups` that the candidates are paired with, `target` the classes; either
    /// may be left out. Candidates have codes below `stride`.
    pub(crate) fn new(
        rows: usize,
        chosen: Option<(&[u8], usize)>,
        target: Option<(&[u8], usize)>,
        stride: usize,
    ) -> CellIndex {
        let groups = chosen.map_or(1, |(_, groups)| groups);
        let classes = target.map_or(1, |(_, classes)| classes);
        let cell = |row: usize| {
            let s = chosen.map_or(0, |(codes, _)| usize::from(codes[row]));
            let y = target.map_or(0, |(codes, _)| usize::from(codes[row]));
            ((s * classes + y) * stride) as u32
        };
        let all: Vec<u32> = (0..rows).map(cell).collect();
        let fits = groups * classes * stride <= NARROW;
        let narrow = fits.then(|| all.iter().map(|c| *c as u16).collect());
        CellIndex { rows: if fits { vec![] } else { all }, narrow, groups, classes, stride }
    }

    /// The rows' part of a cell's index, where it fits 16 bits.
    pub(crate) fn narrow(&self) -> Option<&[u16]> {
        self.narrow.as_deref()
    }

    /// (levels of the chosen feature, classes, levels of a candidate).
    pub(crate) fn shape(&self) -> (usize, usize, usize) {
        (self.groups, self.classes, self.stride)
    }

    /// Whether most cells are empty whatever the candidate is.
    fn sparse(&self) -> bool {
        let rows = self.narrow.as_ref().map_or(self.rows.len(), Vec::len);
        self.cells() > 6 * rows
    }

    fn cells(&self) -> usize {
        self.groups * self.classes * self.stride
    }
}

/// Memory a thread keeps from candidate to candidate.
pub(crate) struct CountScratch {
    tables: Vec<Box<[u32; NARROW]>>,
    wide: Vec<u32>,
    real: Vec<f64>,
}

impl CountScratch {
    pub(crate) fn new() -> CountScratch {
        let tables = (0..TOGETHER).map(|_| bytemuck::allocation::zeroed_box()).collect();
        CountScratch { tables, wide: vec![], real: vec![] }
    }
}

/// The sums of some candidates, in order.
pub(crate) fn sums(
    context: &CellIndex,
    columns: &[&[u8]],
    weights: RowCounts<'_>,
    ln: &XLnX,
    scratch: &mut CountScratch,
) -> Vec<EntropySums> {
    match (weights, context.narrow()) {
        (RowCounts::Real(weights), _) => {
            columns.iter().map(|x| real_sums(context, x, weights, &mut scratch.real)).collect()
        }
        (_, None) => columns.iter().map(|x| sparse_sums(context, x, weights, ln, &mut scratch.wide)).collect(),
        _ if context.sparse() => {
            columns.iter().map(|x| sparse_sums(context, x, weights, ln, &mut scratch.wide)).collect()
        }
        (_, Some(cells)) => {
            let mut out = Vec::with_capacity(columns.len());
            for together in columns.chunks(TOGETHER) {
                match (together, weights) {
                    ([a, b, c, d], RowCounts::Whole(w)) => count4(cells, [a, b, c, d], w.iter().copied(), scratch),
                    ([a, b, c, d], _) => count4(cells, [a, b, c, d], std::iter::repeat(1), scratch),
                    (some, RowCounts::Whole(w)) => {
                        some.iter().zip(&mut scratch.tables).for_each(|(x, t)| count(cells, x, w.iter().copied(), t));
                    }
                    (some, _) => {
                        some.iter()
                            .zip(&mut scratch.tables)
                            .for_each(|(x, t)| count(cells, x, std::iter::repeat(1), t));
                    }
                }
                let tables = scratch.tables.iter_mut().take(together.len());
                out.extend(tables.map(|table| narrow_sums(context, table, ln)));
            }
            out
        }
    }
}

/// Adds the weight of every row to the cell it falls in.
fn count(cells: &[u16], x: &[u8], weights: impl Iterator<Item = u32>, table: &mut [u32; NARROW]) {
    for ((cell, x), w) in cells.iter().zip(x).zip(weights) {
        table[usize::from(cell.wrapping_add(u16::from(*x)))] += w;
    }
}

/// Adds the weight of every row to its cells, for four candidates at once.
fn count4(cells: &[u16], x: [&[u8]; TOGETHER], weights: impl Iterator<Item = u32>, scratch: &mut CountScratch) {
    let [ta, tb, tc, td] = &mut scratch.tables[..] else { return };
    let [a, b, c, d] = x;
    for (((((cell, a), b), c), d), w) in cells.iter().zip(a).zip(b).zip(c).zip(d).zip(weights) {
        ta[usize::from(cell.wrapping_add(u16::from(*a)))] += w;
        tb[usize::from(cell.wrapping_add(u16::from(*b)))] += w;
        tc[usize::from(cell.wrapping_add(u16::from(*c)))] += w;
        td[usize::from(cell.wrapping_add(u16::from(*d)))] += w;
    }
}

/// The sums of a table, which is emptied.
fn narrow_sums(context: &CellIndex, table: &mut [u32; NARROW], ln: &XLnX) -> EntropySums {
    let (stride, classes) = (context.stride, context.classes);
    // one partial sum per level: neighbours do not wait for each other
    let (mut joint, mut margin) = ([0.0; 256], [0.0; 256]);
    let (joint, margin) = (&mut joint[..stride], &mut margin[..stride]);
    for group in table[..context.cells()].chunks_exact_mut(classes * stride) {
        if classes == 2 {
            let (zeros, ones) = group.split_at_mut(stride);
            for (((a, b), j), m) in zeros.iter_mut().zip(ones).zip(&mut *joint).zip(&mut *margin) {
                let (ca, cb) = (*a as usize, *b as usize);
                *j += ln.of(ca) + ln.of(cb);
                *m += ln.of(ca + cb);
                (*a, *b) = (0, 0);
            }
        } else {
            for level in 0..stride {
                let mut sum = 0;
                for cell in group[level..].iter_mut().step_by(stride) {
                    joint[level] += ln.of(*cell as usize);
                    sum += *cell as usize;
                    *cell = 0;
                }
                margin[level] += ln.of(sum);
            }
        }
    }
    EntropySums { joint: joint.iter().sum(), margin: margin.iter().sum() }
}

/// For tables with many more cells than there are rows: the rows lead to those that are not empty. `table` is empty
/// before and after.
fn sparse_sums(context: &CellIndex, x: &[u8], weights: RowCounts<'_>, ln: &XLnX, table: &mut Vec<u32>) -> EntropySums {
    let (stride, classes) = (context.stride, context.classes);
    let size = context.cells() + context.groups * stride;
    if table.len() < size {
        table.resize(size, 0);
    }
    let (joint, margin) = table.split_at_mut(context.cells());
    let cells = |row: usize| {
        let cell = context.narrow.as_ref().map_or_else(|| context.rows[row] as usize, |cells| usize::from(cells[row]));
        (cell + usize::from(x[row]), cell / (classes * stride) * stride + usize::from(x[row]))
    };
    for row in 0..x.len() {
        let weight = match weights {
            RowCounts::Whole(w) => w[row],
            _ => 1,
        };
        let (cell, group) = cells(row);
        joint[cell] += weight;
        margin[group] += weight;
    }
    let mut sums = EntropySums::default();
    for row in 0..x.len() {
        let (cell, group) = cells(row);
        sums.joint += ln.of(std::mem::take(&mut joint[cell]) as usize);
        sums.margin += ln.of(std::mem::take(&mut margin[group]) as usize);
    }
    sums
}

/// Sums over the contingency table of one candidate with weights that are not whole numbers.
fn real_sums(context: &CellIndex, x: &[u8], weights: &[f64], table: &mut Vec<f64>) -> EntropySums {
    let (stride, classes) = (context.stride, context.classes);
    table.clear();
    table.resize(context.cells(), 0.0);
    match context.narrow() {
        Some(cells) => {
            for ((cell, x), w) in cells.iter().zip(x).zip(weights) {
                table[usize::from(*cell) + usize::from(*x)] += w;
            }
        }
        None => {
            for ((cell, x), w) in context.rows.iter().zip(x).zip(weights) {
                table[*cell as usize + usize::from(*x)] += w;
            }
        }
    }
    let mut sums = EntropySums::default();
    for group in table.chunks_exact(classes * stride) {
        for level in 0..stride {
            let cells = group[level..].iter().step_by(stride);
            sums.joint += cells.clone().map(|c| x_ln_x(*c)).sum::<f64>();
            sums.margin += x_ln_x(cells.sum());
        }
    }
    sums
}
