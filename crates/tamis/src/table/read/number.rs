//! Numbers from text: the common ones in one pass, the rest by a library.

use crate::base::remedies::IF_MISSING;
use crate::base::{OptionName, Text, text};

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
    leading_with(text, delimiter, b'.')
}

/// [`leading`] with another decimal mark.
#[inline(always)]
fn leading_with(text: &[u8], delimiter: u8, mark: u8) -> Option<(f64, usize)> {
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
    if text.get(i) == Some(&mark) {
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
        fast_float2::parse(with_point(&text[..i], mark)).ok()?
    };
    Some((value, i))
}

#[inline(always)]
fn digit(text: &[u8], i: usize) -> Option<u64> {
    let d = text.get(i)?.wrapping_sub(b'0');
    (d < 10).then_some(u64::from(d))
}

/// A text with a point for its decimal mark.
fn with_point(text: &[u8], mark: u8) -> Vec<u8> {
    text.iter().map(|&c| if c == mark { b'.' } else { c }).collect()
}

/// A number with a decimal comma whose whole part has a point before every three digits, without these; `None` for other
/// texts, such as `0.597`, whose point can only be a decimal one.
fn without_thousands(cell: &[u8]) -> Option<Vec<u8>> {
    let cell = cell.trim_ascii();
    let end = cell.iter().position(|c| *c == b',').unwrap_or(cell.len());
    let (whole, decimals) = cell.split_at(end);
    let digits = whole.strip_prefix(b"-").or_else(|| whole.strip_prefix(b"+")).unwrap_or(whole);
    let mut groups = digits.split(|c| *c == b'.');
    let first = groups.next()?;
    let all_digits = |group: &[u8]| group.iter().all(u8::is_ascii_digit);
    let leads = matches!(first.len(), 1..=3) && first[0] != b'0' && all_digits(first);
    let grouped = leads && groups.all(|group| group.len() == 3 && all_digits(group)) && !decimals.contains(&b'.');
    grouped.then(|| cell.iter().copied().filter(|c| *c != b'.').collect())
}

/// The mark between the whole part of a number and its decimals: a point, or a comma where the user says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal(u8);

impl Decimal {
    /// The mark that options ask for.
    pub(crate) fn of(option: Option<u8>) -> Decimal {
        Decimal(option.unwrap_or(b'.'))
    }

    /// [`leading`] with this mark.
    #[inline]
    pub(crate) fn leading(self, text: &[u8], delimiter: u8) -> Option<(f64, usize)> {
        leading_with(text, delimiter, self.0)
    }

    /// A whole cell as a number.
    pub(crate) fn whole(self, cell: &[u8]) -> Option<f64> {
        match self.0 {
            b'.' => whole(cell),
            mark if cell.contains(&b'.') => whole(&with_point(&without_thousands(cell)?, mark)),
            mark => whole(&with_point(cell, mark)),
        }
    }

    /// A cell as a number, plain or not.
    pub(crate) fn cell(self, cell: &[u8]) -> Option<f64> {
        match self.leading(cell, 0) {
            Some((x, taken)) if taken == cell.len() => Some(x),
            _ => self.whole(cell),
        }
    }

    /// A number with a decimal comma, written with a point; `None` for other texts, and where the mark is a point.
    pub(crate) fn number_with_comma(self, text: &str) -> Option<String> {
        let has_comma = self.0 == b',' && text.contains(',') && self.whole(text.as_bytes()).is_some();
        has_comma.then(|| text.replace(',', "."))
    }

    /// The other mark.
    fn other(self) -> Decimal {
        Decimal(if self.0 == b'.' { b',' } else { b'.' })
    }

    /// The remedy for texts that are numbers, all of them, but for their decimal mark, a percent sign or a currency.
    pub(crate) fn other_mark<'a>(self, texts: impl Iterator<Item = &'a str> + Clone) -> Option<Text> {
        let all = |reads: &dyn Fn(&str) -> bool| texts.clone().next().is_some() && texts.clone().all(reads);
        if all(&|text| self.other().whole(text.as_bytes()).is_some() || self.whole(text.as_bytes()).is_some()) {
            return Some(self.remedy(texts.clone().next().unwrap_or_default()));
        }
        let bare = |text: &str| text.trim().trim_matches(['%', '€', '$', '£', '¥']).trim().to_string();
        let reads = |text: &str| {
            let bare = bare(text);
            bare != text.trim()
                && (self.whole(bare.as_bytes()).is_some() || self.other().whole(bare.as_bytes()).is_some())
        };
        all(&reads).then(|| "write numbers without percent signs and currencies".into())
    }

    /// The remedy for a cell that is no number as it is written.
    pub(crate) fn remedy(self, cell: &str) -> Text {
        let reads = |text: String| self.whole(text.trim().as_bytes()).is_some();
        let separators = [' ', '\'', '\u{a0}', '\u{202f}'];
        if self.other().whole(cell.as_bytes()).is_some() {
            return match self.0 {
                b'.' => {
                    text!["write a decimal point, or pass ", OptionName::Decimal.set(","), " if numbers have a comma"]
                }
                _ => text!["write a decimal comma, or leave out ", OptionName::Decimal, " if numbers have a point"],
            };
        }
        if reads(cell.replace(separators, "")) || reads(cell.replace([',', '.'], "")) {
            return "write numbers without thousands separators".into();
        }
        if reads(cell.replace('\u{2212}', "-")) {
            return "write negative numbers with a plain `-`".into();
        }
        let number: String = cell.trim().chars().filter(|c| c.is_ascii_digit() || "+-.,".contains(*c)).collect();
        if !number.is_empty() && cell.trim().starts_with(&number) && (reads(number.clone())) {
            let unit = cell.trim()[number.len()..].trim();
            return text![format!("write numbers without `{unit}`, or pass "), OptionName::Missing.set(cell)];
        }
        text!["correct it, or pass ", OptionName::Missing.set(cell), IF_MISSING]
    }
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

/// Whether a text has digits and looks more like a number than like a word.
pub(crate) fn looks_like(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits > 0 && text.chars().filter(|c| c.is_alphabetic()).count() <= 3
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

    #[test]
    fn with_a_decimal_comma_points_before_three_digits_are_thousands() {
        let comma = Decimal::of(Some(b','));
        for (text, value) in
            [("1.597,78", 1597.78), ("-12.345.678", -12_345_678.0), ("952,72", 952.72), ("1.597", 1597.0)]
        {
            assert_eq!(comma.cell(text.as_bytes()), Some(value), "{text}");
        }
        for text in ["0.597", "12.5", "1.23,4", "1.2345", ".500", "1.597,7.8", "1..597"] {
            assert_eq!(comma.cell(text.as_bytes()), None, "{text}");
        }
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
