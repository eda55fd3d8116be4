//! Interrupts: the program ends at once, and temporary files go first.

#[cfg(not(target_os = "wasi"))]
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis::Result;
use tamis::front::atomic_file::{Output, rename_all};

/// Temporary files that exist. Whoever holds the lock is not interrupted.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that grows beyond a bound set by `ulimit -f` is an error of the write, and no signal that ends the program
/// without a word: it is kept from this thread and from those that it starts.
#[cfg(unix)]
pub fn bear_file_size_limits() {
    use nix::sys::signal::{SigSet, Signal};
    let mut bounds = SigSet::empty();
    bounds.add(Signal::SIGXFSZ);
    // Where it cannot be kept away, it ends the program as before.
    let _ = bounds.thread_block();
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn bear_file_size_limits() {}

/// The first interrupt ends the program, wherever it is: even a write to a pipe without a reader.
#[cfg(not(target_os = "wasi"))]
pub fn listen_for_interrupts() {
    // Without a handler an interrupt simply ends the program: nothing to report.
    let _ = ctrlc::set_handler(|| {
        let names = temporary(); // held until the end: no file gets its name any more
        names.iter().for_each(|name| drop(std::fs::remove_file(name)));
        let _ = writeln!(std::io::stderr(), "tamis: interrupted");
        std::process::exit(130);
    });
}

/// A page in a browser that is interrupted leaves nothing behind.
#[cfg(target_os = "wasi")]
pub fn listen_for_interrupts() {}

/// Creates a temporary file that an interrupt removes.
pub fn create(path: &std::path::Path) -> Result<Output> {
    let mut names = temporary();
    let output = Output::create(path)?;
    names.extend(output.temporary_name().map(PathBuf::from));
    Ok(output)
}

/// Whether a file could be put there; no interrupt leaves the file that is tried.
pub fn check(path: &std::path::Path) -> Result<()> {
    let _names = temporary();
    Output::check(path)
}

/// Gives files their names, all or none: an interrupt comes before or after.
pub fn rename(outputs: Vec<Output>) -> Result<()> {
    let mut names = temporary();
    let done = rename_all(outputs);
    names.clear();
    done
}

/// The list, whatever another thread did with it: names are only added, and removing one twice is no harm.
fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}
