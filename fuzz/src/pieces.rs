//! A table in pieces against the table as a whole.

use super::readers::{limited, options};
use std::io::Write;
use tamis::stream::Stream;
use tamis::table::{self, Format, Input};
use tamis::{Context, Selector, Snbl};

/// Both are refused, or both give the same scores.
pub fn pieces(bytes: &[u8]) {
    let (mut options, rest) = options(Format::Csv, bytes);
    (options.covariates, options.event, options.no_target) = (vec![], None, false);
    let options = limited(options);
    let Ok(mut file) = tempfile::Builder::new().suffix(".csv").tempfile() else { return };
    if file.write_all(rest).is_err() {
        return;
    }
    let mut method = Snbl::default();
    method.means.permutations = tamis::base::Auto::Set(0);
    let open = || Input::open(file.path());
    let whole = open().and_then(|input| table::read(input, &options, &mut Context::default()));
    let whole = whole.and_then(|table| method.select(&table.view(), &mut Context::default()));
    let stream = Stream { options, method, seed: 0, memory: None };
    let parts = stream.select_summed(&[file.path().into()], &[], &mut Context::default());
    let (Ok(whole), Ok(parts)) = (whole, parts) else { return };
    let parts = parts.selection;
    assert_eq!(whole.names, parts.names);
    for (name, (a, b)) in whole.names.iter().zip(whole.scores.iter().zip(&parts.scores)) {
        let close = a.is_nan() == b.is_nan() && (a.is_nan() || (a - b).abs() <= 1e-6 * (1.0 + a.abs()));
        assert!(close, "{name}: {a} as a whole, {b} in pieces");
    }
}
