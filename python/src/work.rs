//! Long work off the interpreter: without its lock, stopped by an interrupt, and never a panic.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::time::Duration;
use tamis::Progress;
use tamis::front::{Voice, in_background};

/// How long the interpreter waits before it looks for signals again.
const LOOK: Duration = Duration::from_millis(200);

/// Does `work` on `threads` threads (0: as many as there are cores) with the interpreter free for others. `say`, if it is
/// not None, is called with the stage and how much of how much is done, a few times a second. The outer result fails if
/// the work was interrupted or panicked, the inner one is its own.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    say: Option<&Bound<'_, PyAny>>,
    voice: &'static dyn Voice,
    work: impl FnOnce(&mut dyn Progress) -> tamis::Result<T> + Send,
) -> PyResult<tamis::Result<T>> {
    let say = say.map(|f| f.clone().unbind());
    let mut stopped = None;
    let outcome = py.detach(|| {
        in_background(threads, LOOK, voice, work, |stage, done, total| {
            stopped = Python::attach(|py| look(py, (stage, done, total), say.as_ref())).err();
            stopped.is_none()
        })
    });
    match stopped {
        Some(stopped) => Err(stopped),
        None => outcome.map_err(|fault| PyRuntimeError::new_err(fault.to_string())),
    }
}

/// Raises the exception of a signal that arrived, and says where the work is.
fn look(py: Python<'_>, at: (&str, u64, u64), say: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    if let Some(say) = say {
        say.call1(py, at)?;
    }
    Ok(())
}
