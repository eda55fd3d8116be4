//! The first of two passes: every column of a piece summarised, file after file.

use crate::base::{Error, Note, OptionName, Place, Progress, Result, text};
use crate::codes::Discretise;
use crate::merge::Frame;
use crate::merge::feature::{FeatureState, check_categories};
use crate::merge::pass::{Pass, PieceHead, Sink};
use crate::merge::piece_target::PieceTarget;
use crate::merge::sum_pass::PassScratch;
use crate::merge::target_state::TargetState;
use crate::merge::target_state::unit;
use crate::sparse_means::Snbl;
use crate::stream::Stream;
use crate::stream::first_walk_state::Edges;
use crate::stream::sketch::Sketch;
use crate::stream::summary_for_cuts::{ColumnSummary, NumberSummary, SummaryKind, ValueSummary};
use crate::table::target_rule::value_of;
use crate::table::{Column, Input, MISSING};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The walk.
pub(crate) struct SummaryPass {
    frame: Arc<Frame>,
    keep: SummaryKind,
}

impl Pass for SummaryPass {
    type Target<'a> = PieceTarget<'a>;
    type Column = ColumnSummary;
    type Part = Edges;

    fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<PieceTarget<'a>> {
        PieceTarget::new(&self.frame, head)
    }

    fn column(&self, rows: &PieceTarget<'_>, at: usize, column: &Column, _: &mut PassScratch) -> Result<ColumnSummary> {
        let used = || rows.used().iter().map(|&row| row as usize);
        match column {
            Column::Numbers(values) => {
                rows.check_finite(at, values)?;
                let known: Vec<(f64, f64)> =
                    used().filter(|&row| !values[row].is_nan()).map(|row| (values[row], rows.weight(row))).collect();
                let missing = known.len() < rows.used().len();
                let known = NumberSummary::of(&known, self.keep);
                Ok(ColumnSummary { missing, known: known.map_or(ValueSummary::Nothing, ValueSummary::Numbers) })
            }
            Column::Categories(c) => {
                let mut occurs = vec![false; c.labels().len()];
                let mut missing = false;
                for row in used() {
                    match c.codes()[row] {
                        MISSING => missing = true,
                        code => occurs[code as usize] = true,
                    }
                }
                let texts: BTreeSet<String> = c
                    .labels()
                    .iter()
                    .zip(occurs)
                    .filter(|(_, occurs)| *occurs)
                    .map(|(label, _)| label.clone())
                    .collect();
                check_categories(texts.len(), texts.first(), || rows.at(at))?;
                Ok(ColumnSummary {
                    missing,
                    known: if texts.is_empty() { ValueSummary::Nothing } else { ValueSummary::Categories(texts) },
                })
            }
        }
    }

    fn part(&self, rows: PieceTarget<'_>, columns: Vec<ColumnSummary>) -> Edges {
        let mut target = Sketch::new(Sketch::precision(1));
        target.extend(rows.target_numbers().filter(|(x, _)| !x.is_nan()));
        let state = rows.state(vec![FeatureState::default(); columns.len()]);
        Edges { state, keep: self.keep, columns, target }
    }
}

impl PieceTarget<'_> {
    /// The target of every row that counts, as a number (NaN where it is none), with its weight.
    pub(crate) fn target_numbers(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (values, back) = match self.target_state() {
            TargetState::Labels(labels) => {
                (labels.iter().map(|label| value_of(&label.text).unwrap_or(f64::NAN)).collect::<Vec<f64>>(), 1.0)
            }
            TargetState::Number(number) => (vec![], 1.0 / unit(number.size)),
        };
        self.used().iter().map(move |&row| {
            let row = row as usize;
            let x = if values.is_empty() { self.number(row) * back } else { values[self.code(row) as usize] };
            (x, self.weight(row))
        })
    }
}

/// Files being looked at.
pub(crate) struct SummarySink<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) discretise: Discretise,
    pub(crate) edges: &'a mut Option<Edges>,
}

impl Sink for SummarySink<'_> {
    type Pass = SummaryPass;

    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<SummaryPass> {
        let edges = match self.edges.take() {
            Some(edges) => edges,
            None => {
                if let Some(name) = self.stream.options.covariates.first() {
                    let expected = text![
                        "ranks and levels are not adjusted; pass ",
                        OptionName::Method.set("snbl"),
                        " with a score of moments"
                    ];
                    return Err(Error::parameter(OptionName::Covariate, name, expected));
                }
                let frame = self.stream.frame(names, place, &Snbl::default())?; // it is the same for all methods
                Edges::new(&frame, self.discretise)?
            }
        };
        let edges = self.edges.insert(edges);
        notes.iter().for_each(|note| edges.state.note(note.clone()));
        Ok(SummaryPass { frame: Arc::clone(edges.frame()), keep: edges.keep })
    }

    fn take(&mut self, part: Edges, place: &Place) -> Result<()> {
        match &mut *self.edges {
            Some(edges) => edges.merge(part, place),
            none => {
                *none = Some(part);
                Ok(())
            }
        }
    }

    fn n_rows(&self) -> u64 {
        self.edges.as_ref().map_or(0, Edges::n_rows)
    }
}

impl Stream {
    /// Adds the rows of one input to the state of the first walk, or makes it.
    pub fn look(
        &self,
        edges: &mut Option<Edges>,
        discretise: Discretise,
        input: Input,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        self.walk_one(input, &mut SummarySink { stream: self, discretise, edges }, progress)
    }
}
