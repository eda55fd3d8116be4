//! Long work off the interpreter: without its lock, on a pool of its own, stopped by an interrupt, and never a panic.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tamis::Progress;

/// How long the interpreter waits before it looks for signals again.
const LOOK: Duration = Duration::from_millis(200);

/// Shared with the worker: whether it should stop, and where it is.
#[derive(Default)]
struct Watch {
    cancelled: AtomicBool,
    /// The stage, and how much of how much of it is done.
    at: Mutex<(String, u64, u64)>,
}

struct Reporter<'a>(&'a Watch);

impl Progress for Reporter<'_> {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        if let Ok(mut at) = self.0.at.lock() {
            if at.0 != stage {
                at.0.clear();
                at.0.push_str(stage);
            }
            (at.1, at.2) = (done, total);
        }
        !self.0.cancelled.load(Ordering::Relaxed)
    }
}

/// Pools that exist in this process. Threads do not survive a fork, so those of the parent are left alone.
static POOLS: Mutex<Vec<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(Vec::new());

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let make = || {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("tamis-{i}"))
            .build()
            .map(Arc::new)
            .map_err(|e| PyRuntimeError::new_err(format!("cannot start {threads} threads: {e}")))
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

/// Does `work` on `threads` threads (0: as many as there are cores) with the interpreter free for others. `say`, if it is
/// not None, is called with the stage and how much of how much is done, a few times a second. The outer result fails if
/// the work was interrupted or panicked, the inner one is its own.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    say: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&mut dyn Progress) -> tamis::Result<T> + Send,
) -> PyResult<tamis::Result<T>> {
    let pool = pool(threads)?;
    let say = say.map(|f| f.clone().unbind());
    let watch = &Watch::default();
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, waiting) = channel();
            let inside = move || catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&mut Reporter(watch)))));
            let spawned = std::thread::Builder::new().spawn_scoped(scope, move || {
                let _ = done.send(inside()); // the other end waits for it
            });
            if let Err(e) = spawned {
                return Err(PyRuntimeError::new_err(format!("cannot start a thread: {e}")));
            }
            let mut stopped = None;
            loop {
                match waiting.recv_timeout(LOOK) {
                    Ok(outcome) => return Ok((outcome, stopped)),
                    Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the worker is gone")),
                    Err(RecvTimeoutError::Timeout) if stopped.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        stopped = Python::attach(|py| look(py, watch, say.as_ref())).err();
                        watch.cancelled.store(stopped.is_some(), Ordering::Relaxed);
                    }
                }
            }
        })
    })?;
    match outcome {
        (_, Some(stopped)) => Err(stopped),
        (Ok(done), None) => Ok(done),
        (Err(panic), None) => Err(of_panic(&*panic)),
    }
}

/// Raises the exception of a signal that arrived, and says where the work is.
fn look(py: Python<'_>, watch: &Watch, say: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let Some(say) = say {
        let at = watch.at.lock().map(|at| at.clone()).unwrap_or_default();
        say.call1(py, at)?;
    }
    Ok(())
}

fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("a fault inside tamis, please report it: {}", text.unwrap_or("unknown")))
}
