//! Rows of blocks that are averaged before `snbl` scores features.

use crate::base::{Note, Result};
use crate::table::{BlockModel, Table, View, block_means};

/// The means of a view's blocks, or of its blocks and classes, where rows of these are repeated; and a note on that.
pub(super) fn averaged(data: &View, model: BlockModel) -> Result<Option<(Table, Note)>> {
    Ok(block_means(data, model)?.and_then(|table| table.notes().first().cloned().map(|note| (table, note))))
}
