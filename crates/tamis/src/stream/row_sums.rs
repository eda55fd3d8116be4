//! Two walks of `snbl`: over the target alone, and over all rows, which draw their null targets by themselves.
//!
//! The answer has the bits of the table in memory with the same seed, whatever the pieces.

use super::Stream;
use super::coding::contents_changed;
use crate::base::{Auto, Note, Place, Progress, Result};
use crate::merge::pass::{Pass, PieceHead, Sink};
use crate::merge::piece_target::PieceTarget;
use crate::merge::profile::ProfilePass;
use crate::merge::sum_pass::PassScratch;
use crate::merge::target_state::TargetState;
use crate::merge::{Answer, Frame, Profile, RowState};
use crate::score::null::by_row::{ColumnKey, OTHER_PROFILE, Plan, PlannedTarget, Rows, Values, add_feature_keys};
use crate::sparse_means::{NullTargets, Snbl};
use crate::table::{Column, Input, MISSING, WeightKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that sums of null targets may take where nobody says.
const MOST_BYTES: u64 = 2 << 30;

/// The first walk.
struct ProfileSink<'a> {
    stream: &'a Stream,
    profile: &'a mut Option<Profile>,
    names: Arc<[String]>,
}

impl Sink for ProfileSink<'_> {
    type Pass = ProfilePass;

    fn only_target(&self) -> bool {
        true
    }

    fn begin(&mut self, names: &[String], place: &Place, notes: &[Note]) -> Result<ProfilePass> {
        self.names = names.into();
        let frame = match self.profile.as_ref() {
            Some(profile) => {
                let known = Frame { names: Arc::clone(&profile.names), ..Frame::clone(profile.state.frame()) };
                known.positions(names, place)?;
                self.names = Arc::clone(&profile.names);
                Arc::clone(profile.state.frame())
            }
            None => {
                let frame = self.stream.frame(names, place, &shared(&self.stream.method))?;
                Arc::new(Frame { names: [].into(), ..Frame::clone(&frame) })
            }
        };
        let profile = self.profile.get_or_insert_with(|| Profile::none(Arc::clone(&self.names), &frame));
        notes.iter().for_each(|note| profile.state.note(note.clone()));
        Ok(ProfilePass { frame, names: Arc::clone(&self.names) })
    }

    fn take(&mut self, part: Profile, place: &Place) -> Result<()> {
        match self.profile.as_mut() {
            Some(profile) => profile.merge(part, place),
            None => Ok(()),
        }
    }

    fn n_rows(&self) -> u64 {
        self.profile.as_ref().map_or(0, Profile::n_rows)
    }
}

/// The method as all pieces share it: the number of null targets is a matter of the plan.
fn shared(method: &Snbl) -> Snbl {
    let mut method = method.clone();
    method.means.permutations = Auto::Auto;
    method
}

/// How the target of a row is found.
enum RowTarget {
    /// The class of every label.
    Classes(BTreeMap<String, u32>),
    Number,
}

/// The second walk.
pub(crate) struct RowPass {
    frame: Arc<Frame>,
    plan: Arc<Plan>,
    target: Arc<RowTarget>,
}

/// The rows of a piece that count, by class.
pub(crate) struct RowHead<'a> {
    piece: PieceTarget<'a>,
    rows: Vec<u32>,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    context: Vec<Vec<f64>>,
    keys: Vec<u64>,
}

/// The values of a column in these rows.
pub(crate) enum Gathered {
    Numbers(Vec<f64>),
    Categories(Vec<String>, Vec<u32>),
}

impl Gathered {
    fn values(&self) -> Values<'_> {
        match self {
            Gathered::Numbers(x) => Values::Numbers(x),
            Gathered::Categories(labels, codes) => Values::Categories { labels, codes },
        }
    }
}

/// A piece, ready to be summed.
pub(crate) struct RowPiece {
    /// Rows there are, with or without a target.
    read: u64,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    context: Vec<Vec<f64>>,
    keys: Vec<u64>,
    columns: Vec<Gathered>,
}

impl RowPass {
    fn new(state: &RowState) -> Result<RowPass> {
        let target = match (&state.sums.plan.target, &state.profile.state.target_state) {
            (PlannedTarget::Classes { .. }, TargetState::Labels(labels)) => {
                let known = state.profile.recognise()?;
                let class = labels.iter().zip(&known.class).map(|(label, class)| (label.text.clone(), *class as u32));
                RowTarget::Classes(class.collect())
            }
            _ => RowTarget::Number,
        };
        Ok(RowPass { frame: Arc::clone(&state.frame), plan: Arc::clone(&state.sums.plan), target: Arc::new(target) })
    }
}

impl Pass for RowPass {
    type Target<'a> = RowHead<'a>;
    type Column = Gathered;
    type Part = RowPiece;

    fn frame(&self) -> &Arc<Frame> {
        &self.frame
    }

