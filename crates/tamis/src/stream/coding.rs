//! The second of two passes: the coding of every column, and rows coded by it.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::codes::column_coding::code;
use crate::codes::discretise::{check_classes, frequency, width};
use crate::codes::{ColumnCoding, Discretise};
use crate::merge::Frame;
use crate::merge::answer::TableFacts;
use crate::merge::envelope::{CODINGS, envelope, opened};
use crate::merge::pass::{Pass, PieceHead};
use crate::merge::piece_target::PieceTarget;
use crate::merge::recognise_merged_target::RecognisedTarget;
use crate::merge::sum_pass::PassScratch;
use crate::merge::target_state::{Label, TargetState};
use crate::stream::coded_block::CodedBlock;
use crate::stream::first_walk_state::Edges;
use crate::stream::summary_for_cuts::{ColumnSummary, SummaryKind, ValueSummary};
use crate::table::Column;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The coding of every column and of the target, with facts and notes about the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Codings {
    pub(crate) frame: Arc<Frame>,
    /// Rows there are, with or without a target.
    pub(crate) read: u64,
    /// Rows that count.
    pub(crate) rows: u64,
    pub(crate) columns: Vec<ColumnCoding>,
    /// Whether a column has missing values.
    pub(crate) missing: Vec<bool>,
    target: TargetCoding,
    pub(crate) classes: usize,
    pub(crate) discretise: Discretise,
    pub(crate) about: TableFacts,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum TargetCoding {
    /// The class of every label.
    Classes(BTreeMap<String, u8>),
    /// A number, cut into bins of about equal frequency.
    Cuts(Vec<f64>),
}

impl Edges {
    /// How to code every column into at most `bins` levels.
    pub fn codings(&self, bins: usize) -> Result<Codings> {
        if !(2..256).contains(&bins) {
            return Err(Error::parameter("bins", bins, "it takes 2…255"));
        }
        let codings = self.cut(bins, &self.state.recognise()?)?;
        let columns = codings.columns.iter().zip(&codings.missing).zip(codings.frame.names.iter());
        columns.into_iter().try_for_each(|((coding, missing), name)| coding.check_levels(*missing, name))?;
        Ok(codings)
    }

    /// How to code every column, with any number of bins.
    pub(crate) fn cut(&self, bins: usize, recognised: &RecognisedTarget) -> Result<Codings> {
        let (target, classes) = match (recognised.n_classes(), &self.state.target_state) {
            (Some(n_classes), TargetState::Labels(texts)) => {
                check_classes(n_classes)?;
                let class = |(label, class): (&Label, &usize)| (label.text.clone(), *class as u8);
                (TargetCoding::Classes(texts.iter().zip(&recognised.class).map(class).collect()), n_classes)
            }
            _ => {
                let cuts = frequency(&scaled(self.target.sorted(), self.state.factor()), bins);
                let classes = cuts.len() + 1;
                (TargetCoding::Cuts(cuts), classes)
            }
        };
        let columns: Vec<ColumnCoding> =
            self.columns.iter().map(|span| span.coding(bins, self.state.factor())).collect();
        let discretise = match self.keep {
            SummaryKind::Range => Discretise::Width,
            SummaryKind::Quantiles(_) => Discretise::Frequency,
            SummaryKind::Values => Discretise::Categories,
        };
        Ok(Codings {
            frame: Arc::clone(&self.state.frame),
            read: self.state.rows,
            rows: self.state.used,
            columns,
            missing: self.columns.iter().map(|span| span.missing).collect(),
            target,
            classes,
            discretise,
            about: self.state.about(recognised),
        })
    }
}

impl ColumnSummary {
    /// The coding, with weights multiplied by `factor`.
    fn coding(&self, bins: usize, factor: f64) -> ColumnCoding {
        match &self.known {
            ValueSummary::Nothing => ColumnCoding::Cuts(vec![]),
            ValueSummary::Categories(texts) => ColumnCoding::Labels(texts.iter().cloned().collect()),
            ValueSummary::Numbers(n) => ColumnCoding::Cuts(match &n.sketch {
                None if n.values.is_empty() => width(n.low, n.high, bins),
                None => n.values.iter().skip(1).copied().collect(),
                Some(sketch) => {
                    let cuts = frequency(&scaled(sketch.sorted(), factor), bins);
                    // a column that varies is never taken as constant
                    if cuts.is_empty() { n.next.into_iter().collect() } else { cuts }
                }
            }),
        }
    }
}

/// Numbers whose weights are multiplied.
fn scaled(mut sorted: Vec<(f64, f64)>, factor: f64) -> Vec<(f64, f64)> {
    sorted.iter_mut().for_each(|(_, weight)| *weight *= factor);
    sorted
}

impl Codings {
    /// Rows that count, and features: codes take a byte for each pair.
    pub fn size(&self) -> (u64, usize) {
        (self.rows, self.columns.len())
    }

    /// The seed that the table was first read with.
    pub fn seed(&self) -> u64 {
        self.frame.seed
    }

    /// The codings as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope(&CODINGS, &serde_json::to_vec(self).expect("finite numbers and text"))
    }

    /// Reads them back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Codings> {
        let wrong = |_| Error::data(Place::file(name), "it does not say how to code columns", "make it again");
        serde_json::from_slice(opened(&CODINGS, bytes, name)?).map_err(wrong)
    }

    fn class(&self, rows: &PieceTarget<'_>, place: &Place) -> Result<Vec<u8>> {
        let changed = || {
            let place = place.clone().at_column(&self.frame.target);
            Error::data(place, "the target has changed since it was first read", LEAVE_ALONE)
        };
        match (&self.target, rows.target_state()) {
            (TargetCoding::Classes(known), TargetState::Labels(labels)) => {
                let classes: Vec<Option<u8>> = labels.iter().map(|label| known.get(&label.text).copied()).collect();
                let of_row = |&row: &u32| classes[rows.code(row as usize) as usize].ok_or_else(changed);
                rows.used().iter().map(of_row).collect()
            }
            (TargetCoding::Classes(_), TargetState::Number(_)) => Err(changed()),
            (TargetCoding::Cuts(cuts), _) => {
                let of_row = |(x, _): (f64, f64)| if x.is_nan() { Err(changed()) } else { Ok(code(cuts, x)) };
                rows.target_numbers().map(of_row).collect()
            }
        }
    }
}

