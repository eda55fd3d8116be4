//! Columns as small whole numbers: where to cut them, tables of such codes, and sums over their counts.

pub(crate) mod coded_table;
pub(crate) mod column_coding;
pub(crate) mod counts;
pub mod discretise;
mod mdl;

pub use coded_table::CodedTable;
pub use column_coding::ColumnCoding;
pub use discretise::Discretise;
