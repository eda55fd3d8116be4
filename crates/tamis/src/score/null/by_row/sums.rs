//! Sums of a table over its rows, with null targets that each row draws by itself.
//!
//! All sums are of whole numbers: the same bits whatever the order and the pieces in which rows come. Of every feature there
//! are its own moments in each class, its products with covariates, and its products with every null target, which are of
//! its two highest [digits](super::digits).
//!
//! Cost: 2·rows·features·null targets·(classes − 1) flops in one product of matrices, twice that with weights or a numeric
//! target; 16 bytes for every feature, null target and class but one.

use super::context_sums::{ContextDigits, ContextSums};
use super::digits::{Digits, ROWS, nearest, top_of, whole};
use super::draws::Draws;
use super::exact::Exact;
use super::plan::Plan;
use super::repeated_rows::RepeatedRows;
use super::row_key::ColumnKey;
use crate::numeric::linalg::Matrix;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Two digits share a double: the higher is this many bits up.
const APART: f64 = 134_217_728.0; // 2^27
/// A column with fewer than one in so many numbers that are not 0 is sparse.
const SPARSE: usize = 8;
/// Features of a product at most.
const TILE: usize = 256;

/// Sums over the rows so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowSums {
    pub(crate) plan: Arc<Plan>,
    /// By group of rows: classes, or all in one.
    pub(crate) groups: Vec<ContextSums>,
    /// Of null targets in each group.
    pub(crate) nulls: Vec<Vec<i64>>,
    /// Of squared null numbers; none for classes.
    pub(crate) squares: Vec<i64>,
    /// Of null targets with covariates and a numeric target.
    pub(crate) context: Vec<NullProducts>,
    pub(crate) features: Vec<FeatureSums>,
    pub(crate) repeated: RepeatedRows,
}

/// The sums of a feature.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum FeatureSums {
    /// All values are missing so far.
    #[default]
    Nothing,
    Numbers(Box<NumberSums>),
    /// By category.
    Categories(BTreeMap<String, SomeRows>),
}

/// The sums of a feature of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberSums {
    /// Rows that have the feature.
    pub(crate) known: u64,
    pub(crate) groups: Vec<GroupSums>,
    pub(crate) products: NullProducts,
    /// Rows that lack the feature.
    pub(crate) lost: Option<SomeRows>,
}

/// The sums of a feature in one group of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupSums {
    pub(crate) sum: Exact,
    pub(crate) squares: Exact,
    /// Products with covariates and a numeric target.
    pub(crate) cross: Vec<Exact>,
}

/// Some of the rows: sums of what they have, and of their null targets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SomeRows {
    pub(crate) groups: Vec<ContextSums>,
    pub(crate) nulls: Vec<i64>,
}

/// Sums of null targets times the two highest digits of a column.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct NullProducts {
    /// The place of the highest digit.
    pub(crate) top: Option<i32>,
    pub(crate) high: Vec<i64>,
    pub(crate) low: Vec<i64>,
}

/// The values of a feature in some rows.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    Numbers(&'a [f64]),
    Categories { labels: &'a [String], codes: &'a [u32] },
}

/// Some rows, in any order; those of a class side by side are summed faster.
pub(crate) struct Rows<'a> {
    /// The class of every row; 0 where the target is numeric.
    pub(crate) classes: &'a [u32],
    pub(crate) weights: Option<&'a [f64]>,
    /// Columns of covariates, then a numeric target.
    pub(crate) context: &'a [Vec<f64>],
    /// The [key](super::row_key) of every row.
    pub(crate) keys: &'a [u64],
    pub(crate) features: &'a [Values<'a>],
}

/// Rows of one product.
struct Block<'a> {
    rows: Range<usize>,
    /// Neighbouring rows of the same group.
    spans: Vec<(usize, Range<usize>)>,
    all: &'a Rows<'a>,
    weights: &'a [f64],
    context: ContextDigits,
    nulls: Matrix,
    packed: bool,
}

impl NullProducts {
    fn none(length: usize) -> NullProducts {
        NullProducts { top: None, high: vec![0; length], low: vec![0; length] }
    }

    /// Moves the digits so that the highest is at least `top`; how far below it the sums to be added are.
    fn reach(&mut self, top: i32) -> i32 {
        let own = *self.top.get_or_insert(top);
        if top > own {
            if top == own + 1 {
                std::mem::swap(&mut self.low, &mut self.high);
            } else {
                self.low.fill(0);
            }
            self.high.fill(0);
            self.top = Some(top);
        }
        own.max(top) - top
    }

