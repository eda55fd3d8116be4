//! All machines of a classifier: one, or several to be averaged, for every class against the others.

use crate::base::Result;
use crate::machines::machine::{Machine, PreparedMachine};
use crate::model::{Fitted, Standardise};
use crate::table::View;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows predicted at a time: a block of them and their kernel fit a core's cache.
const BLOCK: usize = 1024;

/// A classifier made of vector machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machines {
    /// How rows are standardised.
    pub standardise: Standardise,
    /// How many classes there are.
    pub n_classes: usize,
    /// Which class each list of machines tells from the others; of two classes, only the positive one.
    pub classes: Vec<usize>,
    /// For each of these classes its share of the training rows, where no machine learned anything about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Option<f64>>,
    /// For each of these classes a weight per machine, of sum 1; empty where all count alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<Vec<f64>>,
    /// For each of these classes: machines whose probabilities are averaged; none where only the share is known.
    pub machines: Vec<Vec<Machine>>,
}

impl Machines {
    /// Positions of the features that any machine uses, in order.
    fn used(&self) -> Vec<usize> {
        let mut used = vec![false; self.standardise.names.len()];
        self.machines.iter().flatten().flat_map(|m| &m.features).for_each(|&k| used[k] = true);
        (0..used.len()).filter(|&k| used[k]).collect()
    }

    /// The share of a class, by position among those told from the others, that no machine learned anything about.
    fn share(&self, at: usize) -> Option<f64> {
        self.shares.get(at).copied().flatten()
    }

    /// How much a machine of a class counts.
    fn weight(&self, at: usize, machine: usize) -> f64 {
        match self.weights.get(at) {
            Some(weights) => weights[machine],
            None => 1.0 / self.machines[at].len() as f64,
        }
    }

    /// How many samples were kept as bases by the likeliest machines.
    pub fn samples(&self) -> usize {
        self.machines.iter().filter_map(|m| m.first()).map(|m| m.bases.len()).sum()
    }
}

impl Fitted for Machines {
    fn features(&self) -> Vec<&str> {
        self.used().into_iter().map(|k| self.standardise.names[k].as_str()).collect()
    }

    fn column_names(&self) -> Vec<&str> {
        if self.standardise.samplewise {
            return self.standardise.names.iter().map(String::as_str).collect();
        }
        self.features()
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        let classes = self.n_classes;
        let used = self.used();
        let bound = self.standardise.bind(data, used.clone())?;
        let prepared: Vec<Vec<(PreparedMachine, Vec<usize>)>> = self
            .machines
            .iter()
            .map(|of_class| {
                let places = |m: &Machine| m.features.iter().map(|k| used.partition_point(|u| u < k)).collect();
                of_class.iter().map(|m| (m.prepare(), places(m))).collect()
            })
            .collect();
        // [class][row] of a block of rows
        let block = |rows: &[u32]| -> Vec<Vec<f64>> {
            let x = bound.standardised(rows);
            let of_class = |(at, machines): (usize, &Vec<(PreparedMachine, Vec<usize>)>)| {
                let mut sum = vec![self.share(at).unwrap_or(0.0); rows.len()];
                for (machine, (prepared, places)) in machines.iter().enumerate() {
                    let (_, p) = prepared.predict(&x.select_columns(places));
                    let weight = self.weight(at, machine);
                    sum.iter_mut().zip(p).for_each(|(s, p)| *s += weight * p);
                }
                sum
            };
            prepared.iter().enumerate().map(of_class).collect()
        };
        let blocks: Vec<Vec<Vec<f64>>> = data.rows().par_chunks(BLOCK).map(block).collect();
        let mut found = vec![Vec::with_capacity(data.rows().len()); classes];
        for block in blocks {
            let rows = block[0].len();
            if classes == 2 {
                // one machine speaks for both
                let (yes, no) = (self.classes[0], 1 - self.classes[0]);
                found[no].extend(block[0].iter().map(|p| 1.0 - p));
                found[yes].extend(&block[0]);
                continue;
            }
            for row in 0..rows {
                let total: f64 = block.iter().map(|p| p[row]).sum();
                found.iter_mut().for_each(|p| p.push(0.0));
                let last = found[0].len() - 1;
                for (at, &class) in self.classes.iter().enumerate() {
                    found[class][last] = if total > 0.0 { block[at][row] / total } else { 1.0 / block.len() as f64 };
                }
            }
        }
        Ok(found)
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        let Machines { standardise, machines, .. } = self;
        if let Some(fault) = standardise.fault() {
            return Some(fault);
        }
        let ordered = self.classes.windows(2).all(|w| w[0] < w[1]);
        let fits = if classes == 2 { self.classes.len() == 1 } else { self.classes.len() >= 2 };
        if self.n_classes != classes
            || !fits
            || !ordered
            || self.classes.iter().any(|c| *c >= classes)
            || machines.len() != self.classes.len()
        {
            return Some("its classes and machines do not match");
        }
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if machines.iter().enumerate().any(|(at, m)| m.is_empty() != self.share(at).is_some_and(is_share)) {
            return Some("a class has no machine");
        }
        let sound = |(weights, machines): (&Vec<f64>, &Vec<Machine>)| {
            let sum: f64 = weights.iter().sum();
            let whole = machines.is_empty() || (sum - 1.0).abs() < 1e-6;
            weights.len() == machines.len() && weights.iter().all(|v| *v >= 0.0) && whole
        };
        let listed = self.weights.is_empty() || self.weights.len() == machines.len();
        if !listed || !self.weights.iter().zip(machines).all(sound) {
            return Some("the weights of its machines do not match");
        }
        machines.iter().flatten().find_map(|machine| machine.fault(standardise.names.len()))
    }
}
