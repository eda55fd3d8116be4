//! Cells as they go into delimited text.

/// What is done about dates.
#[derive(Debug, Clone, Copy)]
pub(in crate::table::read) enum Dates {
    /// They are refused, but in columns that are dropped or identify rows.
    Refused,
    /// They become text, for columns of which few are used.
    AsText,
}

/// Appends a cell to a line of comma-separated text.
pub(super) fn push_cell(text: &str, line: &mut String) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}
