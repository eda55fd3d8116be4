//! Pages of a Parquet column, looked at before they are decoded: counts that a page merely declares must be ones
//! its bytes could hold, for memory is set aside by them.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// The pages of one column chunk of `rows` rows without nesting.
pub(crate) struct CheckedPages<P> {
    pub(crate) pages: P,
    pub(crate) rows: usize,
    /// Whether values may be null: their levels come first then.
    pub(crate) nullable: bool,
}

impl<P: PageReader> CheckedPages<P> {
    fn check(&self, page: &Page) -> Result<()> {
        let damaged = |what: &str| Err(ParquetError::General(what.into()));
        match page {
            Page::DictionaryPage { buf, num_values, .. } if *num_values as usize > buf.len() => {
                damaged("a dictionary declares more values than it has bytes")
            }
            Page::DictionaryPage { .. } => Ok(()),
            Page::DataPage { num_values, .. } | Page::DataPageV2 { num_values, .. }
                if *num_values as usize > self.rows =>
            {
                damaged("a page declares more values than there are rows")
            }
            Page::DataPage { buf, encoding, .. } => {
                let levels = match buf.first_chunk::<4>() {
                    Some(length) if self.nullable => (u32::from_le_bytes(*length) as usize).saturating_add(4),
                    _ => 0,
                };
                self.check_delta(*encoding, buf.get(levels..).unwrap_or_default())
            }
            Page::DataPageV2 { buf, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                self.check_delta(*encoding, buf.get(levels..).unwrap_or_default())
            }
        }
    }

    /// Texts by their lengths: one run of packed lengths, or two when prefixes are shared.
    fn check_delta(&self, encoding: Encoding, values: &[u8]) -> Result<()> {
        let runs = match encoding {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => 0,
        };
        let mut rest = values;
        for _ in 0..runs {
            rest = skip_packed(rest, self.rows)
                .ok_or_else(|| ParquetError::General("packed lengths that the page cannot hold".into()))?;
        }
        Ok(())
    }
}

/// The bytes after a run of at most `most` delta-packed integers; `None` if the run is truncated.
fn skip_packed(bytes: &[u8], most: usize) -> Option<&[u8]> {
    let mut rest = bytes;
    let block = varint(&mut rest)?;
    let miniblocks = varint(&mut rest)?;
    let total = varint(&mut rest)?;
    varint(&mut rest)?; // the first value
    if total > most || miniblocks == 0 || block == 0 {
        return None;
    }
    let values = block / miniblocks;
    let mut left = total.saturating_sub(1);
    while left > 0 {
        varint(&mut rest)?; // the smallest difference
        let (widths, after) = rest.split_at_checked(miniblocks)?;
        rest = after;
        for &width in widths {
            if left > 0 {
                rest = rest.get((width as usize).checked_mul(values)? / 8..)?;
            }
            left = left.saturating_sub(values);
        }
        if values == 0 {
            return None;
        }
    }
    Some(rest)
}

/// An unsigned integer of 7 bits per byte.
fn varint(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return usize::try_from(value).ok();
        }
    }
    None
}

impl<P: PageReader> Iterator for CheckedPages<P> {
    type Item = Result<Page>;
    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for CheckedPages<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// The one chunk a column has in a row group.
pub(crate) struct OneChunk(pub(crate) Option<Result<Box<dyn PageReader>>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;
    fn next(&mut self) -> Option<Self::Item> {
        self.0.take()
    }
}

impl PageIterator for OneChunk {}
