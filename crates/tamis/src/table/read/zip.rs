//! Zip archives, as far as NumPy uses them: members stored or deflated, read from memory, written stored.
//!
//! Declared sizes are not trusted: expanded bytes are counted while reading, and the checksum is compared.
//!
//! The reader is written by hand because this much of the format is a list of fixed records and a call of flate2,
//! which the library has anyway. The bound on expansion is the one of gzip and zstd files, and a refusal says how to
//! save the file instead.

use crate::table::ExpansionLimit;
use crate::table::read::open::ExpansionExceeded;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::io::{self, Read, Write};
use std::ops::Range;

/// The sign of a size that stands in the 64-bit record instead.
const ELSEWHERE: u64 = 0xffff_ffff;

/// An archive in memory.
pub(crate) struct Archive {
    bytes: Vec<u8>,
    members: Vec<Member>,
}

/// One file of an archive, as the directory at the end lists it.
struct Member {
    name: String,
    deflated: bool,
    crc: u32,
    size: u64,
    data: Range<usize>,
}

impl Archive {
    /// Reads the directory; the error has the problem and the remedy.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Archive, String> {
        let broken = || "the zip archive is damaged or incomplete; copy the file again".to_string();
        let members = directory(&bytes).ok_or_else(broken)?.into_iter().collect::<Result<_, _>>()?;
        Ok(Archive { bytes, members })
    }

    /// The members' names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// The content of a member; `None` if there is none of this name.
    pub(crate) fn open(&self, name: &str, limit: ExpansionLimit) -> Option<MemberContent<'_>> {
        self.content(self.members.iter().find(|member| member.name == name)?, limit)
    }

    /// Every member's name and content, in the order of the directory.
    #[cfg(feature = "spreadsheet")]
    pub(crate) fn contents(&self, limit: ExpansionLimit) -> impl Iterator<Item = (&str, MemberContent<'_>)> {
        self.members.iter().filter_map(move |member| Some((member.name.as_str(), self.content(member, limit)?)))
    }

    fn content<'a>(&'a self, member: &'a Member, limit: ExpansionLimit) -> Option<MemberContent<'a>> {
        let data = self.bytes.get(member.data.clone())?;
        let source: Box<dyn Read> = if member.deflated { Box::new(DeflateDecoder::new(data)) } else { Box::new(data) };
        let allowed = limit.of_file(data.len() as u64);
        let allowed = if member.deflated { allowed } else { u64::MAX };
        Some(MemberContent { source, member, crc: Crc::new(), produced: 0, allowed })
    }
}

/// The content of a member, as a stream; its end is an error if the checksum differs.
pub(crate) struct MemberContent<'a> {
    source: Box<dyn Read + 'a>,
    member: &'a Member,
    crc: Crc,
    produced: u64,
    allowed: u64,
}

impl MemberContent<'_> {
    /// How many bytes there are for certain; `None` where only decompressing tells.
    pub(crate) fn available(&self) -> Option<u64> {
        (!self.member.deflated).then(|| self.member.data.len() as u64)
    }
}

impl Read for MemberContent<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let damaged = || io::Error::other("the archive is damaged; copy the file again");
        let n = self.source.read(buffer).map_err(|_| damaged())?;
        self.crc.update(&buffer[..n]);
        self.produced += n as u64;
        if self.produced > self.allowed {
            let compressed = self.member.data.len() as u64;
            return Err(io::Error::other(ExpansionExceeded { compressed, allowed: self.allowed }));
        }
        if n == 0 && !buffer.is_empty() && (self.crc.sum() != self.member.crc || self.produced != self.member.size) {
            return Err(damaged());
        }
        Ok(n)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The members an archive lists; `None` where the bytes are no archive.
fn directory(bytes: &[u8]) -> Option<Vec<Result<Member, String>>> {
    let first = bytes.len().saturating_sub(22 + 0xffff);
    let end = (first..bytes.len().checked_sub(21)?).rev().find(|&at| bytes[at..].starts_with(b"PK\x05\x06"))?;
    let mut count = u64::from(u16_at(bytes, end + 10)?);
    let mut at = u64::from(u32_at(bytes, end + 16)?);
    if let Some(locator) = end.checked_sub(20).filter(|&l| bytes[l..].starts_with(b"PK\x06\x07")) {
        let record = usize::try_from(u64_at(bytes, locator + 8)?).ok()?;
        if !bytes.get(record..)?.starts_with(b"PK\x06\x06") {
            return None;
        }
        count = u64_at(bytes, record.checked_add(32)?)?;
        at = u64_at(bytes, record.checked_add(48)?)?;
    }
    let mut at = usize::try_from(at).ok()?;
    let mut members = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..).filter(|b| b.starts_with(b"PK\x01\x02"))?;
        let [name, extra, comment] = [28, 30, 32].map(|field| u16_at(entry, field).map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        members.push(member(bytes, entry.get(..46 + name + extra)?, name)?);
        at += 46 + name + extra + comment;
    }
    Some(members)
}

