//! Simulated tables with known truth: the papers' generators, any size, seeded.
//!
//! | kind | what | paper |
//! | --- | --- | --- |
//! | [`TwoGroups`] | two groups that differ in some features | – |
//! | [`UniformSum`] | the label tells whether some uniform features sum to more than expected | NPFS §IV |
//! | [`SparseScores`] | scores: zeros, and effects of a given shape | SNBL §8, adaptive sparsity §5 |
//! | [`TwoGaussians`] | two Gaussians in the plane among noise | PFCVM-EM §IV.A |
//! | [`Waveform`] | three classes of waves, with noise features behind them | PFCVM-LP §4.1 |
//! | [`Hypercube`] | clusters on the vertices of a cube, labelled at random: features that matter only together | madelon |

mod hypercube;
mod simulated_table;
mod sparse_scores;
mod two_gaussians;
mod two_groups;
mod uniform_sum;
mod waveform;

pub use hypercube::Hypercube;
pub use simulated_table::Simulated;
pub use sparse_scores::{Shape, SparseScores};
pub use two_gaussians::TwoGaussians;
pub use two_groups::TwoGroups;
pub use uniform_sum::UniformSum;
pub use waveform::Waveform;

use crate::base::parameter;
use crate::base::parameter::Parameter;
use crate::base::{Error, Result};
use serde::{Deserialize, Serialize};

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

impl From<Simulated> for Drawn {
    fn from(table: Simulated) -> Self {
        Drawn::Table(table)
    }
}

impl From<(Vec<f64>, Vec<f64>)> for Drawn {
    fn from((scores, truth): (Vec<f64>, Vec<f64>)) -> Self {
        Drawn::Scores { scores, truth }
    }
}

/// Every simulation: its type, the name users type, and a line on it.
macro_rules! simulations {
    ($($variant:ident($of:ty), $name:literal, $summary:literal;)*) => {
        /// A simulation by name, with its parameters.
        ///
        /// ```
        /// use tamis::prelude::*;
        /// use tamis::simulate::Drawn;
        ///
        /// let drawn = Simulation::from_settings("waveform", &[("rows", "60")])?.draw(1)?;
        /// assert!(matches!(drawn, Drawn::Table(simulated) if simulated.table.n_rows() == 60));
        /// # Ok::<(), Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Simulation {
            $(#[doc = concat!($summary, ".")] $variant($of),)*
        }

        impl Simulation {
            /// Every kind.
            pub fn catalogue() -> Vec<SimulationInfo> {
                vec![$(SimulationInfo {
                    name: $name,
                    summary: $summary,
                    default: Simulation::$variant(<$of>::default()),
                    parameters: <$of>::described(),
                }),*]
            }

            /// Draws it; the same seed gives the same bits.
            pub fn draw(&self, seed: u64) -> Result<Drawn> {
                match self {
                    $(Simulation::$variant(simulation) => simulation.draw(seed).map(Drawn::from),)*
                }
            }
        }
    };
}

simulations! {
    TwoGroups(TwoGroups), "two-groups", "two groups that differ in some features";
    Uniform(UniformSum), "uniform",
        "uniform features; the label tells whether some of them sum to more than expected (NPFS §IV)";
    SparseMeans(SparseScores), "sparse-means",
        "scores: zeros, and effects of a given shape (SNBL §8, adaptive sparsity §5)";
    TwoGaussians(TwoGaussians), "two-gaussians",
        "two Gaussians in the plane among features of noise (PFCVM-EM §IV.A)";
    Waveform(Waveform), "waveform",
        "three classes of waves on 21 features, followed by noise features (PFCVM-LP §4.1)";
    Hypercube(Hypercube), "hypercube",
        "clusters on the vertices of a cube, labelled at random: features that matter only together";
}

impl Simulation {
    /// The simulation of this name with some parameters set from text.
    pub fn from_settings(name: &str, settings: &[(&str, &str)]) -> Result<Simulation> {
        let all = Self::catalogue();
        let known = all.iter().map(|info| info.name.to_string()).collect();
        let found = all.into_iter().find(|info| info.name == name);
        let info = found.ok_or_else(|| Error::Unknown { kind: "simulation", name: name.into(), known })?;
        parameter::set(info.default, &info.parameters, settings)
    }
}
