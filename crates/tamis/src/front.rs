//! **Unstable.** Parts that only front ends need: the program, the Python and R packages, the report and the browser page.
//! They may change in any version; [`prelude`](crate::prelude) has what other programs need.
//!
//! | for | names |
//! | --- | --- |
//! | errors and notes in a front end's words | [`Voice`], [`Text`], [`OptionName`], [`Command`], [`note`], [`counted`], [`some_of`], [`visible`], [`visible_lines`], [`is_hidden`] |
//! | methods and parameters as they are described | [`MethodInfo`], [`Parameter`], [`plain`] |
//! | work while an interpreter looks on | [`in_background`], [`BackgroundFault`] |
//! | an analysis of files | [`TableFiles`], [`HeldTable`], [`Passage`], [`Caller`], [`Compared`], [`RequestedSplits`], [`RequestedStatistics`], [`Trained`] |
//! | files as they are shown and written | [`Cells`], [`likely_targets`], [`LikelyTarget`], [`LikelyColumns`], [`SampleColumn`], [`INFINITE_VALUE`] |
//! | an answer as it is shown and written | [`Cell`], [`ColumnValues`], [`FeatureTable`], [`ResultColumn`], [`P_DIGITS`], [`GroupSummary`], [`SetSummary`], [`SET_QUESTIONS`], [`TableDescription`], [`CovariateDescription`], [`BlockDescription`] |
//! | tables in pieces and states that are merged | [`Stream`], [`Edges`], [`Codings`], [`CodedBlock`], [`CodedStream`], [`State`], [`RowState`], [`Profile`], [`Answer`], [`merge_profile_files`], [`answer_of_parts`], [`NAMED_TWICE`], [`PartialRuns`] |
//! | statistics and selections that others have computed | [`GivenScores`], [`DegreesOfFreedom`], [`matrix_test`], [`decide_matrix`], [`bootstrap_and_half_samples`] |

pub use crate::analysis::{
    Caller, Compared, HeldTable, Passage, RequestedSplits, RequestedStatistics, TableFiles, Trained, answer_of_parts,
};
pub use crate::base::parameter::plain;
pub use crate::base::{
    BackgroundFault, Command, MethodInfo, OptionName, Parameter, Text, Voice, counted, in_background, is_hidden, note,
    some_of, visible, visible_lines,
};
pub use crate::merge::{Answer, NAMED_TWICE, Profile, RowState, State, merge_profile_files};
pub use crate::npfs::{PartialRuns, decide_matrix, matrix_test};
pub use crate::resample::bootstrap_and_half_samples;
pub use crate::result::{
    BlockDescription, Cell, ColumnValues, CovariateDescription, FeatureTable, GroupSummary, P_DIGITS, ResultColumn,
    SET_QUESTIONS, SetSummary, TableDescription,
};
pub use crate::score::given::{DegreesOfFreedom, GivenScores};
pub use crate::stream::{CodedBlock, CodedStream, Codings, Edges, Stream};
#[cfg(feature = "temporary-files")]
pub use crate::table::write::atomic_file;
pub use crate::table::{Cells, INFINITE_VALUE, LikelyColumns, LikelyTarget, SampleColumn, likely_targets};
