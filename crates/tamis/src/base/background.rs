//! Long work on a pool of threads, while the caller's thread looks on: for interpreters, which have only one.

use super::{Progress, Voice};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Why work was not done at all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackgroundFault {
    /// Threads cannot be started.
    NoThreads(String),
    /// The work panicked, with these words.
    Panicked(String),
}

impl fmt::Display for BackgroundFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackgroundFault::NoThreads(reason) => write!(f, "cannot start threads: {reason}"),
            BackgroundFault::Panicked(words) => write!(f, "a fault inside tamis, please report it: {words}"),
        }
    }
}

impl BackgroundFault {
    /// A panic in words.
    pub fn of_panic(panic: &(dyn Any + Send)) -> BackgroundFault {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        BackgroundFault::Panicked(text.unwrap_or("unknown").into())
    }
}

/// Does `work` on a pool of `threads` threads (0: as many as there are cores). Meanwhile, every `pause`, `look` is called on
/// the caller's thread with the stage and how much of how much of it is done; once it returns `false` the work is
/// cancelled, and it is not called again. The answer has the names of `voice`.
///
/// # Errors
///
/// Threads that cannot be started, and a panic of the work.
pub fn in_background<T: Send>(
    threads: usize,
    pause: Duration,
    voice: &'static dyn Voice,
    work: impl FnOnce(&mut dyn Progress) -> T + Send,
    mut look: impl FnMut(&str, u64, u64) -> bool,
) -> std::result::Result<T, BackgroundFault> {
    let pool = pool(threads)?;
    let watch = &Watch::default();
    let outcome = std::thread::scope(|scope| {
        let (done, waiting) = channel();
        let inside = move || catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&mut Reporter { watch, voice }))));
        let spawned = std::thread::Builder::new().spawn_scoped(scope, move || {
            let _ = done.send(inside()); // the other end waits for it
        });
        if let Err(error) = spawned {
            return Err(BackgroundFault::NoThreads(error.to_string()));
        }
        loop {
            match waiting.recv_timeout(pause) {
                Ok(outcome) => return Ok(outcome),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(BackgroundFault::Panicked("the worker is gone".into()));
                }
                Err(RecvTimeoutError::Timeout) if watch.cancelled.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => {
                    let (stage, done, total) = watch.at.lock().map(|at| at.clone()).unwrap_or_default();
                    watch.cancelled.store(!look(&stage, done, total), Ordering::Relaxed);
                }
            }
        }
    })?;
    outcome.map_err(|panic| BackgroundFault::of_panic(&*panic))
}

/// Shared with the worker: whether it should stop, and where it is.
#[derive(Default)]
struct Watch {
    cancelled: AtomicBool,
    /// The stage, and how much of how much of it is done.
    at: Mutex<(String, u64, u64)>,
}

struct Reporter<'a> {
    watch: &'a Watch,
    voice: &'static dyn Voice,
}

impl Progress for Reporter<'_> {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        if let Ok(mut at) = self.watch.at.lock() {
            if at.0 != stage {
                at.0.clear();
                at.0.push_str(stage);
            }
            (at.1, at.2) = (done, total);
        }
        !self.watch.cancelled.load(Ordering::Relaxed)
    }

    fn voice(&self) -> &'static dyn Voice {
        self.voice
    }
}

/// Pools that exist in this process. Threads do not survive a fork, so those of the parent are left alone.
static POOLS: Mutex<Vec<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(Vec::new());

fn pool(threads: usize) -> std::result::Result<Arc<ThreadPool>, BackgroundFault> {
    let make = || {
        let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("tamis-{i}")).build();
        made.map(Arc::new).map_err(|error| BackgroundFault::NoThreads(error.to_string()))
    };
    // a fork may have copied the lock as another thread held it: then a pool is made for this once
    let Ok(mut pools) = POOLS.try_lock() else { return make() };
    let here = std::process::id();
    if pools.iter().any(|(process, ..)| *process != here) {
        std::mem::take(&mut *pools).into_iter().for_each(std::mem::forget);
    }
    if let Some((.., found)) = pools.iter().find(|(_, n, _)| *n == threads) {
        return Ok(Arc::clone(found));
    }
    let made = make()?;
    pools.push((here, threads, Arc::clone(&made)));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::RustVoice;

    const PAUSE: Duration = Duration::from_millis(2);

    #[test]
    fn looking_on_sees_the_stage_and_cancels() {
        let mut seen = vec![];
        let steps = in_background(
            1,
            PAUSE,
            &RustVoice,
            |progress| {
                let mut steps = 0;
                while progress.update("counting", steps, 0) {
                    steps += 1;
                    std::thread::sleep(PAUSE);
                }
                steps
            },
            |stage, done, _| {
                seen.push(stage.to_string());
                seen.len() < 5 || done == 0 // on a busy machine the work begins late
            },
        );
        assert!(steps.expect("no fault") > 0);
        assert!(seen.len() >= 5 && seen.last().is_some_and(|stage| stage == "counting"), "{seen:?}");
    }

    #[test]
    fn a_panic_is_a_fault_and_the_pool_still_works() {
        let fault = in_background(1, PAUSE, &RustVoice, |_| -> u32 { panic!("on purpose") }, |_, _, _| true);
        assert_eq!(fault, Err(BackgroundFault::Panicked("on purpose".into())));
        assert_eq!(in_background(1, PAUSE, &RustVoice, |_| 7, |_, _, _| true), Ok(7));
    }
}