    /// Adds sums of digits whose highest is at `top`.
    fn add(&mut self, top: i32, each: impl Iterator<Item = (i64, i64)>) {
        let below = self.reach(top);
        match below {
            0 => {
                for ((high, low), (h, l)) in self.high.iter_mut().zip(&mut self.low).zip(each) {
                    *high += h;
                    *low += l;
                }
            }
            1 => self.low.iter_mut().zip(each).for_each(|(low, (h, _))| *low += h),
            _ => {}
        }
    }

    pub(crate) fn merge(&mut self, other: &NullProducts) {
        if let Some(top) = other.top {
            self.add(top, other.high.iter().copied().zip(other.low.iter().copied()));
        }
    }
}

impl SomeRows {
    fn none(plan: &Plan) -> SomeRows {
        SomeRows {
            groups: vec![ContextSums::none(plan.n_context()); plan.n_groups()],
            nulls: vec![0; plan.count * plan.width()],
        }
    }

    pub(crate) fn merge(&mut self, other: &SomeRows) {
        self.groups.iter_mut().zip(&other.groups).for_each(|(a, b)| a.merge(b));
        self.nulls.iter_mut().zip(&other.nulls).for_each(|(a, b)| *a += b);
    }
}

impl NumberSums {
    fn none(plan: &Plan) -> NumberSums {
        let none = GroupSums {
            sum: Exact::default(),
            squares: Exact::default(),
            cross: vec![Exact::default(); plan.n_context()],
        };
        NumberSums {
            known: 0,
            groups: vec![none; plan.n_groups()],
            products: NullProducts::none(plan.count * plan.width()),
            lost: None,
        }
    }

    fn merge(&mut self, other: &NumberSums) {
        self.known += other.known;
        for (ours, theirs) in self.groups.iter_mut().zip(&other.groups) {
            ours.sum.merge(&theirs.sum);
            ours.squares.merge(&theirs.squares);
            ours.cross.iter_mut().zip(&theirs.cross).for_each(|(a, b)| a.merge(b));
        }
        self.products.merge(&other.products);
        match (&mut self.lost, &other.lost) {
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            (ours @ None, Some(theirs)) => *ours = Some(theirs.clone()),
            _ => {}
        }
    }
}

/// A feature whose values are numbers in some rows and text in others.
pub(crate) struct Mixed {
    pub(crate) feature: usize,
    /// One of the texts.
    pub(crate) text: String,
}

impl Mixed {
    fn of(feature: usize, all: &BTreeMap<String, SomeRows>) -> Mixed {
        Mixed { feature, text: all.keys().next().cloned().unwrap_or_default() }
    }
}

impl RowSums {
    pub(crate) fn new(plan: &Arc<Plan>) -> RowSums {
        let length = plan.count * plan.width();
        RowSums {
            groups: vec![ContextSums::none(plan.n_context()); plan.n_groups()],
            nulls: vec![vec![0; length]; plan.n_groups()],
            squares: if plan.n_classes().is_none() { vec![0; length] } else { vec![] },
            context: vec![NullProducts::none(length); plan.n_context()],
            features: vec![FeatureSums::default(); plan.names.len()],
            repeated: RepeatedRows::default(),
            plan: Arc::clone(plan),
        }
    }

    /// Nothing at all, to be filled in.
    pub(crate) fn new_empty(plan: Arc<Plan>) -> RowSums {
        RowSums {
            plan,
            groups: vec![],
            nulls: vec![],
            squares: vec![],
            context: vec![],
            features: vec![],
            repeated: RepeatedRows::default(),
        }
    }

    /// How many rows there are.
    pub(crate) fn n_rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Text in a feature of numbers.
    pub(crate) fn add(&mut self, rows: &Rows) -> Result<(), Mixed> {
        self.repeated.add(rows.keys);
        let draws = Draws::new(&self.plan);
        let ones = vec![1.0; if rows.weights.is_none() { rows.classes.len() } else { 0 }];
        let weights = rows.weights.unwrap_or(&ones);
        for from in (0..rows.classes.len()).step_by(ROWS) {
            self.add_block(rows, from..(from + ROWS).min(rows.classes.len()), weights, &draws)?;
        }
        Ok(())
    }

