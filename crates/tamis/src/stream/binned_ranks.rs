//! Rank scores from pieces: every column is cut into thousands of bins, counted by class.
//!
//! A first walk finds bins of about equal frequency ([`Edges`]), a second counts. Rows of one bin are tied, and ties are
//! corrected for, so that a score is that of a proper test; it differs from the score of all ranks by what the order within
//! bins would have told, a few parts in the number of bins. Where there are no more different values than bins nothing is
//! lost.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::{OTHER_CUTS, no_file};
use crate::base::{Context, Error, Progress, Result};
use crate::codes::{ColumnCoding, Discretise};
use crate::merge::answer::Answer;
use crate::merge::effective_rows::Factors;
use crate::merge::envelope::{COUNTS, MAKE_AGAIN, envelope, not_a_state, opened};
use crate::merge::pass::{Pass, PieceHead, Sink};
use crate::merge::sum_pass::PassScratch;
use crate::merge::{Frame, check_permutations};
use crate::score;
use crate::score::category::chi_square_of;
use crate::score::rank;
use crate::score::score_from_moments::Outcome;
use crate::stream::Stream;
use crate::stream::coding::{CodedTarget, Codings, class_rows};
use crate::stream::edges_pass::SummarySink;
use crate::stream::first_walk_state::Edges;
use crate::table::{Column, MISSING};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cells of all tables together, and bins of a column.
const MOST_CELLS: usize = 1 << 26;
const BINS: std::ops::RangeInclusive<usize> = 256..=4096;

/// How often each level of every column comes with each class: a mergeable state.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    codings: Arc<Codings>,
    /// Rows read, with or without a target.
    read: u64,
    columns: Vec<LevelCounts>,
}

/// A column: rows that have a value, and their weights by level and class.
type LevelCounts = (u64, Vec<f64>);

impl Counts {
    /// No rows yet.
    pub fn new(codings: &Arc<Codings>) -> Counts {
        let empty = |coding: &ColumnCoding| (0, vec![0.0; coding.known_levels() * codings.classes]);
        Counts { codings: Arc::clone(codings), read: 0, columns: codings.columns.iter().map(empty).collect() }
    }

    /// Adds the rows of another state; whole weights give the same bits in any order.
    pub fn merge(&mut self, other: Counts, place: &Place) -> Result<()> {
        if !Arc::ptr_eq(&self.codings, &other.codings) && self.codings != other.codings {
            return Err(Error::data(place.clone(), OTHER_CUTS, "count all pieces with the same cuts"));
        }
        self.add(other.read, other.columns);
        Ok(())
    }

    fn add(&mut self, read: u64, columns: Vec<LevelCounts>) {
        self.read = self.read.saturating_add(read);
        for (ours, theirs) in self.columns.iter_mut().zip(columns) {
            ours.0 = ours.0.saturating_add(theirs.0);
            ours.1.iter_mut().zip(theirs.1).for_each(|(a, b)| *a += b);
        }
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = serde_json::to_vec(&(&*self.codings, self.read, &self.columns)).expect("finite numbers");
        envelope(&COUNTS, &body)
    }

    /// Reads a state back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Counts> {
        let wrong = || not_a_state(name, MAKE_AGAIN.into());
        let body = opened(&COUNTS, bytes, name)?;
        let (codings, read, columns): (Codings, u64, Vec<LevelCounts>) =
            serde_json::from_slice(body).map_err(|_| wrong())?;
        let found = Counts { read, columns, ..Counts::new(&Arc::new(codings)) };
        let shape = |counts: &Counts| counts.columns.iter().map(|(_, table)| table.len()).collect::<Vec<usize>>();
        if shape(&found) == shape(&Counts::new(&found.codings)) { Ok(found) } else { Err(wrong()) }
    }

    /// The scores of all columns, with the weights of each class multiplied.
    fn outcomes(&self, statistic: score::Statistic, positive: usize, factors: &Factors) -> Vec<Outcome> {
        let classes = self.codings.classes;
        let weigh = |(at, count): (usize, &f64)| count * factors.of(at % classes);
        let one = |(coding, (rows, table)): (&ColumnCoding, &LevelCounts)| {
            let rows = u32::try_from(*rows).unwrap_or(u32::MAX);
            let table: &[f64] = &table.iter().enumerate().map(weigh).collect::<Vec<f64>>();
            match coding {
                ColumnCoding::Cuts(_) => rank::of_counts(table, classes, (statistic, positive), rows),
                ColumnCoding::Labels(_) => chi_square_of(table, classes, rows),
            }
        };
        self.codings.columns.par_iter().zip(&self.columns).map(one).collect()
    }
}

