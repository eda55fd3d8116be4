//! Progress for the page in a browser, which runs the program as a module: lines on standard error that no message begins
//! like.

use crate::args::RunOptions;
use crate::option_names::Program;
use crate::stage_times::StageTimes;
use std::io::{self, Write};
use std::time::{Duration, Instant};
use tamis::Progress;
use tamis::front::Voice;

/// The first character of a line of progress, and what separates its stage, what is done and what there is to do.
const MARK: char = '\u{1e}';
const SEPARATOR: char = '\u{1f}';
/// The time between two lines of one stage.
const PAUSE: Duration = Duration::from_millis(50);

/// Writes a line at the beginning of every stage, and then now and again.
pub struct Bar {
    wanted: bool,
    last: Option<Instant>,
    times: StageTimes,
}

impl Bar {
    pub fn new(running: &RunOptions) -> Bar {
        Bar { wanted: !running.quiet, last: None, times: StageTimes::new(running.verbose) }
    }
}

impl Progress for Bar {
    fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
        let changed = self.times.stage() != stage;
        if changed && let Some(line) = self.times.begin(stage) {
            write_line(&line);
        }
        if self.wanted && (changed || self.last.is_none_or(|last| last.elapsed() >= PAUSE)) {
            self.last = Some(Instant::now());
            write_line(&format!("{MARK}{stage}{SEPARATOR}{done}{SEPARATOR}{total}"));
        }
        true
    }

    fn voice(&self) -> &'static dyn Voice {
        &Program
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(line) = self.times.end() {
            write_line(&line);
        }
    }
}

/// One write a line: the page hears each at once.
fn write_line(line: &str) {
    // Nothing can be done if it cannot be written.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
