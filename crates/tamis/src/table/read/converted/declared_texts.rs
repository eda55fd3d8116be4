//! How many texts the parts of a spreadsheet say they hold. Its reader sets aside memory for as many before it has seen one.

use std::io::{self, Write};

/// The attribute of the list of shared texts that says how many there are.
const ATTRIBUTE: &[u8] = b"uniqueCount";

/// Looks for the attribute in bytes that are written to it, and keeps the largest number.
///
/// It does not understand XML, so that no quote, comment or section can hide the attribute from it. Bytes of 0 are passed
/// over: they are every second byte of UTF-16.
#[derive(Default)]
pub(super) struct DeclaredTexts {
    pub(super) largest: u64,
    /// The word before the byte that comes next, as far as it is needed.
    word: Vec<u8>,
    /// Between the word and the byte that comes next is white space.
    ended: bool,
    after: After,
}

/// What came last of `uniqueCount = "12"`.
#[derive(Default)]
enum After {
    #[default]
    Text,
    Equals,
    Digits(u64),
}

impl DeclaredTexts {
    fn take(&mut self, byte: u8) {
        match (&self.after, byte) {
            (After::Equals, b'"' | b'\'') => self.after = After::Digits(0),
            (After::Equals, _) if byte.is_ascii_whitespace() => {}
            (After::Digits(n), b'0'..=b'9') => {
                let n = n.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
                self.largest = self.largest.max(n);
                self.after = After::Digits(n);
            }
            _ => self.take_text(byte),
        }
    }

    fn take_text(&mut self, byte: u8) {
        self.after = After::Text;
        if byte == b'=' && self.word == ATTRIBUTE {
            self.after = After::Equals;
        } else if byte.is_ascii_whitespace() {
            self.ended = true;
            return;
        } else if byte.is_ascii_alphanumeric() {
            if self.ended {
                self.word.clear();
            }
            self.ended = false;
            if self.word.len() <= ATTRIBUTE.len() {
                self.word.push(byte);
            }
            return;
        }
        self.word.clear();
        self.ended = false;
    }
}

impl Write for DeclaredTexts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().filter(|byte| **byte != 0).for_each(|byte| self.take(*byte));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn largest(text: &[u8]) -> u64 {
        let mut found = DeclaredTexts::default();
        for piece in text.chunks(3) {
            found.write_all(piece).expect("takes all");
        }
        found.largest
    }

    #[test]
    fn the_number_is_found_however_it_is_written() {
        let utf_16: Vec<u8> = "<sst uniqueCount=\"70\">".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: [(&[u8], u64); 8] = [
            (b"<sst count=\"9\" uniqueCount=\"12\"/>", 12),
            (b"<!-- \" --><sst uniqueCount =\n '0012'>", 12),
            (b"<sst uniqueCount=\"18446744073709551616\">", u64::MAX),
            (&utf_16, 70),
            (b"<sst count=\"99\">", 0),
            (b"<sst uniqueCounts=\"99\" myuniqueCount=\"98\">", 0),
            (b"<t>uniqueCount</t> = \"99\"", 0),
            (b"<sst uniqueCount=\"3\"><sst uniqueCount=\"2\">", 3),
        ];
        for (text, wanted) in cases {
            assert_eq!(largest(text), wanted, "{}", String::from_utf8_lossy(text));
        }
    }
}