/// A member by its entry in the directory, whose name has this length.
fn member(bytes: &[u8], entry: &[u8], name: usize) -> Option<Result<Member, String>> {
    let method = u16_at(entry, 10)?;
    let encrypted = u16_at(entry, 8)? & 1 == 1;
    let mut sizes = [24, 20, 42].map(|field| u32_at(entry, field).map_or(0, u64::from)); // whole, packed, offset
    if let Some(mut extra) = extra_64(entry.get(46 + name..)?) {
        for size in sizes.iter_mut().filter(|size| **size == ELSEWHERE) {
            *size = u64_at(extra, 0)?;
            extra = &extra[8..];
        }
    }
    let [size, packed, offset] = sizes;
    let name = String::from_utf8_lossy(&entry[46..46 + name]).into_owned();
    if encrypted || !matches!(method, 0 | 8) {
        let how = if encrypted { "encrypted" } else { "compressed in a way other than deflate" };
        return Some(Err(format!("`{name}` in it is {how}; save it with `np.savez`")));
    }
    let local = usize::try_from(offset).ok()?;
    let head = bytes.get(local..).filter(|b| b.starts_with(b"PK\x03\x04"))?;
    let from = local + 30 + usize::from(u16_at(head, 26)?) + usize::from(u16_at(head, 28)?);
    let to = from.checked_add(usize::try_from(packed).ok()?).filter(|to| *to <= bytes.len())?;
    Some(Ok(Member { name, deflated: method == 8, crc: u32_at(entry, 16)?, size, data: from..to }))
}

/// The field of an entry that holds sizes of 64 bits.
fn extra_64(mut extra: &[u8]) -> Option<&[u8]> {
    loop {
        let length = usize::from(u16_at(extra, 2)?);
        let field = extra.get(4..4 + length)?;
        if u16_at(extra, 0)? == 1 {
            return Some(field);
        }
        extra = &extra[4 + length..];
    }
}

/// An archive being written, its members stored as they are.
pub(crate) struct ArchiveWriter<'a> {
    out: &'a mut dyn Write,
    position: u64,
    directory: Vec<u8>,
    members: u16,
}

/// Counts what is written and sums it up.
struct Tally(Crc, u64);

impl Write for Tally {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        self.1 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> ArchiveWriter<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        ArchiveWriter { out, position: 0, directory: vec![], members: 0 }
    }

    /// Adds a member. `write` is called twice, since size and checksum stand before the content.
    pub(crate) fn add(&mut self, name: &str, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut tally = Tally(Crc::new(), 0);
        write(&mut tally)?;
        let Tally(crc, size) = tally;
        let end = self.position + 30 + name.len() as u64 + size;
        let (Ok(size_32), true) = (u32::try_from(size), end < ELSEWHERE) else {
            let text = format!("`{name}` takes {size} bytes, and an archive holds 4 GiB; write CSV instead");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        };
        // version, flags, method (stored), time, date (1 January 1980), checksum, both sizes, lengths
        let mut fields = Vec::new();
        for field in [20_u16, 0, 0, 0, 0x21] {
            fields.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), size_32, size_32] {
            fields.extend(field.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0; 2]);
        self.out.write_all(b"PK\x03\x04")?;
        self.out.write_all(&fields)?;
        self.out.write_all(name.as_bytes())?;
        write(self.out)?;
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&fields);
        self.directory.extend([0; 10]); // comment, disk, attributes
        self.directory.extend((self.position as u32).to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.position = end;
        self.members += 1;
        Ok(())
    }

    /// Writes the directory.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.directory)?;
        self.out.write_all(b"PK\x05\x06\0\0\0\0")?;
        self.out.write_all(&self.members.to_le_bytes())?;
        self.out.write_all(&self.members.to_le_bytes())?;
        self.out.write_all(&(self.directory.len() as u32).to_le_bytes())?;
        self.out.write_all(&(self.position as u32).to_le_bytes())?;
        self.out.write_all(&[0; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut zip = ArchiveWriter::new(&mut bytes);
        zip.add("a.npy", &|out| out.write_all(b"first")).expect("writes");
        zip.add("b.npy", &|out| out.write_all(&[7; 300])).expect("writes");
        zip.finish().expect("writes");
        bytes
    }

    #[test]
    fn what_is_written_reads_back() {
        let archive = Archive::new(archive()).expect("an archive");
        assert_eq!(archive.names().collect::<Vec<_>>(), ["a.npy", "b.npy"]);
        let mut content = vec![];
        archive.open("b.npy", ExpansionLimit::default()).expect("there").read_to_end(&mut content).expect("reads");
        assert_eq!(content, [7; 300]);
        assert!(archive.open("c.npy", ExpansionLimit::default()).is_none());
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let mut bytes = archive();
        bytes[30 + 5] ^= 1; // the first of `first`
        let archive = Archive::new(bytes).expect("an archive");
        let mut content = archive.open("a.npy", ExpansionLimit::default()).expect("there");
        let error = content.read_to_end(&mut vec![]).expect_err("damaged");
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}
