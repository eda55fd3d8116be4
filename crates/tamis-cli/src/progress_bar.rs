//! Progress on a terminal.

use crate::args::RunOptions;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tamis::Progress;

/// A bar on standard error, drawn only on a terminal and only once the work has taken a second.
pub struct Bar {
    started: Instant,
    shown: bool,
    wanted: bool,
    verbose: bool,
    stage: String,
    stage_started: Instant,
    bar: ProgressBar,
}

impl Bar {
    pub fn new(running: &RunOptions) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let wanted = !running.quiet && std::io::stderr().is_terminal();
        let now = Instant::now();
        let (verbose, stage) = (running.verbose, "reading".into()); // every command begins with it
        Bar { started: now, shown: false, wanted, verbose, stage, stage_started: now, bar }
    }

    /// Says how long the stage took that ends here, where that is wanted.
    fn end_stage(&mut self) {
        if self.verbose && !self.stage.is_empty() {
            let seconds = self.stage_started.elapsed().as_secs_f64();
            let line = format!("{:<24}  {seconds:8.3} s", self.stage);
            // Nothing can be done if it cannot be written.
            self.bar.suspend(|| drop(writeln!(std::io::stderr(), "{line}")));
        }
        self.stage_started = Instant::now();
    }
}

impl Progress for Bar {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        let changed = self.stage != stage;
        if changed {
            self.end_stage();
            self.stage = stage.into();
        }
        if !self.wanted || self.started.elapsed() < Duration::from_secs(1) {
            return true;
        }
        let first = !self.shown;
        if first {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if changed || first {
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
        self.end_stage();
        self.bar.finish_and_clear();
    }
}
