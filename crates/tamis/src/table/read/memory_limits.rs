//! Bounds on the memory that a file may ask for: a few bytes can declare millions of columns, or zeros without end.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use crate::table::ExpansionLimit;

/// Rows or columns that a byte of a file may stand for.
const PER_BYTE: u64 = 1000;
/// Bytes that a column takes beside its values: its name, its headers, the record of its answer.
const COLUMN_BYTES: u128 = 256;
/// The bound where the system does not say how much memory there is.
const UNKNOWN_MEMORY: u64 = 64 << 30;

/// Refuses a table whose columns, zeros written out, do not fit the memory that is there, or the limit that was set; and
/// one that has far more columns than its file, of so many bytes, can describe.
pub(crate) fn check_dense(
    (rows, columns): (usize, usize),
    file_bytes: u64,
    limit: ExpansionLimit,
    place: &Place,
) -> Result<()> {
    let bytes = columns as u128 * (rows as u128 * 8 + COLUMN_BYTES);
    let (allowed, whose) = allowed(limit);
    if bytes > u128::from(allowed) {
        let size = in_gib(bytes);
        let problem = format!("{rows} rows of {columns} features take {size} when the zeros are written out");
        let words = format!("{} {whose}; leave out features that are mostly zero, or raise ", in_gib(allowed.into()));
        return Err(Error::data(place.clone(), problem, text![words, OptionName::MaxExpanded]));
    }
    check_declared(columns as u64, "features", file_bytes, limit, place)
}

/// Refuses more rows and columns than there is memory for their names.
pub(crate) fn check_names(count: usize, limit: ExpansionLimit, place: &Place) -> Result<()> {
    let bytes = count as u128 * COLUMN_BYTES;
    let (allowed, whose) = allowed(limit);
    if bytes <= u128::from(allowed) {
        return Ok(());
    }
    let problem = format!("the names of its {count} rows and columns take {}", in_gib(bytes));
    let words = format!("{} {whose}; leave out rows and columns without a value, or raise ", in_gib(allowed.into()));
    Err(Error::data(place.clone(), problem, text![words, OptionName::MaxExpanded]))
}

/// Refuses texts, so many bytes together, that rows share in the file and would each have for themselves.
pub(crate) fn check_texts(bytes: u128, limit: ExpansionLimit, place: Place) -> Result<()> {
    let (allowed, whose) = allowed(limit);
    if bytes <= u128::from(allowed) {
        return Ok(());
    }
    let problem = format!("its texts take {} when every row has its own", in_gib(bytes));
    let words = format!("{} {whose}; shorten them, or raise ", in_gib(allowed.into()));
    Err(Error::data(place, problem, text![words, OptionName::MaxExpanded]))
}

/// Rows of so many columns that fit, zeros written out.
pub(crate) fn rows_that_fit(columns: usize, limit: ExpansionLimit) -> usize {
    let per_column = u128::from(allowed(limit).0) / columns.max(1) as u128;
    usize::try_from(per_column.saturating_sub(COLUMN_BYTES) / 8).unwrap_or(usize::MAX)
}

/// Refuses more rows or columns than a file of so many bytes can describe. A limit that was set replaces the rule.
pub(crate) fn check_declared(
    count: u64,
    what: &str,
    file_bytes: u64,
    limit: ExpansionLimit,
    place: &Place,
) -> Result<()> {
    let most = if limit.is_default() { file_bytes.saturating_mul(PER_BYTE) } else { limit.bytes / COLUMN_BYTES as u64 };
    if count <= most {
        return Ok(());
    }
    let problem = format!("it declares {count} {what} in {file_bytes} bytes");
    let words = format!("up to {most} are taken; if the file is to be trusted, raise ");
    Err(Error::data(place.clone(), problem, text![words, OptionName::MaxExpanded]))
}

/// Bytes that may be used, and why so many.
fn allowed(limit: ExpansionLimit) -> (u64, &'static str) {
    match available_memory() {
        _ if !limit.is_default() => (limit.bytes, "are allowed"),
        Some(bytes) => (bytes, "of memory are available"),
        None => (UNKNOWN_MEMORY, "are allowed"),
    }
}

fn in_gib(bytes: u128) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

/// The memory that this process could still take: what the system has, or the bound of its container or shell, if that
/// is lower. `None` where the system does not say.
pub(crate) fn available_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let system = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable:"));
    let used = read("/proc/self/status").and_then(|text| kilobytes(&text, "VmSize:")).unwrap_or(0);
    let shell = read("/proc/self/limits").and_then(|text| address_space(&text)).map(|most| most.saturating_sub(used));
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let container = number("/sys/fs/cgroup/memory.max")
        .map(|most| most.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    [system, shell, container].into_iter().flatten().min()
}

/// The number of a line such as `MemAvailable:  123 kB`.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// The bound on the address space that a shell has set, if it has.
fn address_space(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system_are_understood() {
        assert_eq!(kilobytes("MemTotal: 9 kB\nMemAvailable:   12 kB\n", "MemAvailable:"), Some(12 << 10));
        assert_eq!(
            address_space("Max address space         4096                 unlimited            bytes"),
            Some(4096)
        );
        assert_eq!(address_space("Max address space         unlimited            unlimited            bytes"), None);
    }

    #[test]
    fn a_limit_that_was_set_replaces_the_rule() {
        let place = Place::default();
        let refused = |count, limit| check_declared(count, "features", 31, limit, &place).is_err();
        assert!(!refused(31_000, ExpansionLimit::default()) && refused(31_001, ExpansionLimit::default()));
        let set = ExpansionLimit { bytes: 1 << 30, ratio: 0, ..ExpansionLimit::default() };
        assert!(!refused(4_000_000, set) && refused(5_000_000, set));
    }
}
