//! Progress on a terminal.

use crate::args::RunOptions;
use crate::option_names::Program;
use crate::stage_times::StageTimes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tamis::Progress;
use tamis::front::Voice;

/// A bar on standard error, drawn only on a terminal and only once the work has taken a second.
pub struct Bar {
    started: Instant,
    shown: bool,
    wanted: bool,
    times: StageTimes,
    bar: ProgressBar,
}

impl Bar {
    pub fn new(running: &RunOptions) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let wanted = !running.quiet && std::io::stderr().is_terminal();
        Bar { started: Instant::now(), shown: false, wanted, times: StageTimes::new(running.verbose), bar }
    }

    /// Writes a line above the bar.
    fn tell(&self, line: Option<String>) {
        if let Some(line) = line {
            // Nothing can be done if it cannot be written.
            self.bar.suspend(|| drop(writeln!(std::io::stderr(), "{line}")));
        }
    }
}

impl Progress for Bar {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        let changed = self.times.stage() != stage;
        if changed {
            let line = self.times.begin(stage);
            self.tell(line);
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
            self.bar.set_message(stage.to_string());
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

    fn voice(&self) -> &'static dyn Voice {
        &Program
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.tell(self.times.end());
        self.bar.finish_and_clear();
    }
}
