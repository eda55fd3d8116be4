//! The context of a run: its seed, and a progress report that can cancel it.

use super::wording::{RustVoice, Voice};
use super::{Error, Result};

/// A front end as the library knows it: it receives progress reports, may interrupt the run, and has its own names for
/// options and commands.
///
/// ```
/// use tamis::prelude::*;
///
/// struct Never;
/// impl Progress for Never {
///     fn update(&mut self, _stage: &str, _done: u64, _total: u64) -> bool {
///         false
///     }
/// }
/// let table = TwoGroups::default().draw(1)?.table;
/// let cancelled = Snbl::default().select(&table.view(), &mut Context::new(0, &mut Never));
/// assert!(matches!(cancelled, Err(Error::Cancelled)));
/// # Ok::<(), Error>(())
/// ```
pub trait Progress {
    /// `done` of `total` units of `stage` are finished (`total` 0: not known). Returning `false` cancels.
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool;

    /// [`Progress::update`], as a result.
    fn step(&mut self, stage: &str, done: u64, total: u64) -> Result<()> {
        if self.update(stage, done, total) { Ok(()) } else { Err(Error::Cancelled) }
    }

    /// The names that the notes of an answer use.
    fn voice(&self) -> &'static dyn Voice {
        &RustVoice
    }
}

/// Reports nothing, never cancels.
///
/// ```
/// use tamis::prelude::*;
///
/// assert!(Silent.update("scoring", 1, 2));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&mut self, _: &str, _: u64, _: u64) -> bool {
        true
    }
}

/// The seed of all random numbers in a run, and its [`Progress`].
///
/// ```
/// use tamis::{Context, Selector, Snbl, simulate::TwoGroups};
///
/// let drawn = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// let selection = Snbl::default().select(&drawn.table.view(), &mut Context::seeded(7))?;
/// assert_eq!(selection.seed, 7);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Default)]
pub struct Context<'a> {
    /// The seed of all random numbers.
    pub seed: u64,
    progress: Option<&'a mut dyn Progress>,
}

impl<'a> Context<'a> {
    /// A context with this seed that reports progress.
    pub fn new(seed: u64, progress: &'a mut dyn Progress) -> Context<'a> {
        Context { seed, progress: Some(progress) }
    }

    /// A context with this seed and no progress reports.
    pub fn seeded(seed: u64) -> Context<'static> {
        Context { seed, progress: None }
    }
}

impl Progress for Context<'_> {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        self.progress.as_mut().is_none_or(|progress| progress.update(stage, done, total))
    }

    fn voice(&self) -> &'static dyn Voice {
        self.progress.as_ref().map_or(&RustVoice, |progress| progress.voice())
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("seed", &self.seed).finish_non_exhaustive()
    }
}
