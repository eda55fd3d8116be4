//! Names and texts made harmless for the place they go to.

use serde::Serialize;
use tamis::base::error::Place;
use tamis::{Error, Result};

/// Text for HTML, in content or in a quoted attribute. Control characters, and those that turn the direction of what
/// follows, are shown as a box.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text for HTML, with the words between backticks set as code.
pub(crate) fn prose(text: &str) -> String {
    let parts: Vec<String> = text.split('`').map(html).collect();
    if parts.len().is_multiple_of(2) {
        return html(text); // a lone backtick
    }
    let code = |(at, part): (usize, &String)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() };
    parts.iter().enumerate().map(code).collect()
}

/// A value as JSON that cannot end the script element it stands in: `<` only occurs within strings, where it is
/// written as an escape.
pub(crate) fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value)
        .map_err(|e| Error::data(Place::default(), format!("the result cannot be written ({e})"), "run tamis again"))?;
    Ok(text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"))
}

/// Seven digits are enough to draw and read; decisions use numbers in full.
pub(crate) fn short(x: f64) -> f64 {
    rounded(x, 7)
}

/// A number with this many significant digits.
pub(crate) fn rounded(x: f64, digits: usize) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    format!("{x:.0$e}", digits - 1).parse().unwrap_or(x)
}

/// A cell of words, already escaped, in a table.
pub(crate) fn text_cell(words: &str) -> String {
    format!("<td class=\"text\">{words}</td>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_text() {
        assert_eq!(html("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
        assert_eq!(html("a\" onload='x' & b"), "a&quot; onload=&#39;x&#39; &amp; b");
        assert_eq!(html("a\u{202e}b\u{7}"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn only_pairs_of_backticks_are_code() {
        assert_eq!(prose("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(prose("a ` c"), "a ` c");
    }

    #[test]
    fn json_cannot_leave_its_element_and_reads_back() {
        let names = ["</script><script>alert(1)</script>", "<!--", "\u{2028}", "=1+1"];
        let text = json(&names).expect("written");
        assert!(!text.contains('<') && !text.contains('\u{2028}'), "{text}");
        let back: Vec<String> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, names);
    }

    #[test]
    fn shortened_numbers_stay_close() {
        for x in [0.0, -1.234_567_890_1, 1e-300, 6.02e23, 1.0 / 3.0] {
            assert!((short(x) - x).abs() <= 1e-6 * x.abs(), "{x}");
        }
        assert!(short(f64::NAN).is_nan());
        assert_eq!([1.234_56, -98_765.4, 0.0].map(|x| rounded(x, 5)), [1.2346, -98_765.0, 0.0]);
    }
}
