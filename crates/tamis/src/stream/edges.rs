//! The first of two passes: the range, quantiles or values of every column, from which its cut points follow.

use crate::base::{Error, Note, OptionName, Place, Progress, Result, text};
use crate::codes::Discretise;
use crate::merge::bytes::{EDGES, envelope, opened};
use crate::merge::feature::{Feature, check_categories, unit};
use crate::merge::pass::{Head, Pass, Sink};
use crate::merge::piece::{Piece, Room};
use crate::merge::target_state::Against;
use crate::merge::{Frame, State};
use crate::sparse_means::Snbl;
use crate::stream::Stream;
use crate::stream::sketch::Sketch;
use crate::table::target_rule::value_of;
use crate::table::{Column, Input, MISSING};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The summary kept of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Keep {
    /// The smallest and the largest.
    Range,
    /// A [`Sketch`] of so many.
    Quantiles(usize),
    /// The different values, while a byte can tell them apart.
    Values,
}

/// The most different values that are kept.
const MOST_VALUES: usize = 256;

/// The mergeable state of the first walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges {
    /// Rows, target and notes; no sums.
    pub(crate) state: State,
    pub(crate) keep: Keep,
    pub(crate) columns: Vec<Span>,
    /// The target, if it is numeric.
    pub(crate) target: Sketch,
}

/// A column so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Span {
    /// Whether a row that counts has no value.
    pub(crate) missing: bool,
    pub(crate) known: Known,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum Known {
    #[default]
    Nothing,
    Numbers(Numbers),
    Categories(BTreeSet<String>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Numbers {
    pub(crate) low: f64,
    /// The smallest number above it.
    pub(crate) next: Option<f64>,
    pub(crate) high: f64,
    pub(crate) sketch: Option<Sketch>,
    /// Sorted; one too many where there are too many.
    pub(crate) values: Vec<f64>,
}

impl Edges {
    /// No rows yet, of a table that is to be cut like this. `mdl` needs all rows at once and is refused.
    pub fn new(frame: &Arc<Frame>, discretise: Discretise) -> Result<Edges> {
        let keep = match discretise {
            Discretise::Width => Keep::Range,
            Discretise::Frequency => Keep::Quantiles(Sketch::precision(frame.names.len())),
            Discretise::Categories => Keep::Values,
            Discretise::Mdl => {
                let set = |value: &str| OptionName::from("discretise").set(value);
                let expected = text![
                    "it needs all rows at once and cannot be used on a table in pieces; pass ",
                    set("width"),
                    " or ",
                    set("frequency")
                ];
                return Err(Error::parameter("discretise", "mdl", expected));
            }
        };
        let columns = vec![Span::default(); frame.names.len()];
        Ok(Edges { state: State::new(frame), keep, columns, target: Sketch::new(Sketch::precision(1)) })
    }

    /// The frame shared by all pieces.
    pub fn frame(&self) -> &Arc<Frame> {
        self.state.frame()
    }

    /// Rows so far, with or without a target.
    pub fn rows(&self) -> u64 {
        self.state.rows()
    }

    /// Adds the rows of another state, read from `place`. The last bits of quantiles depend on the order: see
    /// [`Edges::merge_all`].
    pub fn merge(&mut self, other: Edges, place: &Place) -> Result<()> {
        let Edges { state, keep, mut columns, target } = other;
        if keep != self.keep {
            let problem = "its columns are cut differently from those of other pieces";
            return Err(Error::data(place.clone(), problem, "make all pieces with the same options"));
        }
        if let Some(positions) = self.state.frame.positions(&state.frame.names, place)? {
            columns = positions.into_iter().map(|at| std::mem::take(&mut columns[at])).collect();
        }
        self.state.merge(state, place)?;
        for ((ours, theirs), name) in self.columns.iter_mut().zip(columns).zip(self.state.frame.names.iter()) {
            ours.merge(theirs, || place.clone().at_column(name))?;
        }
        self.target.merge(target);
        Ok(())
    }

    /// Merges a set of states to the same bits whatever order they come in.
    pub fn merge_all(states: Vec<Edges>) -> Result<Edges> {
        let mut states: Vec<(Vec<u8>, Edges)> = states.into_iter().map(|state| (state.to_bytes(), state)).collect();
        states.sort_by(|a, b| a.0.cmp(&b.0));
        let mut states = states.into_iter().map(|(_, state)| state);
        let none = || Error::data(Place::default(), "there is nothing to merge", "give at least one");
        let mut whole = states.next().ok_or_else(none)?;
        states.try_for_each(|state| whole.merge(state, &Place::default()))?;
        Ok(whole)
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let state = self.state.to_bytes();
        let rest = serde_json::to_vec(&(self.keep, &self.columns, &self.target)).unwrap_or_default(); // finite numbers and text
        let length = (state.len() as u64).to_le_bytes();
        envelope(&EDGES, &[&length[..], &state, &rest].concat())
    }

    /// Reads a state back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Edges> {
        let body = opened(&EDGES, bytes, name)?;
        let wrong = || Error::data(Place::file(name), "its contents are not those of a state", "make it again");
        let (length, rest) = body.split_first_chunk().ok_or_else(wrong)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| wrong())?;
        let (state, rest) = rest.split_at_checked(length).ok_or_else(wrong)?;
        let state = State::from_bytes(state, name)?;
        let (keep, columns, target): (Keep, Vec<Span>, Sketch) = serde_json::from_slice(rest).map_err(|_| wrong())?;
        if columns.len() != state.frame.names.len() {
            return Err(wrong());
        }
        Ok(Edges { state, keep, columns, target })
    }
}