    fn target<'a>(&'a self, head: PieceHead<'a>) -> Result<RowHead<'a>> {
        let (place, covariates) = (head.place, head.covariates);
        let piece = PieceTarget::new(&self.frame, head)?;
        let unknown = |text: &str| {
            let place = place.clone().at_column(&self.frame.target);
            let problem = format!("the profile of the table lacks the class `{text}`");
            Err(crate::base::Error::data(place, problem, OTHER_PROFILE))
        };
        let key = ColumnKey::of_target();
        let (mut rows, mut classes) = (piece.used().to_vec(), vec![]);
        let mut numbers = None;
        match (&*self.target, piece.target_state()) {
            (RowTarget::Classes(known), TargetState::Labels(labels)) => {
                let mut of_label = vec![];
                for label in labels {
                    match known.get(&label.text) {
                        Some(class) => of_label.push(*class),
                        None if label.used > 0 => return unknown(&label.text),
                        None => of_label.push(0),
                    }
                }
                rows.sort_by_key(|&row| of_label[piece.code(row as usize) as usize]);
                classes.extend(rows.iter().map(|&row| of_label[piece.code(row as usize) as usize]));
            }
            (RowTarget::Classes(_), TargetState::Number(_)) => return unknown("a number"),
            (RowTarget::Number, _) => {
                let y: Vec<f64> = piece.target_numbers().map(|(y, _)| y).collect();
                if y.iter().any(|y| y.is_nan()) {
                    return Err(contents_changed(place.clone().at_column(&self.frame.target)));
                }
                classes = vec![0; rows.len()];
                numbers = Some(y);
            }
        }
        let mut keys = vec![0; rows.len()];
        let mut context: Vec<Vec<f64>> = vec![];
        for (column, planned) in covariates.iter().zip(&self.plan.covariates) {
            let own = some_rows(column, &rows);
            ColumnKey::of_covariate(&planned.name).add_column(&own, &mut keys);
            context.extend(planned.columns(&own, place)?);
        }
        match (&self.plan.target, numbers) {
            (PlannedTarget::Classes { labels, .. }, _) => key.add_categories(labels, &classes, &mut keys),
            (PlannedTarget::Numbers { .. }, numbers) => {
                let y = numbers.unwrap_or_default();
                key.add_numbers(&y, &mut keys);
                context.push(y);
            }
        }
        let weights =
            piece.weighted().then(|| rows.iter().map(|&row| piece.weight(row as usize)).collect::<Vec<f64>>());
        if let (Some(weights), WeightKind::Importance) = (&weights, self.frame.weight_kind()) {
            ColumnKey::of_weight().add_numbers(weights, &mut keys);
        }
        Ok(RowHead { piece, rows, classes, weights, context, keys })
    }

    fn column(&self, rows: &RowHead<'_>, at: usize, column: &Column, _: &mut PassScratch) -> Result<Gathered> {
        match column {
            Column::Numbers(values) => {
                rows.piece.check_finite(at, values)?;
                Ok(Gathered::Numbers(rows.rows.iter().map(|&row| values[row as usize]).collect()))
            }
            Column::Categories(c) => {
                crate::merge::feature::check_categories(c.labels().len(), c.labels().first(), || rows.piece.at(at))?;
                let codes = rows.rows.iter().map(|&row| c.codes()[row as usize]).collect();
                Ok(Gathered::Categories(c.labels().to_vec(), codes))
            }
        }
    }

    fn part(&self, rows: RowHead<'_>, columns: Vec<Gathered>) -> RowPiece {
        let RowHead { piece, classes, weights, context, keys, .. } = rows;
        RowPiece { read: piece.n_rows(), classes, weights, context, keys, columns }
    }
}

/// Some rows of a covariate.
fn some_rows(column: &Column, rows: &[u32]) -> Column {
    match column {
        Column::Numbers(x) => Column::Numbers(rows.iter().map(|&row| x[row as usize]).collect()),
        Column::Categories(c) => {
            let text = |row: &u32| match c.codes()[*row as usize] {
                MISSING => None,
                code => Some(c.labels()[code as usize].as_str()),
            };
            Column::Categories(crate::table::Categories::of(rows.iter().map(text)))
        }
    }
}

/// Rows being summed.
struct RowSink<'a>(&'a mut RowState);

impl Sink for RowSink<'_> {
    type Pass = RowPass;

    fn begin(&mut self, _: &[String], _: &Place, notes: &[Note]) -> Result<RowPass> {
        notes.iter().for_each(|note| self.0.note(note.clone()));
        RowPass::new(self.0)
    }

    fn take(&mut self, piece: RowPiece, place: &Place) -> Result<()> {
        let RowPiece { read, classes, weights, context, mut keys, columns } = piece;
        let features: Vec<Values> = columns.iter().map(Gathered::values).collect();
        add_feature_keys(&self.0.frame.names, &features, &mut keys);
        let rows = Rows {
            classes: &classes,
            weights: weights.as_deref(),
            context: &context,
            keys: &keys,
            features: &features,
        };
        let added = self.0.sums.add(&rows);
        added.map_err(|mixed| self.0.mixed(mixed, place))?;
        self.0.rows += read;
        Ok(())
    }

    fn n_rows(&self) -> u64 {
        self.0.rows
    }
}

