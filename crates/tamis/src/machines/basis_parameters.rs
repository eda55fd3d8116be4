//! The kernel of a vector machine and the rows that are its bases: parameters that all machines share.

use super::kernel::{Kernel, KernelShape};
use crate::base::parameter::parameters;
use crate::base::{Auto, Error, Result};
use crate::numeric::random;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Rows up to which every row is a basis.
const ALL_BASES: usize = 400;
/// Bases beyond that.
const SOME_BASES: usize = 200;

/// What there is to say of parameters that several machines have, for the tables of parameters.
macro_rules! shared {
    (degree range) => {
        "1…20"
    };
    (degree purpose) => {
        "degree of kernel=poly"
    };
    (bases range) => {
        "auto, 2…"
    };
    (bases purpose) => {
        "candidate bases; auto: all rows up to 400, else 200 drawn at random"
    };
    (flag range) => {
        "true, false"
    };
    (samplewise purpose) => {
        "standardise each row over the features first, as for gene expression"
    };
    (tol range) => {
        "1e-12…0.1"
    };
    (evidence purpose) => {
        "stop when the relative change of the evidence is smaller, three times in a row"
    };
    (weights purpose) => {
        "stop when the relative change of the samples' weights is smaller"
    };
    (kappa range) => {
        "0.001…100"
    };
    (kappa purpose) => {
        "strictness for samples: a sample is kept if the size of its z exceeds 2√kappa"
    };
    (steps range) => {
        "1…100000"
    };
}
pub(super) use shared;

parameters! {
    /// The kernel and its bases.
    #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct BasisParameters {
        kernel: KernelShape = KernelShape::Linear, "linear, rbf, poly", "the kernel that compares rows";
        degree: u32 = 2, shared!(degree range), shared!(degree purpose);
        bases: Auto<usize> = Auto::Auto, shared!(bases range), shared!(bases purpose);
        samplewise: bool = false, shared!(flag range), shared!(samplewise purpose);
    }
}

impl BasisParameters {
    /// The defaults, with this kernel.
    pub fn of(kernel: KernelShape) -> BasisParameters {
        BasisParameters { kernel, ..BasisParameters::default() }
    }

    pub(super) fn validate(&self) -> Result<()> {
        check("degree", f64::from(self.degree), 1.0, 20.0)?;
        check("bases", self.bases.or(2) as f64, 2.0, 1e6)
    }

    pub(super) fn overruled(&self, key: &str) -> Option<&'static str> {
        (key == "degree" && self.kernel != KernelShape::Poly).then_some("kernel")
    }

    /// The kernel for this many features.
    pub(super) fn of_features(&self, features: usize) -> Kernel {
        Kernel { shape: self.kernel, degree: self.degree, scale: 1.0 / features as f64 }
    }

    /// How many rows are bases.
    pub(super) fn n_bases(&self, rows: usize) -> usize {
        self.bases.or(if rows > ALL_BASES { SOME_BASES } else { rows }).min(rows)
    }

    /// Rows that are bases: all, or some of each sign in proportion, fresh for every problem and start.
    pub(super) fn draw(&self, y: &[f64], seed: u64, problem: usize, start: usize) -> Vec<usize> {
        let (rows, wanted) = (y.len(), self.n_bases(y.len()));
        if wanted >= rows {
            return (0..rows).collect();
        }
        let mut rng = random::stream(seed, ((problem as u64) << 32) + start as u64);
        let mut chosen = Vec::new();
        for sign in [-1.0, 1.0] {
            let mut of_class: Vec<usize> = (0..rows).filter(|&i| y[i] == sign).collect();
            let share = (wanted as f64 * of_class.len() as f64 / rows as f64).round() as usize;
            for at in 0..share.clamp(1, of_class.len()) {
                let other = rng.random_range(at..of_class.len());
                of_class.swap(at, other);
                chosen.push(of_class[at]);
            }
        }
        chosen.sort_unstable();
        chosen
    }
}

/// Refuses a tolerance or a number of iterations out of its range.
pub(super) fn check_stopping(tol: f64, max_iter: usize) -> Result<()> {
    check("tol", tol, 1e-12, 0.1)?;
    check("max_iter", max_iter as f64, 1.0, 1e5)
}

/// Refuses a parameter out of its range.
pub(super) fn check(name: &'static str, value: f64, low: f64, high: f64) -> Result<()> {
    let expected = format!("it takes {low}…{high}");
    if (low..=high).contains(&value) { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
}