    fn add_block(&mut self, all: &Rows, rows: Range<usize>, weights: &[f64], draws: &Draws) -> Result<(), Mixed> {
        let classes = &all.classes[rows.clone()];
        let own_weights = all.weights.map(|weights| &weights[rows.clone()]);
        let keys = &all.keys[rows.clone()];
        let columns: Vec<&[f64]> = all.context.iter().map(|x| &x[rows.clone()]).collect();
        let nulls = draws.of(keys, classes, own_weights);
        let mut start = 0;
        let spans = classes
            .chunk_by(|a, b| a == b)
            .map(|run| {
                start += run.len();
                (run[0] as usize, start - run.len()..start)
            })
            .collect();
        let context = ContextDigits::of(&weights[rows.clone()], &columns);
        let block = Block { spans, all, weights: &weights[rows.clone()], context, nulls, packed: draws.bits(), rows };
        for (group, span) in &block.spans {
            self.groups[*group].add(&block.context, span.clone());
            add_rows_of(&block.nulls, span.clone(), &mut self.nulls[*group]);
        }
        if !self.squares.is_empty() {
            let squares = draws.squares(keys, classes, own_weights);
            add_rows_of(&squares, 0..squares.n_columns(), &mut self.squares);
        }
        let wanted: Vec<Values> = columns.iter().map(|x| Values::Numbers(x)).collect();
        let mut products: Vec<&mut NullProducts> = self.context.iter_mut().collect();
        block.add_products(&wanted, &mut products);
        let features = all.features.iter().map(|values| match values {
            Values::Numbers(x) => Values::Numbers(&x[block.rows.clone()]),
            Values::Categories { labels, codes } => Values::Categories { labels, codes: &codes[block.rows.clone()] },
        });
        let features: Vec<Values> = features.collect();
        let threads = rayon::current_num_threads();
        let tile = features.len().div_ceil(threads).clamp(1, TILE);
        let plan = &self.plan;
        let tiles = self.features.par_chunks_mut(tile).zip(features.par_chunks(tile)).enumerate();
        tiles.map(|(at, (sums, values))| block.add_tile(plan, sums, values, at * tile)).collect()
    }

    /// Adds the rows of others with the same plan.
    ///
    /// # Errors
    ///
    /// Text in a feature of numbers.
    pub(crate) fn merge(&mut self, other: &RowSums) -> Result<(), Mixed> {
        self.groups.iter_mut().zip(&other.groups).for_each(|(a, b)| a.merge(b));
        for (ours, theirs) in self.nulls.iter_mut().zip(&other.nulls) {
            ours.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
        self.squares.iter_mut().zip(&other.squares).for_each(|(a, b)| *a += b);
        self.context.iter_mut().zip(&other.context).for_each(|(a, b)| a.merge(b));
        self.repeated.merge(&other.repeated);
        let pairs = self.features.par_iter_mut().zip(&other.features).enumerate();
        pairs.map(|(at, (ours, theirs))| ours.merge(theirs, at)).collect()
    }
}

impl FeatureSums {
    /// Whether a row has a number.
    fn has_numbers(&self) -> bool {
        matches!(self, FeatureSums::Numbers(sums) if sums.known > 0)
    }

