//! Long work beside R's only thread: stopped by an interrupt, shown as it goes on, and never a panic.

use crate::voice::RVoice;
use extendr_api::prelude::*;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use tamis::front::{BackgroundFault, in_background};
use tamis::{Context, Error};

/// How long R waits before it looks for an interrupt again.
const LOOK: Duration = Duration::from_millis(100);
/// Looks between two lines of progress.
const LOOKS_PER_LINE: u32 = 5;
/// The width of a line of progress, which the next one covers.
const LINE: usize = 60;

unsafe extern "C-unwind" {
    fn R_ToplevelExec(function: unsafe extern "C-unwind" fn(*mut c_void), data: *mut c_void) -> c_int;
    fn R_CheckUserInterrupt();
}

/// Why there is no answer.
pub enum Failure {
    /// What the user should read.
    Words(String),
    /// The user has interrupted the work.
    Interrupted,
}

/// An answer, or why there is none.
pub type Outcome<T> = std::result::Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Cancelled => Failure::Interrupted,
            other => Failure::Words(other.say(&RVoice)),
        }
    }
}

impl From<BackgroundFault> for Failure {
    fn from(fault: BackgroundFault) -> Failure {
        Failure::Words(fault.to_string())
    }
}

/// Threads, seed, and whether progress is shown: R gives them with every call.
pub struct How {
    threads: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    progress: bool,
}

impl How {
    /// The list `how` of R.
    pub fn of(list: &List) -> How {
        let number = |name: &str| list.dollar(name).ok().and_then(|x| x.as_real()).unwrap_or(0.0);
        let flag = list.dollar("progress").ok().and_then(|x| x.as_bool());
        How { threads: number("threads") as usize, seed: number("seed") as u64, progress: flag.unwrap_or(false) }
    }

    /// Does `work` in the background while R's thread looks for interrupts and shows progress.
    pub fn run<T: Send>(&self, work: impl FnOnce(&mut Context) -> tamis::Result<T> + Send) -> Outcome<T> {
        let (seed, mut looks, mut stopped) = (self.seed, 0, false);
        let outcome = in_background(
            self.threads,
            LOOK,
            &RVoice,
            |progress| work(&mut Context::new(seed, progress)),
            |stage, done, total| {
                looks += 1;
                if self.progress && looks % LOOKS_PER_LINE == 0 {
                    print(stage, done, total);
                }
                stopped = interrupted();
                !stopped
            },
        );
        if self.progress && looks >= LOOKS_PER_LINE {
            reprint!("\r{:width$}\r", "", width = LINE + 7);
        }
        match stopped {
            true => Err(Failure::Interrupted),
            false => Ok(outcome??),
        }
    }
}

fn print(stage: &str, done: u64, total: u64) {
    let share = if total > 0 { format!(" ({:.0} %)", 100.0 * done as f64 / total as f64) } else { String::new() };
    reprint!("\rtamis: {:<LINE$}", format!("{stage}{share}"));
}

/// Whether the user has interrupted R since the last look. R leaves the check by a long jump, which ends in
/// `R_ToplevelExec`; nothing in between has anything to clean up.
fn interrupted() -> bool {
    unsafe extern "C-unwind" fn check(_: *mut c_void) {
        unsafe { R_CheckUserInterrupt() }
    }
    unsafe { R_ToplevelExec(check, std::ptr::null_mut()) == 0 }
}

/// The answer of a function for R: its list, or a list with `error` or `interrupted`.
pub fn answer(work: impl FnOnce() -> Outcome<List>) -> List {
    let outcome = catch_unwind(AssertUnwindSafe(work));
    match outcome.unwrap_or_else(|panic| Err(BackgroundFault::of_panic(&*panic).into())) {
        Ok(list) => list,
        Err(Failure::Words(words)) => list!(error = words),
        Err(Failure::Interrupted) => list!(interrupted = true),
    }
}
