//! Trained classifiers: saved as JSON, checked when loaded, applied to other tables.

use crate::error::Place;
use crate::note::{Note, NoteKind};
use crate::table::{Table, Target, View};
use crate::vector_machine::{Machine, Standardise};
use crate::{Error, Method, Result};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The version of the format that is written; a reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 1;

/// A classifier as it is saved. Numbers read back to the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program.
    pub tamis: String,
    /// The method and its parameters.
    pub method: Method,
    /// The target's name.
    pub target: String,
    /// The classes, in order.
    pub classes: Vec<String>,
    /// The class that the one machine of two classes speaks for.
    pub positive: usize,
    /// How many rows it was trained on.
    pub rows: usize,
    /// What training had to say.
    pub notes: Vec<Note>,
    /// The classifier itself.
    #[serde(flatten)]
    pub parts: Parts,
}

/// What a classifier consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// How rows are standardised.
    pub standardise: Standardise,
    /// For every class against the others, or once for two classes: machines whose probabilities are averaged.
    pub machines: Vec<Vec<Machine>>,
}

/// What a model says of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// The likeliest class of each row, by position.
    pub predicted: Vec<usize>,
    /// For each class, the probability of each row.
    pub probabilities: Vec<Vec<f64>>,
    /// What should be known.
    pub notes: Vec<Note>,
}

impl Model {
    pub(crate) fn new(data: &View, method: Method, notes: Vec<Note>, parts: Parts) -> Model {
        let (classes, positive) = match data.target() {
            Target::Classes { labels, positive, .. } => (labels.clone(), *positive as usize),
            Target::Real { .. } => (vec![], 0),
        };
        Model {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            method,
            target: data.target_name().into(),
            classes,
            positive,
            rows: data.rows().len(),
            notes,
            parts,
        }
    }

    /// The features that predictions rest on, by name.
    pub fn features(&self) -> Vec<&str> {
        let names = &self.parts.standardise.names;
        let mut used = vec![false; names.len()];
        self.parts.machines.iter().flatten().flat_map(|m| &m.features).for_each(|&k| used[k] = true);
        names.iter().zip(used).filter(|(_, used)| *used).map(|(name, _)| name.as_str()).collect()
    }

    /// The columns a table must have.
    pub fn columns(&self) -> Vec<&str> {
        if self.parts.standardise.samplewise {
            return self.parts.standardise.names.iter().map(String::as_str).collect();
        }
        self.features()
    }

    /// Classes and probabilities for the rows of a table that has the model's columns.
    pub fn predict(&self, table: &Table) -> Result<Predictions> {
        let rows = table.n_rows();
        let mut by_machine = Vec::with_capacity(self.parts.machines.len());
        for machines in &self.parts.machines {
            let mut sum = vec![0.0; rows];
            for machine in machines {
                let x = self.parts.standardise.apply(table, &machine.features)?;
                let (_, p) = machine.predict(&x);
                sum.iter_mut().zip(p).for_each(|(s, p)| *s += p / machines.len() as f64);
            }
            by_machine.push(sum);
        }
        let probabilities: Vec<Vec<f64>> = if by_machine.len() == 1 {
            let p = &by_machine[0];
            let of = |class: usize| p.iter().map(|p| if class == self.positive { *p } else { 1.0 - p }).collect();
            (0..2).map(of).collect()
        } else {
            let total = |row: usize| by_machine.iter().map(|p| p[row]).sum::<f64>();
            let share = |p: f64, total: f64| if total > 0.0 { p / total } else { 1.0 / self.classes.len() as f64 };
            by_machine.iter().map(|p| (0..rows).map(|row| share(p[row], total(row))).collect()).collect()
        };
        let best = |row: usize| {
            let mut best = 0;
            for class in 1..probabilities.len() {
                if probabilities[class][row] > probabilities[best][row] {
                    best = class;
                }
            }
            best
        };
        let predicted = (0..rows).map(best).collect();
        let mut notes = Vec::new();
        let missing: Vec<String> = self
            .columns()
            .into_iter()
            .filter(|name| table.column(name).is_some_and(|c| (0..rows).any(|row| c.is_missing(row))))
            .map(str::to_string)
            .collect();
        if !missing.is_empty() {
            let text = "missing values, taken as the feature's mean in training";
            notes.push(Note::about(NoteKind::MissingValues, text, missing));
        }
        Ok(Predictions { predicted, probabilities, notes })
    }

    /// Writes the model.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// Reads a model and checks that it can be used.
    pub fn read(text: &[u8], file: &str) -> Result<Model> {
        let refuse = |problem: String, remedy: &str| Err(Error::data(Place::file(file), problem, remedy));
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
        }
        match serde_json::from_slice::<Version>(text) {
            Ok(Version { format_version }) if format_version > FORMAT_VERSION => {
                let problem =
                    format!("it is a model in format {format_version}, newer than this program's {FORMAT_VERSION}");
                return refuse(problem, "update tamis");
            }
            Ok(_) => {}
            Err(e) => return refuse(format!("it is not a model of tamis ({e})"), "train one with `tamis fit`"),
        }
        let model: Model = match serde_json::from_slice(text) {
            Ok(model) => model,
            Err(e) => return refuse(format!("the model is damaged ({e})"), "train it again with `tamis fit`"),
        };
        match model.fault() {
            Some(fault) => refuse(format!("the model is damaged: {fault}"), "train it again with `tamis fit`"),
            None => Ok(model),
        }
    }

    fn fault(&self) -> Option<&'static str> {
        let Parts { standardise, machines } = &self.parts;
        let k = standardise.names.len();
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        if standardise.means.len() != k || standardise.spreads.len() != k || k == 0 {
            return Some("its parts differ in size");
        }
        if !standardise.means.iter().all(|x| x.is_finite()) || !standardise.spreads.iter().all(positive) {
            return Some("it has a number that is not finite, or a spread that is not positive");
        }
        let expected = if self.classes.len() == 2 { 1 } else { self.classes.len() };
        if self.classes.len() < 2 || machines.len() != expected || self.positive >= self.classes.len() {
            return Some("its classes and machines do not match");
        }
        if machines.iter().any(Vec::is_empty) {
            return Some("a class has no machine");
        }
        machines.iter().flatten().find_map(|machine| machine.fault(k))
    }
}
