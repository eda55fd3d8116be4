//! Blocks of rows that are averaged before `snbl` scores features.

use crate::base::{Note, NoteKind, Result};
use crate::table::{BlockLayout, Table, View, block_means};

/// The means of a view's blocks, where its target is constant inside every block, and a note on that.
pub(super) fn averaged(data: &View) -> Result<Option<(Table, Note)>> {
    let Some((name, _)) = data.blocks().filter(|_| BlockLayout::of(data) == BlockLayout::Nested) else {
        return Ok(None);
    };
    let table = block_means(data)?;
    let (rows, blocks) = (data.rows().len(), table.n_rows());
    let text = format!("{rows} rows of {blocks} blocks (`{name}`) are averaged and used as {blocks} samples");
    Ok(Some((table, Note::new(NoteKind::Blocks, text))))
}