/// The walk.
struct CountPass(Arc<Codings>);

impl Pass for CountPass {
    type Target<'a> = CodedTarget<'a>;
    type Column = LevelCounts;
    type Part = (u64, Vec<LevelCounts>);

    fn frame(&self) -> &Arc<Frame> {
        &self.0.frame
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<CodedTarget<'a>> {
        class_rows(&self.0, head)
    }

    fn column(&self, rows: &CodedTarget<'_>, at: usize, column: &Column, _: &mut PassScratch) -> Result<LevelCounts> {
        let classes = self.0.classes;
        let coding = &self.0.columns[at];
        let mut table = vec![0.0; coding.known_levels() * classes];
        let mut known = 0;
        let mut add = |row: usize, level: usize, class: u8| {
            table[level * classes + usize::from(class)] += rows.piece.weight(row);
            known += rows.piece.copies(row);
        };
        let used = rows.piece.used().iter().map(|&row| row as usize).zip(rows.target.iter().copied());
        match (coding, column) {
            (ColumnCoding::Cuts(cuts), Column::Numbers(values)) => {
                for (row, class) in used.filter(|(row, _)| !values[*row].is_nan()) {
                    add(row, cuts.partition_point(|cut| *cut <= values[row]), class);
                }
            }
            (ColumnCoding::Labels(labels), Column::Categories(c)) => {
                let level: Vec<Option<usize>> = c.labels().iter().map(|l| labels.binary_search(l).ok()).collect();
                for (row, class) in used.filter(|(row, _)| c.codes()[*row] != MISSING) {
                    let level = level[c.codes()[row] as usize].ok_or_else(|| rows.changed(at))?;
                    add(row, level, class);
                }
            }
            _ if (0..column.len()).all(|row| column.is_missing(row)) => {}
            _ => return Err(rows.changed(at)),
        }
        Ok((known, table))
    }

    fn part(&self, rows: CodedTarget<'_>, columns: Vec<LevelCounts>) -> (u64, Vec<LevelCounts>) {
        (rows.piece.n_rows(), columns)
    }
}

struct CountSink(Counts);

impl Sink for CountSink {
    type Pass = CountPass;

    fn begin(&mut self, _: &[String], _: &Place, _: &[Note]) -> Result<CountPass> {
        Ok(CountPass(Arc::clone(&self.0.codings)))
    }

    fn take(&mut self, (read, columns): (u64, Vec<LevelCounts>), _: &Place) -> Result<()> {
        self.0.add(read, columns);
        Ok(())
    }

    fn n_rows(&self) -> u64 {
        self.0.read
    }
}

impl Stream {
    /// Selects by [`Stream::method`] with a score of ranks, in two walks over the files.
    pub fn select_ranked(&self, files: &[PathBuf], keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        let method = &self.method;
        check_permutations(method)?;
        if files.iter().any(|path| path == Path::new("-")) {
            let expected = format!("`score={}` reads a table twice; write it to a file first", method.score.name());
            return Err(Error::parameter("FILE", "-", expected));
        }
        let mut edges: Option<Edges> = None;
        let discretise = Discretise::Frequency;
        self.walk(files, &mut SummarySink { stream: self, discretise, edges: &mut edges }, progress)?;
        let edges = edges.ok_or_else(no_file)?;
        let target = edges.state.recognise()?;
        let statistic = method.score.resolve_scaled(method.scale, target.n_classes())?;
        let cells = edges.columns.len() * target.n_classes().unwrap_or(1);
        let bins = (MOST_CELLS / cells.max(1)).clamp(*BINS.start(), *BINS.end());
        let codings = Arc::new(edges.cut(bins, &target)?);
        let mut counting = CountSink(Counts::new(&codings));
        self.walk(files, &mut counting, progress)?;
        let outcomes = counting.0.outcomes(statistic, target.positive, &edges.state.factors(&target));
        let one_sided = |coding: &ColumnCoding| {
            matches!(coding, ColumnCoding::Labels(_)) || statistic.one_sided(target.n_classes())
        };
        let one_sided = codings.columns.iter().map(one_sided).collect();
        let names = &codings.frame.names;
        let scores = score::collect(outcomes, statistic, one_sided, names, edges.state.n_samples());
        let counts = target.class_counts();
        let mut context = Context::new(self.seed, progress);
        let mut selection = method.select_scores(scores, names, &counts, None, &mut context)?;
        if codings.rows > bins as u64 {
            let text =
                format!("numbers were put into at most {bins} bins of about equal frequency before they were ranked");
            selection.notes.push(Note::new(NoteKind::BinnedRanks, text));
        }
        let mut answer = codings.about.clone().answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }
}
