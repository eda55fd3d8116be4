//! Progress on a terminal, and interrupts.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tamis::Progress;

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
    if INTERRUPTED.load(Ordering::SeqCst) { Err(tamis::Error::Cancelled) } else { Ok(()) }
}

/// A bar on standard error, drawn only on a terminal and only once the work has taken a second.
pub struct Bar {
    started: Instant,
    shown: bool,
    wanted: bool,
    stage: String,
    bar: ProgressBar,
}

impl Bar {
    pub fn new(quiet: bool) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let wanted = !quiet && std::io::stderr().is_terminal();
        Bar { started: Instant::now(), shown: false, wanted, stage: String::new(), bar }
    }
}

impl Progress for Bar {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        if INTERRUPTED.load(Ordering::SeqCst) {
            return false;
        }
        if !self.wanted || self.started.elapsed() < Duration::from_secs(1) {
            return true;
        }
        if !self.shown {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.stage != stage {
            self.stage = stage.into();
            self.bar.set_message(self.stage.clone());
            let template = match (total, stage) {
                (0, _) => "{spinner} {msg} {pos}",
                (_, "reading") => "{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left",
                _ => "{msg} [{bar:30}] {percent}%, {eta} left",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style.progress_chars("=> "));
            }
        }
        self.bar.set_length(total.max(1));
        self.bar.set_position(done);
        true
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
