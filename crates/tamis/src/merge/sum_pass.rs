//! The state of one piece: rows as they were read.

use crate::base::error::Place;
use crate::base::remedies::ONE_VALUE_PER_ROW;
use crate::base::{Error, Result, counted};
use crate::merge::feature::FeatureState;
use crate::merge::pass::{Pass, PieceHead};
use crate::merge::piece_target::PieceTarget;
use crate::merge::{Frame, State};
use crate::score::class_moments::Scratch;
use crate::table::Column;
use crate::table::target_cells::TargetCells;
use rayon::prelude::*;
use std::sync::Arc;

/// Some rows of a table.
#[derive(Debug)]
pub struct Batch {
    pub(crate) columns: Vec<Column>,
    pub(crate) labels: TargetCells,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) covariates: Vec<Column>,
    /// Where they come from.
    pub(crate) place: Place,
    /// Rows that came before them from there.
    pub(crate) before: u64,
}

impl Batch {
    /// Rows in memory: the features in the order of the frame's names, the target, and a weight per row where rows are
    /// weighted.
    pub fn new(columns: Vec<Column>, target: &Column, weights: Option<Vec<f64>>) -> Result<Batch> {
        let rows = target.len();
        let lengths = columns.iter().map(Column::len).chain(weights.as_ref().map(Vec::len));
        if let Some(other) = lengths.into_iter().find(|length| *length != rows) {
            let problem = format!("{}, but the target has {rows}", counted(other, "value"));
            return Err(Error::data(Place::default(), problem, ONE_VALUE_PER_ROW));
        }
        let mut labels = TargetCells::default();
        match target {
            Column::Numbers(values) => values.iter().for_each(|x| labels.push_number(*x)),
            Column::Categories(c) => labels.push_categories(c),
        }
        Ok(Batch { columns, labels, weights, covariates: vec![], place: Place::default(), before: 0 })
    }

    /// The rows with a column for every covariate of the frame, in its order.
    pub fn with_covariates(mut self, covariates: Vec<Column>) -> Batch {
        self.covariates = covariates;
        self
    }
}

/// Applies a pass to a batch, its columns in parallel or one after the other.
pub(crate) fn of_batch<P: Pass>(pass: &P, batch: Batch, parallel: bool) -> Result<P::Part> {
    let Batch { columns, labels, weights, covariates, place, before } = batch;
    let expected = pass.frame().names.len();
    if columns.len() != expected {
        let problem = format!("{} instead of {expected}", counted(columns.len(), "column"));
        return Err(Error::data(place, problem, "give a column for every feature"));
    }
    let rows =
        pass.target(PieceHead { labels, weights: weights.as_deref(), covariates: &covariates, place: &place, before })?;
    let of_column = |room: &mut PassScratch, (at, column): (usize, &Column)| pass.column(&rows, at, column, room);
    let made: Vec<P::Column> = if parallel {
        columns.par_iter().enumerate().map_init(PassScratch::default, of_column).collect::<Result<_>>()?
    } else {
        let mut room = PassScratch::default();
        columns.iter().enumerate().map(|column| of_column(&mut room, column)).collect::<Result<_>>()?
    };
    Ok(pass.part(rows, made))
}

/// Sums of columns against the target.
pub(crate) struct SumPass(pub(crate) Arc<Frame>);

impl Pass for SumPass {
    type Target<'a> = PieceTarget<'a>;
    type Column = FeatureState;
    type Part = State;

    fn frame(&self) -> &Arc<Frame> {
        &self.0
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<PieceTarget<'a>> {
        PieceTarget::new(&self.0, head)
    }

    fn column(
        &self,
        rows: &PieceTarget<'_>,
        at: usize,
        column: &Column,
        room: &mut PassScratch,
    ) -> Result<FeatureState> {
        rows.feature(at, column, room)
    }

    fn part(&self, rows: PieceTarget<'_>, columns: Vec<FeatureState>) -> State {
        rows.state(columns)
    }
}

/// Memory a thread keeps from column to column.
#[derive(Default)]
pub(crate) struct PassScratch {
    pub(super) moments: Scratch,
    pub(super) pairs: Vec<(f64, f64, f64)>,
}
