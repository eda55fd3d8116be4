//! How long each stage of a run takes, for `--verbose`.

use std::time::Instant;

/// The stage that runs, and since when.
pub struct StageTimes {
    told: bool,
    stage: String,
    started: Instant,
}

impl StageTimes {
    /// Begins with reading, as every command does. Nothing is told unless `told`.
    pub fn new(told: bool) -> StageTimes {
        StageTimes { told, stage: "reading".into(), started: Instant::now() }
    }

    pub fn stage(&self) -> &str {
        &self.stage
    }

    /// Ends the stage and begins the next; the line to tell of the one that ended.
    pub fn begin(&mut self, stage: &str) -> Option<String> {
        let line = self.end();
        (self.stage, self.started) = (stage.into(), Instant::now());
        line
    }

    /// The line to tell of the stage that ends here.
    pub fn end(&self) -> Option<String> {
        let seconds = self.started.elapsed().as_secs_f64();
        (self.told && !self.stage.is_empty()).then(|| format!("{:<24}  {seconds:8.3} s", self.stage))
    }
}
