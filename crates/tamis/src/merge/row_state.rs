//! The state of some rows whose null targets are summed: it merges to the same bits whatever the pieces and their order.

use super::answer::Answer;
use super::profile::Profile;
use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::remedies::{GIVE_ONE, nothing_to_merge};
use crate::base::{Auto, Context, Error, Progress, Result, counted};
use crate::merge::Frame;
use crate::merge::feature::text_among_numbers;
use crate::score::null::by_row::{Mixed, Plan, RowSums};
use crate::sparse_means::Snbl;
use std::sync::Arc;

/// The state of some rows of a table with a known [`Profile`].
#[derive(Debug, Clone, PartialEq)]
pub struct RowState {
    pub(crate) frame: Arc<Frame>,
    pub(crate) profile: Arc<Profile>,
    pub(crate) sums: RowSums,
    /// Rows there are, with or without a target.
    pub(crate) rows: u64,
    pub(crate) notes: Vec<Note>,
}

const ONE_PROFILE: &str = "make states of all shards with one profile, and the same options";

/// Refuses a method that needs permuted targets.
fn check_drawn(method: &Snbl) -> Result<()> {
    match method.scores_not_by_rows() {
        None => Ok(()),
        Some(reason) => {
            Err(Error::parameter("score", method.score.name(), format!("{reason}, which need the table whole")))
        }
    }
}

impl RowState {
    /// Of no rows of a table with this profile.
    ///
    /// # Errors
    ///
    /// A method whose null targets are not drawn by rows, and a target that nothing can be learned from.
    pub(crate) fn new(profile: &Arc<Profile>, frame: &Arc<Frame>, method: &Snbl) -> Result<RowState> {
        check_drawn(method)?;
        let plan = Arc::new(profile.plan(&profile.recognise()?, method)?);
        Ok(RowState::of_plan(profile, frame, &plan))
    }

    pub(crate) fn of_plan(profile: &Arc<Profile>, frame: &Arc<Frame>, plan: &Arc<Plan>) -> RowState {
        RowState {
            frame: Arc::clone(frame),
            profile: Arc::clone(profile),
            sums: RowSums::new(plan),
            rows: 0,
            notes: vec![],
        }
    }

    /// Rows so far, with or without a target.
    pub fn n_rows(&self) -> u64 {
        self.rows
    }

    /// The frame shared by all pieces.
    pub fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    /// Adds the rows of another state, read from `place`. On error `self` is unspecified; discard it.
    ///
    /// # Errors
    ///
    /// A state of another table, profile, seed, number of null targets or method, and text among numbers.
    pub fn merge(&mut self, other: &RowState, place: &Place) -> Result<()> {
        let refuse = |problem: String| Err(Error::data(place.clone(), problem, ONE_PROFILE));
        self.frame.check_same(&other.frame, place)?;
        self.frame.positions(&other.frame.names, place)?;
        let (ours, theirs) = (&self.sums.plan, &other.sums.plan);
        if ours.count != theirs.count {
            return refuse(format!("it has {} null targets where others have {}", theirs.count, ours.count));
        }
        if self.profile != other.profile || ours != theirs {
            return refuse("it was made with another profile than others".into());
        }
        self.sums.merge(&other.sums).map_err(|mixed| self.mixed(mixed, place))?;
        self.rows = self.rows.saturating_add(other.rows);
        other.notes.iter().for_each(|note| self.note(note.clone()));
        Ok(())
    }

    /// The error of text among numbers.
    pub(crate) fn mixed(&self, Mixed { feature, text }: Mixed, place: &Place) -> Error {
        text_among_numbers(Some(&text), place.clone().at_column(&self.frame.names[feature]))
    }

    /// Merges states.
    ///
    /// # Errors
    ///
    /// Those of [`RowState::merge`], and no state.
    pub fn merge_all(states: Vec<RowState>) -> Result<RowState> {
        let mut states = states.into_iter();
        let mut whole = states.next().ok_or_else(|| nothing_to_merge(GIVE_ONE))?;
        states.try_for_each(|state| whole.merge(&state, &Place::default()))?;
        Ok(whole)
    }

    /// Something that reading had to decide; the same is said once.
    pub(crate) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
            self.notes.sort_by_cached_key(Note::to_string);
        }
    }

    /// Which features matter, and how many, by this method: the answer for the table in memory with the same seed, but that
    /// named features are not compared with each other.
    ///
    /// # Errors
    ///
    /// Rows of the profile that no state holds, and those of scoring.
    pub fn answer(&self, method: &Snbl, keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        method.check_without_factors()?;
        check_drawn(method)?;
        let planned = self.sums.plan.count;
        if let Auto::Set(wanted) = method.means.permutations
            && wanted != 0
            && wanted != planned
        {
            let expected = format!("the states have {planned} null targets; leave it out, or pass that number or 0");
            return Err(Error::parameter("permutations", wanted, expected));
        }
        let (held, known) = (self.sums.n_rows(), self.sums.plan.rows);
        if held != known {
            let problem = format!(
                "the states hold {} with a target and any weight, and the profile {known}",
                counted(held, "row")
            );
            return Err(Error::data(Place::default(), problem, "give the state of every shard of the profile, once"));
        }
        let target = self.profile.recognise()?;
        let classes = target.class_counts();
        let labels = target.n_classes().map(|_| target.labels.as_slice());
        let (_, comparison) = self.frame.comparison.resolve(labels)?;
        let mut context = Context::new(self.frame.seed, progress);
        let sums = Arc::new(self.sums.clone());
        let selection = method.select_row_sums(&sums, comparison, &classes, &mut context)?;
        let mut about = self.profile.state.about(&target);
        about.facts.features = self.frame.names.len();
        about.notes.splice(0..0, self.notes.iter().cloned());
        let mut answer = about.answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }
}
