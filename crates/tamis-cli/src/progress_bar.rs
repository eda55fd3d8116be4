//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use tamis::Progress;

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
