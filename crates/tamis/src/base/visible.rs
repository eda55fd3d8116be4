//! Text from data, shown to people: characters that are not seen, or that change what is seen, become escapes.

use std::borrow::Cow;

/// The text with every hidden character as an escape, such as `\\u{1b}` and `\\n`.
///
/// Names, labels and file names come from whoever made the data. A control character in them would move the cursor of a
/// terminal or change its colours; a bidirectional mark would show the letters after it in another order; a zero-width
/// character would make two names look alike.
///
/// ```
/// assert_eq!(tamis::base::visible("a\u{1b}[31mb"), "a\\u{1b}[31mb");
/// assert_eq!(tamis::base::visible("gène"), "gène");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// [`visible`] for text of several lines: line ends stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_hidden(c))
}

fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Whether a character is not seen, or changes how others are: control characters, bidirectional marks, zero-width and
/// other invisible ones.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_seen() {
        let shown = [
            ("\u{1b}[31mboo\u{7}", "\\u{1b}[31mboo\\u{7}"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("x\u{202e}y\u{2066}", "x\\u{202e}y\\u{2066}"),
            ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
            ("\u{9b}31m\u{e0041}", "\\u{9b}31m\\u{e0041}"),
            ("β-actin, 基因, é", "β-actin, 基因, é"),
        ];
        for (text, wanted) in shown {
            assert_eq!(visible(text), wanted);
        }
        assert_eq!(visible_lines("a\nb\u{1b}"), "a\nb\\u{1b}");
    }
}
