//! What most programs need, in one import: `use tamis::prelude::*`.
//!
//! | for | names |
//! | --- | --- |
//! | a table | [`Table`], [`Column`], [`Categories`], [`Target`], [`Task`], [`RowWeights`], [`WeightKind`], [`Covariate`] |
//! | rows of a table, or values held elsewhere | [`View`], [`Study`], [`Columns`] |
//! | reading and writing | [`read()`], [`Input`], [`ReadOptions`], [`SampleFile`], [`Format`], [`write_reduced`] |
//! | a run | [`Context`], [`Progress`], [`Silent`], [`Error`], [`Result`], [`Note`], [`NoteKind`] |
//! | any method | [`Selector`], [`Selection`], [`Classifier`], [`Fitted`], [`Describe`], [`Auto`], [`Method`], [`Model`], [`Pipeline`], [`Preparation`] |
//! | how many matter, and which | [`Snbl`], [`SparseMeans`], [`Npfs`], [`Dependence`] |
//! | filters | [`TTest`], [`FTest`], [`Cat`], [`Fisher`], [`TraceRatio`], [`L21`], [`Mim`], [`Mrmr`], [`Jmi`], [`Jmim`], [`Cmim`], [`Disr`], [`Pairs`], [`Discretise`] |
//! | methods made of methods | [`Peel`], [`AucCurve`] |
//! | classifiers | [`Logistic`], [`Lda`], [`Slda`], [`Dlda`], [`NaiveBayes`], [`Cart`], [`Ensemble`] |
//! | vector machines | [`PfcvmLp`], [`PfcvmEm`], [`Pcvm`], [`Jcfo`], [`Rvm`], [`Ard`] |
//! | a whole analysis, as the program makes it | [`Analysis`], [`Data`], [`Found`], [`SelectionResult`], [`Evaluation`] |
//! | comparing methods | [`cross_validate()`], [`Summary`], [`Stability`], [`stability()`] |
//! | tables with known truth | [`Simulation`], [`Simulated`], [`TwoGroups`] |
//!
//! ```
//! use tamis::prelude::*;
//!
//! let table = Table::new(
//!     vec!["age".into(), "dose".into()],
//!     vec![vec![61.0, 44.0, 58.0, 39.0, 52.0, 47.0], vec![0.1, 2.0, 0.3, 2.2, 0.2, 1.9]],
//!     "relapse",
//!     Target::classes(&[Some("yes"), Some("no"), Some("yes"), Some("no"), Some("yes"), Some("no")]),
//! )?;
//! let selection = TTest { k: Auto::Set(1) }.select(&table.view(), &mut Context::default())?;
//! assert_eq!(selection.names[selection.selected[0] as usize], "dose");
//! # Ok::<(), Error>(())
//! ```

pub use crate::analysis::{Analysis, Data, Found};
pub use crate::base::{Auto, Context, Describe, Error, Note, NoteKind, Progress, Result, Silent};
pub use crate::catalogue::{Method, Model, Pipeline, Preparation};
pub use crate::classify::{Cart, Dlda, Ensemble, Lda, Logistic, NaiveBayes, Slda};
pub use crate::codes::Discretise;
pub use crate::compose::{AucCurve, Peel};
pub use crate::dependence::Dependence;
pub use crate::evaluate::{Stability, Summary, cross_validate, stability};
pub use crate::filter::{Cat, FTest, Fisher, L21, TTest, TraceRatio};
pub use crate::information::{Cmim, Disr, Jmi, Jmim, Mim, Mrmr, Pairs};
pub use crate::machines::{Ard, Jcfo, Pcvm, PfcvmEm, PfcvmLp, Rvm};
pub use crate::model::{Classifier, Fitted};
pub use crate::npfs::Npfs;
pub use crate::result::{Evaluation, SelectionResult};
pub use crate::selection::{Selection, Selector};
pub use crate::simulate::{Simulated, Simulation, TwoGroups};
pub use crate::sparse_means::{Snbl, SparseMeans};
pub use crate::table::{
    Categories, Column, Columns, Covariate, Format, Input, ReadOptions, RowWeights, SampleFile, Study, Table, Target,
    Task, View, WeightKind, read, write_reduced,
};