impl Span {
    fn merge(&mut self, other: Span, place: impl Fn() -> Place) -> Result<()> {
        self.missing |= other.missing;
        match (&mut self.known, other.known) {
            (_, Known::Nothing) => {}
            (ours @ Known::Nothing, theirs) => *ours = theirs,
            (Known::Numbers(ours), Known::Numbers(theirs)) => ours.merge(theirs),
            (Known::Categories(ours), Known::Categories(theirs)) => {
                ours.extend(theirs);
                check_categories(ours.len(), ours.first(), place)?;
            }
            (Known::Categories(text), _) => return Err(mixed(text, place())),
            (_, Known::Categories(text)) => return Err(mixed(&text, place())),
        }
        Ok(())
    }
}

fn mixed(text: &BTreeSet<String>, place: Place) -> Error {
    let text = text.first().map_or("", String::as_str);
    let problem = format!("it holds text (`{text}`) in some rows and numbers in others");
    let remedy = text![
        "pass ",
        OptionName::Missing.set(text),
        " if that means missing, or leave the column out with ",
        OptionName::Drop
    ];
    Error::data(place, problem, remedy)
}

impl Numbers {
    /// Of these numbers with weights; `None` if there are none.
    fn of(known: &[(f64, f64)], keep: Keep) -> Option<Numbers> {
        let numbers = || known.iter().map(|(x, _)| *x);
        let low = numbers().reduce(f64::min)?;
        let high = numbers().fold(low, f64::max);
        let next = numbers().filter(|x| *x > low).reduce(f64::min);
        let sketch = match keep {
            Keep::Quantiles(k) => {
                let mut sketch = Sketch::new(k);
                sketch.extend(known.iter().copied());
                Some(sketch)
            }
            _ => None,
        };
        let mut values = vec![];
        if keep == Keep::Values {
            values = numbers().map(|x| x + 0.0).collect();
            sort_values(&mut values);
        }
        Some(Numbers { low, next, high, sketch, values })
    }

    fn merge(&mut self, other: Numbers) {
        let low = self.low.min(other.low);
        let above = [Some(self.low), self.next, Some(other.low), other.next];
        self.next = above.into_iter().flatten().filter(|x| *x > low).reduce(f64::min);
        self.low = low;
        self.high = self.high.max(other.high);
        match (&mut self.sketch, other.sketch) {
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            (ours @ None, theirs) => *ours = theirs,
            _ => {}
        }
        self.values.extend(other.values);
        sort_values(&mut self.values);
    }
}

fn sort_values(values: &mut Vec<f64>) {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values.truncate(MOST_VALUES + 1);
}

/// The walk.
pub(crate) struct Look {
    frame: Arc<Frame>,
    keep: Keep,
}

impl Pass for Look {
    type Rows<'a> = Piece<'a>;
    type Column = Span;
    type Part = Edges;

    fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    fn rows<'a>(&'a self, head: Head<'a>) -> Result<Piece<'a>> {
        Piece::new(&self.frame, head)
    }

    fn column(&self, rows: &Piece<'_>, at: usize, column: &Column, _: &mut Room) -> Result<Span> {
        let used = || rows.used().iter().map(|&row| row as usize);
        match column {
            Column::Numbers(values) => {
                rows.check_finite(at, values)?;
                let known: Vec<(f64, f64)> =
                    used().filter(|&row| !values[row].is_nan()).map(|row| (values[row], rows.weight(row))).collect();
                let missing = known.len() < rows.used().len();
                let known = Numbers::of(&known, self.keep);
                Ok(Span { missing, known: known.map_or(Known::Nothing, Known::Numbers) })
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
                Ok(Span { missing, known: if texts.is_empty() { Known::Nothing } else { Known::Categories(texts) } })
            }
        }
    }

    fn part(&self, rows: Piece<'_>, columns: Vec<Span>) -> Edges {
        let mut target = Sketch::new(Sketch::precision(1));
        target.extend(rows.target_numbers().filter(|(x, _)| !x.is_nan()));
        let state = rows.state(vec![Feature::default(); columns.len()]);
        Edges { state, keep: self.keep, columns, target }
    }
}

impl Piece<'_> {
    /// The target of every row that counts, as a number (NaN where it is none), with its weight.
    pub(crate) fn target_numbers(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (values, back) = match self.against() {
            Against::Labels(labels) => {
                (labels.iter().map(|label| value_of(&label.text).unwrap_or(f64::NAN)).collect::<Vec<f64>>(), 1.0)
            }
            Against::Number(number) => (vec![], 1.0 / unit(number.size)),
        };
        self.used().iter().map(move |&row| {
            let row = row as usize;
            let x = if values.is_empty() { self.number(row) * back } else { values[self.code(row) as usize] };
            (x, self.weight(row))
        })
    }
}

/// Files being looked at.
pub(crate) struct Looking<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) discretise: Discretise,
    pub(crate) edges: &'a mut Option<Edges>,
}

impl Sink for Looking<'_> {
    type Pass = Look;

    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<Look> {
        let edges = match self.edges.take() {
            Some(edges) => edges,
            None => {
                let frame = self.stream.frame(names, place, &Snbl::default())?; // it is the same for all methods
                Edges::new(&frame, self.discretise)?
            }
        };
        let edges = self.edges.insert(edges);
        notes.iter().for_each(|note| edges.state.note(note.clone()));
        Ok(Look { frame: Arc::clone(edges.frame()), keep: edges.keep })
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

    fn rows(&self) -> u64 {
        self.edges.as_ref().map_or(0, Edges::rows)
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
        self.walk_one(input, &mut Looking { stream: self, discretise, edges }, progress)
    }
}