/// The remedy for a table that is not the same when it is read again.
const LEAVE_ALONE: &str = "do not change the table while it is read";

/// The error of a column that is not the same when it is read again.
pub(crate) fn contents_changed(place: Place) -> Error {
    Error::data(place, "its contents have changed since it was first read", LEAVE_ALONE)
}

/// The second walk.
pub(crate) struct EncodePass(pub(crate) Arc<Codings>);

/// The rows of a piece with their classes.
pub(crate) struct CodedTarget<'a> {
    pub(crate) piece: PieceTarget<'a>,
    /// Of every row that counts.
    pub(crate) target: Vec<u8>,
}

pub(crate) fn class_rows<'a>(codings: &'a Codings, head: PieceHead<'a>) -> Result<CodedTarget<'a>> {
    let place = head.place;
    let piece = PieceTarget::new(&codings.frame, head)?;
    let target = codings.class(&piece, place)?;
    Ok(CodedTarget { piece, target })
}

impl CodedTarget<'_> {
    /// A column changed between the passes.
    pub(crate) fn changed(&self, at: usize) -> Error {
        contents_changed(self.piece.at(at))
    }
}

impl Pass for EncodePass {
    type Target<'a> = CodedTarget<'a>;
    type Column = Vec<u8>;
    type Part = CodedBlock;

    fn frame(&self) -> &Arc<Frame> {
        &self.0.frame
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<CodedTarget<'a>> {
        class_rows(&self.0, head)
    }

    fn column(&self, rows: &CodedTarget<'_>, at: usize, column: &Column, _: &mut PassScratch) -> Result<Vec<u8>> {
        let coding = &self.0.columns[at];
        if (0..column.len()).all(|row| column.is_missing(row)) {
            return Ok(vec![coding.known_levels() as u8; rows.target.len()]); // it may look like another sort of column
        }
        coding.encode(column, rows.piece.used()).ok_or_else(|| rows.changed(at))
    }

    fn part(&self, rows: CodedTarget<'_>, columns: Vec<Vec<u8>>) -> CodedBlock {
        let CodedTarget { piece, target } = rows;
        let weights = piece.weighted().then(|| piece.used().iter().map(|&row| piece.weight(row as usize)).collect());
        CodedBlock { read: piece.n_rows(), target, weights, columns }
    }
}
