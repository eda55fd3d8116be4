//! Simulated tables with known truth: the papers' generators, any size, seeded.
//!
//! | kind | what | paper |
//! | --- | --- | --- |
//! | [`TwoGroups`] | two groups that differ in some features | – |
//! | [`UniformSum`] | the label tells whether some uniform features sum to more than expected | NPFS §IV |
//! | [`SparseMeans`] | scores: zeros, and effects of a given shape | SNBL §8, adaptive sparsity §5 |
//! | [`TwoGaussians`] | two Gaussians in the plane among noise | PFCVM-EM §IV.A |
//! | [`Waveform`] | three classes of waves, with noise features behind them | PFCVM-LP §4.1 |
//! | [`Hypercube`] | clusters on the vertices of a cube, labelled at random: features that matter only together | madelon |

mod hypercube;
mod sparse_scores;
mod two_gaussians;
mod two_groups;
mod uniform_sum;
mod waveform;

pub use hypercube::Hypercube;
pub use sparse_scores::{Shape, SparseMeans};
pub use two_gaussians::TwoGaussians;
pub use two_groups::TwoGroups;
pub use uniform_sum::UniformSum;
pub use waveform::Waveform;

use crate::base::parameter;
use crate::base::parameter::Parameter;
use crate::base::{Error, Result};
use crate::numeric::random::standard_normal as normal;
use crate::table::{Table, Target};
use serde::{Deserialize, Serialize};

/// A simulation by name, with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Simulation {
    /// Two groups that differ in some features.
    TwoGroups(TwoGroups),
    /// A threshold on the sum of some uniform features.
    Uniform(UniformSum),
    /// Scores with zeros and effects.
    SparseMeans(SparseMeans),
    /// Two Gaussians in the plane among noise.
    TwoGaussians(TwoGaussians),
    /// Three classes of waves.
    Waveform(Waveform),
    /// Clusters on a cube.
    Hypercube(Hypercube),
}

/// A simulation's page for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SimulationInfo {
    /// The name users type.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The simulation with its defaults.
    pub default: Simulation,
    /// Its parameters, in the order they are explained.
    pub parameters: Vec<Parameter>,
}

/// A table and the truth behind it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Simulated {
    /// The table.
    pub table: Table,
    /// The simulated effect of each feature; 0 for noise.
    pub truth: Vec<f64>,
}

/// The outcome of a simulation.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Drawn {
    /// A table.
    Table(Simulated),
    /// Scores and their true means.
    Scores {
        /// z_i = μ_i + noise.
        scores: Vec<f64>,
        /// μ_i.
        truth: Vec<f64>,
    },
}

const ROWS: Parameter = Parameter { name: "rows", range: "a whole number from 4", purpose: "how many rows" };
const FEATURES: Parameter =
    Parameter { name: "features", range: "a whole number from 1", purpose: "how many features" };
const RELEVANT: Parameter =
    Parameter { name: "relevant", range: "a whole number up to `features`", purpose: "how many features matter" };

impl Simulation {
    /// Every kind.
    pub fn catalogue() -> Vec<SimulationInfo> {
        vec![
            two_groups::info(),
            uniform_sum::info(),
            sparse_scores::info(),
            two_gaussians::info(),
            waveform::info(),
            hypercube::info(),
        ]
    }

    /// The simulation of this name with some parameters set from text.
    pub fn from_settings(name: &str, settings: &[(&str, &str)]) -> Result<Simulation> {
        let all = Self::catalogue();
        let known = all.iter().map(|info| info.name.to_string()).collect();
        let found = all.into_iter().find(|info| info.name == name);
        let info = found.ok_or_else(|| Error::Unknown { kind: "simulation", name: name.into(), known })?;
        parameter::set(info.default, &info.parameters, settings)
    }

    /// Draws it; the same seed gives the same bits.
    pub fn draw(&self, seed: u64) -> Result<Drawn> {
        match self {
            Simulation::TwoGroups(s) => s.draw(seed).map(Drawn::Table),
            Simulation::Uniform(s) => s.draw(seed).map(Drawn::Table),
            Simulation::TwoGaussians(s) => s.draw(seed).map(Drawn::Table),
            Simulation::Waveform(s) => s.draw(seed).map(Drawn::Table),
            Simulation::Hypercube(s) => s.draw(seed).map(Drawn::Table),
            Simulation::SparseMeans(s) => s.draw(seed).map(|(scores, truth)| Drawn::Scores { scores, truth }),
        }
    }
}

/// Four decimals, as measured data have them.
fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// Refuses sizes nothing can be drawn for.
fn check(rows: usize, features: usize, relevant: usize) -> Result<()> {
    if rows < 4 {
        return Err(Error::parameter("rows", rows, "at least 4 are needed"));
    }
    if features == 0 {
        return Err(Error::parameter("features", features, "at least 1 is needed"));
    }
    if relevant > features {
        return Err(Error::parameter("relevant", relevant, format!("there are {features} features")));
    }
    // counted in 64 bits: the bound itself does not fit a usize of 32
    if (rows as u64).checked_mul(features as u64).is_none_or(|cells| cells > 1 << 33) {
        return Err(Error::parameter("rows", rows, format!("with {features} features that is more than 64 GB")));
    }
    Ok(())
}

/// A table with features f1…fK and a label per row.
fn table(columns: Vec<Vec<f64>>, target_name: &str, labels: &[String], truth: Vec<f64>) -> Result<Simulated> {
    let width = columns.len().to_string().len();
    let names = (1..=columns.len()).map(|j| format!("f{j:0width$}")).collect();
    let labels: Vec<Option<&String>> = labels.iter().map(Some).collect();
    Ok(Simulated { table: Table::new(names, columns, target_name, Target::classes(&labels))?, truth })
}
