//! The delimiter of a text, guessed from its first lines.

/// The delimiter that cuts the first lines most consistently.
pub(super) fn guess(text: &[u8], complete: bool) -> u8 {
    let mut lines: Vec<&[u8]> = text.split(|c| *c == b'\n').take(21).collect();
    if lines.len() > 1 && (lines.len() <= 20 || !complete) {
        lines.pop(); // perhaps cut short
    }
    lines.retain(|l| !l.trim_ascii().is_empty());
    lines.truncate(20);
    let count = |line: &[u8], delimiter: u8| {
        let mut outside = true;
        line.iter()
            .filter(|c| {
                if **c == b'"' {
                    outside = !outside;
                }
                outside && **c == delimiter
            })
            .count()
    };
    let Some((header, rest)) = lines.split_first() else { return b',' };
    let mut best = (0, b',');
    for delimiter in [b',', b'\t', b';', b'|', b' '] {
        let first = count(header, delimiter);
        let same = |n: usize| rest.iter().all(|line| count(line, delimiter) == n);
        // row names without a header make every line but the first one longer
        let consistent = (first > 0 && same(first)) || (!rest.is_empty() && same(first + 1) && first > 0);
        let weight = if consistent {
            first + 1_000_000
        } else if delimiter == b' ' {
            0
        } else {
            first
        };
        if weight > best.0 {
            best = (weight, delimiter);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_guessed() {
        assert_eq!(guess(b"a\tb c\td\n1\t2\t3\n", true), b'\t');
        assert_eq!(guess(b"a;b;c\n1,5;2,5;3,5\n", true), b';');
        assert_eq!(guess(b"a b c\n1 2 3\n", true), b' ');
        assert_eq!(guess(b"x y\t z\n1\t2\n", true), b'\t');
        assert_eq!(guess(b"score\n1.5\n", true), b',');
        assert_eq!(guess(b"\"a,b\"\tc\n1\t2\n", true), b'\t');
        assert_eq!(guess(b"a\tb\nr1\t1\t2\nr2\t1\t2\n", true), b'\t');
    }
}
