//! How long work reports where it is, and how it is told to stop.

use crate::{Error, Result};

/// Receives what stage the work is at; the front ends draw a bar or raise an interrupt from it.
pub trait Progress {
    /// `done` of `total` units of `stage` are finished (`total` 0: not known). Returning `false` cancels.
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool;

    /// [`Progress::update`], as a result.
    fn step(&mut self, stage: &str, done: u64, total: u64) -> Result<()> {
        if self.update(stage, done, total) { Ok(()) } else { Err(Error::Cancelled) }
    }
}

/// Reports nothing, never cancels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&mut self, _: &str, _: u64, _: u64) -> bool {
        true
    }
}
