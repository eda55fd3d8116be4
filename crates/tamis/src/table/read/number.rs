//! Numbers from text: the common ones in one pass, the rest by a library.

/// Powers of ten that are exact in f64.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Reads a plain decimal number (sign, digits, point, digits) at the start of `text` up to `delimiter` or the
/// end, and returns it with the number of bytes it takes. `None` where the cell is anything else.
///
/// When the digits fit 53 bits and at most 22 stand behind the point, both are exact in f64 and so is their
/// quotient, correctly rounded (Clinger 1990). Everything else goes to the library.
#[inline]
pub(crate) fn leading(text: &[u8], delimiter: u8) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut i = start;
    let mut digits: u64 = 0;
    while let Some(d) = digit(text, i) {
        digits = digits.wrapping_mul(10).wrapping_add(d);
        i += 1;
    }
    let whole = i - start;
    let mut behind = 0;
    if text.get(i) == Some(&b'.') {
        i += 1;
        let point = i;
        while let Some(d) = digit(text, i) {
            digits = digits.wrapping_mul(10).wrapping_add(d);
            i += 1;
        }
        behind = i - point;
    }
    if whole + behind == 0 || text.get(i).is_some_and(|c| *c != delimiter) {
        return None;
    }
    let value = if whole + behind <= 19 && digits <= 1 << 53 {
        let value = digits as f64 / EXACT_POWERS[behind];
        f64::from_bits(value.to_bits() | u64::from(negative) << 63) // signs are hard to predict: no branch
    } else {
        fast_float2::parse(&text[..i]).ok()?
    };
    Some((value, i))
}

#[inline(always)]
fn digit(text: &[u8], i: usize) -> Option<u64> {
    let d = text.get(i)?.wrapping_sub(b'0');
    (d < 10).then_some(u64::from(d))
}

/// A whole cell as a number: surrounding blanks are ignored; infinities and overflow come back as such.
pub(crate) fn whole(cell: &[u8]) -> Option<f64> {
    fast_float2::parse(cell.trim_ascii()).ok()
}

/// A cell as a number, plain or not.
pub(crate) fn cell(cell: &[u8]) -> Option<f64> {
    match leading(cell, 0) {
        Some((x, taken)) if taken == cell.len() => Some(x),
        _ => whole(cell),
    }
}

/// Whether a cell, its surrounding blanks taken off, means *missing*.
pub(crate) fn is_missing(trimmed: &[u8], further: &[String]) -> bool {
    matches!(trimmed, b"" | b"NA" | b"NaN" | b"?") || further.iter().any(|m| m.as_bytes() == trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cells_that_are_not_plain_numbers_are_left_to_others() {
        for text in ["", "-", ".", "-.", "1e5", "1x", "NA", " 1", "1 ", "+1", "\"1\""] {
            assert_eq!(leading(text.as_bytes(), b','), None, "{text}");
        }
        assert_eq!(leading(b"-1.5,2", b','), Some((-1.5, 4)));
        assert_eq!(leading(b".5", b','), Some((0.5, 2)));
        assert_eq!(leading(b"5.,", b','), Some((5.0, 2)));
        let zero = leading(b"-0,", b',').expect("a number").0;
        assert!(zero == 0.0 && zero.is_sign_negative());
    }

    proptest! {
        #[test]
        fn every_decimal_reads_as_the_standard_library_reads_it(text in "-?[0-9]{0,22}(\\.[0-9]{0,25})?") {
            let ours = leading(text.as_bytes(), b',').map(|(value, _)| value.to_bits());
            let theirs = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(ours, theirs);
        }
    }
}