    fn merge(&mut self, other: &FeatureSums, feature: usize) -> Result<(), Mixed> {
        match (&mut *self, other) {
            (_, FeatureSums::Nothing) => {}
            (FeatureSums::Numbers(a), FeatureSums::Numbers(b)) => a.merge(b),
            (FeatureSums::Categories(a), FeatureSums::Categories(b)) => {
                for (text, theirs) in b {
                    match a.get_mut(text) {
                        Some(ours) => ours.merge(theirs),
                        None => drop(a.insert(text.clone(), theirs.clone())),
                    }
                }
            }
            // all missing: it may look like another sort of column
            (FeatureSums::Categories(_), FeatureSums::Numbers(b)) if b.known == 0 => {}
            (ours, theirs) if !ours.has_numbers() => *ours = theirs.clone(),
            (FeatureSums::Categories(all), _) => return Err(Mixed::of(feature, all)),
            (_, FeatureSums::Categories(all)) => return Err(Mixed::of(feature, all)),
            _ => {}
        }
        Ok(())
    }
}

/// Adds the columns of a span to sums.
fn add_rows_of(nulls: &Matrix, span: Range<usize>, sums: &mut [i64]) {
    for row in span {
        sums.iter_mut().zip(nulls.column(row)).for_each(|(sum, x)| *sum += whole(*x));
    }
}

/// Columns of a tile whose sums with null targets are taken, and the places of their highest digits.
struct TileColumns {
    tops: Vec<Option<i32>>,
    /// Both digits in one number, or the higher.
    first: Matrix,
    /// The lower digits, where they do not share a number.
    second: Option<Matrix>,
}

impl Block<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds the rows to features from number `start` on.
    fn add_tile(&self, plan: &Plan, sums: &mut [FeatureSums], values: &[Values], start: usize) -> Result<(), Mixed> {
        let mut masks: Vec<Vec<f64>> = vec![];
        let mut masked: Vec<(usize, Option<String>)> = vec![];
        let mut digits = Digits::default();
        for (at, (sums, values)) in sums.iter_mut().zip(values).enumerate() {
            match values {
                Values::Numbers(x) => {
                    let missing = x.iter().filter(|x| x.is_nan()).count();
                    if missing > 0 {
                        masks.push(x.iter().map(|x| f64::from(u8::from(x.is_nan()))).collect());
                        masked.push((at, None));
                    }
                    if let FeatureSums::Nothing = sums {
                        *sums = FeatureSums::Numbers(Box::new(NumberSums::none(plan)));
                    }
                    match sums {
                        FeatureSums::Numbers(sums) => {
                            sums.known += (x.len() - missing) as u64;
                            self.add_numbers(sums, x, &mut digits);
                        }
                        FeatureSums::Categories(_) if missing == x.len() => {}
                        FeatureSums::Categories(all) => return Err(Mixed::of(start + at, all)),
                        FeatureSums::Nothing => {}
                    }
                }
                Values::Categories { labels, codes } => {
                    if !sums.has_numbers() && !matches!(sums, FeatureSums::Categories(_)) {
                        *sums = FeatureSums::Categories(BTreeMap::new());
                    }
                    for (code, label) in labels.iter().enumerate() {
                        if !codes.contains(&(code as u32)) {
                            continue;
                        }
                        if sums.has_numbers() {
                            return Err(Mixed { feature: start + at, text: label.clone() });
                        }
                        masks.push(codes.iter().map(|c| f64::from(u8::from(*c == code as u32))).collect());
                        masked.push((at, Some(label.clone())));
                    }
                }
            }
        }
        let mut products: Vec<&mut NullProducts> = vec![];
        let mut places = vec![];
        for (at, sums) in sums.iter_mut().enumerate() {
            if let (FeatureSums::Numbers(sums), Values::Numbers(x)) = (sums, &values[at]) {
                products.push(&mut sums.products);
                places.push(Values::Numbers(x));
            }
        }
        self.add_products(&places, &mut products);
        self.add_masks(plan, sums, masks, masked);
        Ok(())
    }

    /// Adds the rows to a feature's own sums.
    fn add_numbers(&self, sums: &mut NumberSums, x: &[f64], digits: &mut Digits) {
        let weighted = self.all.weights.is_some();
        digits.set(x);
        let product = weighted.then(|| {
            let mut product = Digits::default();
            product.set(&x.iter().zip(self.weights).map(|(x, w)| x * w).collect::<Vec<f64>>());
            product
        });
        for (group, span) in &self.spans {
            let sums = &mut sums.groups[*group];
            match &product {
                None => {
                    sums.sum.add(digits, span.clone());
                    sums.squares.add_squares(digits, span.clone());
                }
                Some(product) => {
                    sums.sum.add(product, span.clone());
                    sums.squares.add_products(product, digits, span.clone());
                }
            }
            for (cross, column) in sums.cross.iter_mut().zip(&self.context.weighted) {
                cross.add_products(column, digits, span.clone());
            }
        }
    }

    /// Adds the products of columns with null targets.
    fn add_products(&self, columns: &[Values], sums: &mut [&mut NullProducts]) {
        let tile = self.tile(columns);
        let out = self.nulls_times(&tile.first);
        let second = tile.second.as_ref().map(|second| self.nulls_times(second));
        for (j, sums) in sums.iter_mut().enumerate() {
            let Some(top) = tile.tops[j] else { continue };
            match &second {
                None => sums.add(
                    top,
                    out.column(j).iter().map(|both| {
                        let high = nearest(both * (1.0 / APART));
                        (whole(high), whole(both - high * APART))
                    }),
                ),
                Some(low) => {
                    let pairs = out.column(j).iter().zip(low.column(j));
                    sums.add(top, pairs.map(|(high, low)| (whole(*high), whole(*low))));
                }
            }
        }
    }

    /// The product of null targets with columns. Columns of mostly zeros are multiplied one number at a time; whole numbers
    /// give the same bits.
    fn nulls_times(&self, columns: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(self.nulls.n_rows(), columns.n_columns());
        let few = |j: &usize| columns.column(*j).iter().filter(|x| **x != 0.0).count() * SPARSE < columns.n_rows();
        let (sparse, dense): (Vec<usize>, Vec<usize>) = (0..columns.n_columns()).partition(few);
        if sparse.is_empty() {
            self.nulls.product(columns, &mut out);
            return out;
        }
        let mut products = Matrix::zeros(self.nulls.n_rows(), dense.len());
        self.nulls.product(&columns.select_columns(&dense), &mut products);
        dense.iter().enumerate().for_each(|(at, &j)| out.column_mut(j).copy_from_slice(products.column(at)));
        for j in sparse {
            let sums = out.column_mut(j);
            for (row, x) in columns.column(j).iter().enumerate().filter(|(_, x)| **x != 0.0) {
                sums.iter_mut().zip(self.nulls.column(row)).for_each(|(sum, null)| *sum += x * null);
            }
        }
        out
    }

