//! What an average over the states of the noise takes, stage by stage.

use crate::peak;
use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use serde_json::{Map, json};
use tamis::Progress;
use tamis::numeric::random;
use tamis::sparse_means::noise_states::{Naming, Noise, explain};
use tamis::sparse_means::null_scores::HeldNullScores;
use tamis::sparse_means::{Curves, Sides};

/// CPU seconds of each stage, in the order of their begin.
struct Stages {
    since: ProcessTime,
    seconds: Vec<(String, f64)>,
}

impl Stages {
    fn new() -> Stages {
        Stages { since: ProcessTime::now(), seconds: vec![] }
    }

    /// Ends the running stage, and begins another.
    fn begin(&mut self, stage: &str) {
        if let Some((_, seconds)) = self.seconds.last_mut() {
            *seconds += self.since.elapsed().as_secs_f64();
        }
        self.since = ProcessTime::now();
        self.seconds.push((stage.into(), 0.0));
    }
}

impl Progress for Stages {
    fn update(&mut self, stage: &str, _: u64, _: u64) -> bool {
        if self.seconds.last().is_none_or(|(running, _)| running != stage) {
            self.begin(stage);
        }
        true
    }
}

/// What it took: the states averaged, the features named, and CPU seconds by stage.
pub struct Took {
    pub states: usize,
    pub named: usize,
    pub stages: Vec<(String, f64)>,
}

impl Took {
    /// The CPU seconds of all stages.
    pub fn seconds(&self) -> f64 {
        self.stages.iter().map(|(_, seconds)| seconds).sum()
    }

    /// The CPU seconds of the stages whose names hold this word.
    pub fn seconds_of(&self, word: &str) -> f64 {
        self.stages.iter().filter(|(stage, _)| stage.contains(word)).map(|(_, seconds)| seconds).sum()
    }
}

/// `features` scores of which a tenth have effects, and `rows` null rows that differ in centre and width. The least of
/// three.
pub fn measured(features: usize, rows: usize) -> Took {
    let row = |r: usize| -> Vec<f64> {
        let mut rng = random::stream(9, r as u64);
        let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
        let (centre, width) = (0.3 * draw(), (0.15 * draw()).exp());
        (0..features).map(|_| centre + width * draw()).collect()
    };
    let mut z = row(0);
    z.iter_mut().step_by(10).for_each(|z| *z += 4.0);
    let nulls =
        HeldNullScores { states: (1..=rows).map(row).collect(), gate: (rows + 1..=2 * rows).map(row).collect() };
    let one = || {
        let mut stages = Stages::new();
        let noise = Noise::Table { nulls: &nulls, residual_dimension: 60 };
        let answer =
            explain(&z, Sides::Two, noise, Naming { fdr: 0.1, quiet: 0.99 }, Curves::Drawn, &mut stages).unwrap();
        stages.begin("end");
        stages.seconds.pop();
        Took { states: answer.states, named: answer.named.len(), stages: stages.seconds }
    };
    (0..3).map(|_| one()).min_by(|a, b| a.seconds().total_cmp(&b.seconds())).unwrap()
}

/// Prints what was [measured].
pub fn time(features: usize, rows: usize) {
    let took = measured(features, rows);
    let stages: Map<String, serde_json::Value> =
        took.stages.iter().map(|(stage, seconds)| (stage.clone(), json!(seconds))).collect();
    println!(
        "{}",
        json!({ "seconds": took.seconds(), "stages": stages, "states": took.states, "named": took.named,
            "peak_bytes": peak() })
    );
}
