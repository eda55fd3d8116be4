//! The library's errors in Python's words and as Python's exceptions.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use tamis::Error;
use tamis::front::{Command, INFINITE_VALUE, OptionName, Text, Voice};

/// The names that Python has for options and commands. Estimators take arrays, `tamis.spark` and `tamis.dask` take
/// tables, and the two differ in a few names.
#[derive(Clone, Copy)]
pub enum PythonVoice {
    Arrays,
    Tables,
}

impl PythonVoice {
    /// The same for as long as the program runs.
    pub fn forever(self) -> &'static PythonVoice {
        match self {
            PythonVoice::Arrays => &PythonVoice::Arrays,
            PythonVoice::Tables => &PythonVoice::Tables,
        }
    }
}

impl Voice for PythonVoice {
    fn option(&self, name: &OptionName, value: Option<&str>) -> String {
        let ours = match (name, self) {
            (OptionName::Weight, PythonVoice::Arrays) => "sample_weight",
            (OptionName::WeightKind, PythonVoice::Arrays) => "weights",
            (OptionName::Target | OptionName::Event, PythonVoice::Arrays) => "y",
            (OptionName::Covariate, PythonVoice::Arrays) => "covariates",
            (OptionName::Block, PythonVoice::Arrays) => "blocks",
            (OptionName::NoSecondLook, _) => return "second_look=False".into(),
            (OptionName::NoNeeded, _) => return "needed=False".into(),
            (OptionName::Method, PythonVoice::Arrays) if value == Some("needed") => return "tamis.Needed".into(),
            (OptionName::Parameter(key), _) if key == "score" => "statistic",
            (OptionName::Parameter(key), _) if key == "bootstraps" => "n_bootstraps",
            (other, _) => other.stem(),
        };
        value.map_or_else(|| ours.into(), |value| format!("{ours}={}", literal(value)))
    }

    fn command(&self, command: Command) -> String {
        match (command, self) {
            (Command::Select | Command::Fit, PythonVoice::Arrays) => "fit",
            (Command::Select, PythonVoice::Tables) => "select",
            (Command::Fit, PythonVoice::Tables) => "tamis fit",
            (Command::Shrink, _) => "tamis.shrink",
            (Command::Save, _) => "save",
            // not functions of the package, but commands of the program that it brings
            (Command::Evaluate, _) => "tamis evaluate",
            (Command::Partial, _) => "tamis partial",
            (Command::Profile, _) => "tamis profile",
            (Command::NpfsDecide, _) => "tamis npfs-decide",
            _ => "tamis",
        }
        .into()
    }
}

/// A value as it is written in Python: numbers, True, False, and text in quotation marks.
fn literal(value: &str) -> String {
    match value {
        "true" => "True".into(),
        "false" => "False".into(),
        number if number.parse::<f64>().is_ok_and(f64::is_finite) => number.into(),
        text if text.contains('\'') && !text.contains('"') => format!("\"{}\"", text.replace('\\', "\\\\")),
        text => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

/// An error of the library as Python's own.
pub fn translate(error: Error, voice: PythonVoice) -> PyErr {
    let said = error.say(&voice);
    match error {
        Error::Cancelled => PyKeyboardInterrupt::new_err("interrupted"),
        Error::Read { .. } | Error::Write { .. } | Error::NoFolder { .. } => PyOSError::new_err(said),
        Error::Data { problem, .. } if is_infinite(&problem) && matches!(voice, PythonVoice::Arrays) => {
            // scikit-learn's checks ask for these words
            PyValueError::new_err(format!("Input X contains infinity or a value too large: {said}"))
        }
        _ => PyValueError::new_err(said),
    }
}

fn is_infinite(problem: &Text) -> bool {
    *problem == Text::from(INFINITE_VALUE)
}
