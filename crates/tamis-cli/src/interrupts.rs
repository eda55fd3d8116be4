//! Interrupts: the program ends at once, or once the files it is writing are cleaned up.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Temporary files exist: an interrupt must let them be cleaned up.
static WRITING: AtomicBool = AtomicBool::new(false);

/// An interrupt ends the program at once, unless files are being written: then the writing is asked to stop and clean
/// up, and only a second interrupt does not wait.
pub fn listen_for_interrupts() {
    // Without a handler an interrupt simply ends the program: nothing to report.
    let _ = ctrlc::set_handler(|| {
        let again = INTERRUPTED.swap(true, Ordering::SeqCst);
        if again || !WRITING.load(Ordering::SeqCst) {
            let _ = writeln!(std::io::stderr(), "tamis: interrupted");
            std::process::exit(130);
        }
    });
}

/// From here on, interrupts wait for files to be cleaned up.
pub fn start_writing() {
    WRITING.store(true, Ordering::SeqCst);
}

/// Stops here if the user has asked for it.
pub fn check_interrupt() -> tamis::Result<()> {
    if interrupted() { Err(tamis::Error::Cancelled) } else { Ok(()) }
}

/// Whether the user has asked to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