impl Stream {
    /// The profile of the target of some files, for [`Stream::read_rows`]. Cost: one pass over the files, of which only the
    /// target, weights and covariates are parsed.
    pub fn profile(&self, files: &[PathBuf], progress: &mut dyn Progress) -> Result<Profile> {
        let mut profile = None;
        let mut sink = ProfileSink { stream: self, profile: &mut profile, names: [].into() };
        self.walk(files, &mut sink, progress)?;
        profile.ok_or_else(crate::base::remedies::no_file)
    }

    /// Adds the rows of one input to a profile, or makes it.
    pub fn add_to_profile(
        &self,
        profile: &mut Option<Profile>,
        input: Input,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        self.walk_one(input, &mut ProfileSink { stream: self, profile, names: [].into() }, progress)
    }

    /// The state of no rows of a table with this profile, whose rows draw null targets by themselves.
    pub fn row_state(&self, profile: &Arc<Profile>) -> Result<RowState> {
        self.check_permuted()?;
        let own = self.frame(&profile.names, &Place::default(), &shared(&self.method))?;
        let known = Frame { names: Arc::clone(&profile.names), ..Frame::clone(profile.state.frame()) };
        let place = Place::file("the profile");
        own.check_same(&known, &place)?;
        RowState::new(profile, &own, &self.method)
    }

    /// The state of all rows of some files, part of a table with this profile. Cost: one pass over the files.
    pub fn read_rows(
        &self,
        files: &[PathBuf],
        profile: &Arc<Profile>,
        progress: &mut dyn Progress,
    ) -> Result<RowState> {
        let mut state = self.row_state(profile)?;
        self.walk(files, &mut RowSink(&mut state), progress)?;
        Ok(state)
    }

    /// Adds the rows of one input to a state.
    pub fn add_rows(&self, state: &mut RowState, input: Input, progress: &mut dyn Progress) -> Result<()> {
        self.walk_one(input, &mut RowSink(state), progress)
    }

    /// Refuses permuted targets, which need all rows at hand.
    fn check_permuted(&self) -> Result<()> {
        match self.method.null_targets {
            NullTargets::Permuted => {
                let expected = "targets are permuted only where all rows are at hand; pass `auto` or `rows`";
                Err(crate::base::Error::parameter("null_targets", self.method.null_targets, expected))
            }
            _ => Ok(()),
        }
    }

    /// Selects by [`Stream::method`] with a score from moments.
    ///
    /// Rows draw null targets by themselves, for which the target is read first: the answer has the bits of that of the
    /// whole table with null targets by rows. Features are taken as independent, and a note says so, with
    /// `permutations=0`, a least difference, a class of fewer than ten rows, sums beyond 2 GB (or the memory allowed), or
    /// standard input, which is read only once.
    pub fn select_summed(&self, files: &[PathBuf], keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        let twice = files.iter().all(|path| path != Path::new("-"));
        if twice && self.draws_by_row() {
            let profile = Arc::new(self.profile(files, progress)?);
            if let Some(mut state) = self.planned_rows(&profile)? {
                self.walk(files, &mut RowSink(&mut state), progress)?;
                return state.answer(&self.method, keep, progress);
            }
        }
        self.read(files, progress)?.answer(&self.method, keep, progress)
    }

    /// Whether the method makes use of null targets that rows draw by themselves.
    pub fn draws_by_row(&self) -> bool {
        self.method.wants_nulls() && self.method.scores_not_by_rows().is_none()
    }

    /// The state of no rows of a table with this profile; `None` where features are taken as independent, for null targets
    /// could lack a class, or their sums would take too much memory.
    pub fn planned_rows(&self, profile: &Arc<Profile>) -> Result<Option<RowState>> {
        self.check_permuted()?;
        self.method.check_without_factors()?;
        let target = profile.recognise()?; // what nothing can be learned from is refused as ever
        let most = self.memory.map_or(MOST_BYTES, |bytes| bytes.max(MOST_BYTES / 16));
        match profile.plan(&target, &self.method) {
            Ok(plan) if plan.bytes() <= most => {
                let frame = self.frame(&profile.names, &Place::default(), &shared(&self.method))?;
                Ok(Some(RowState::of_plan(profile, &frame, &Arc::new(plan))))
            }
            Err(refused) if self.method.null_targets == NullTargets::Rows => Err(refused),
            _ => Ok(None),
        }
    }
}