    /// The two highest digits of columns.
    fn tile(&self, columns: &[Values]) -> TileColumns {
        let mut tops = Vec::with_capacity(columns.len());
        let mut low = (!self.packed).then(|| Matrix::zeros(self.len(), columns.len()));
        let first = Matrix::from_columns(self.len(), columns.len(), |j, out| {
            let Values::Numbers(x) = &columns[j] else { return };
            let size = x.iter().fold(0.0_f64, |size, x| if x.abs() > size { x.abs() } else { size });
            let top = top_of(size);
            tops.push(top);
            let Some(top) = top else { return out.fill(0.0) };
            let (per_high, high_unit) = units(top);
            let (per_low, _) = units(top - 1);
            let digits = |x: f64| {
                let x = if x.is_nan() { 0.0 } else { x };
                let high = nearest(x * per_high);
                (high, nearest((x - high * high_unit) * per_low))
            };
            match &mut low {
                None => {
                    for (out, x) in out.iter_mut().zip(*x) {
                        let (high, low) = digits(*x);
                        *out = high * APART + low;
                    }
                }
                Some(second) => {
                    for ((out, second), x) in out.iter_mut().zip(second.column_mut(j)).zip(*x) {
                        (*out, *second) = digits(*x);
                    }
                }
            }
        });
        TileColumns { tops, first, second: low }
    }

    /// Adds rows that lack a feature, or have a category.
    fn add_masks(
        &self,
        plan: &Plan,
        sums: &mut [FeatureSums],
        masks: Vec<Vec<f64>>,
        masked: Vec<(usize, Option<String>)>,
    ) {
        if masks.is_empty() {
            return;
        }
        let matrix = Matrix::from_columns(self.len(), masks.len(), |j, out| out.copy_from_slice(&masks[j]));
        let out = self.nulls_times(&matrix);
        for (j, (at, label)) in masked.into_iter().enumerate() {
            let some = match (&mut sums[at], label) {
                (FeatureSums::Numbers(sums), None) => sums.lost.get_or_insert_with(|| SomeRows::none(plan)),
                (FeatureSums::Categories(all), Some(label)) => all.entry(label).or_insert_with(|| SomeRows::none(plan)),
                _ => continue,
            };
            some.nulls.iter_mut().zip(out.column(j)).for_each(|(sum, x)| *sum += whole(*x));
            self.add_context(some, &masks[j]);
        }
    }

    /// Adds the rows of a mask.
    fn add_context(&self, some: &mut SomeRows, mask: &[f64]) {
        let chosen: Vec<usize> = (0..mask.len()).filter(|&row| mask[row] > 0.0).collect();
        let weights: Vec<f64> = chosen.iter().map(|&row| self.weights[row]).collect();
        let columns: Vec<Vec<f64>> =
            self.all.context.iter().map(|x| chosen.iter().map(|&row| x[self.rows.start + row]).collect()).collect();
        let context = ContextDigits::of(&weights, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let classes: Vec<u32> = chosen.iter().map(|&row| self.all.classes[self.rows.start + row]).collect();
        let mut start = 0;
        for run in classes.chunk_by(|a, b| a == b) {
            some.groups[run[0] as usize].add(&context, start..start + run.len());
            start += run.len();
        }
    }
}

/// What a number is multiplied by to count in units of a digit, and the unit.
fn units(place: i32) -> (f64, f64) {
    use super::digits::{BITS, power};
    (power(-BITS * place), power(BITS * place))
}

/// The keys of rows, so far without features.
pub(crate) fn add_feature_keys(names: &[String], features: &[Values], keys: &mut [u64]) {
    let columns: Vec<ColumnKey> = names.iter().map(|name| ColumnKey::of_feature(name)).collect();
    let step = keys.len().div_ceil(rayon::current_num_threads()).max(64);
    keys.par_chunks_mut(step).enumerate().for_each(|(at, keys)| {
        let rows = at * step..at * step + keys.len();
        for (column, values) in columns.iter().zip(features) {
            match values {
                Values::Numbers(x) => column.add_numbers(&x[rows.clone()], keys),
                Values::Categories { labels, codes } => column.add_categories(labels, &codes[rows.clone()], keys),
            }
        }
    });
}
