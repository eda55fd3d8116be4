//! A block of rows as codes, and samples of its rows.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::merge::envelope::{BLOCK, envelope, opened};

/// Rows as codes.
#[derive(Debug, Clone, PartialEq)]
pub struct CodedBlock {
    /// Rows there were, with or without a target.
    pub(crate) read: u64,
    /// The class of every row that counts.
    pub(crate) target: Vec<u8>,
    pub(crate) weights: Option<Vec<f64>>,
    /// Their codes, column after column.
    pub(crate) columns: Vec<Vec<u8>>,
}

impl CodedBlock {
    /// Keeps each row with this probability, by a hash of the seed, the stream and its number in it.
    pub fn sampled(mut self, share: f64, seed: u64, stream: u64, first: u64) -> CodedBlock {
        let kept: Vec<bool> =
            (0..self.target.len() as u64).map(|row| keeps(share, seed, stream, first + row)).collect();
        let mut at = kept.iter();
        let mut wanted = || *at.next().unwrap_or(&false);
        self.target.retain(|_| wanted());
        for column in &mut self.columns {
            let mut at = kept.iter();
            column.retain(|_| *at.next().unwrap_or(&false));
        }
        if let Some(weights) = &mut self.weights {
            let mut at = kept.iter();
            weights.retain(|_| *at.next().unwrap_or(&false));
        }
        self
    }

    /// The block as bytes: rows read, rows kept, whether they are weighted; classes, weights, codes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let n = self.target.len();
        let mut body = Vec::with_capacity(17 + n * (9 + self.columns.len()));
        body.extend_from_slice(&self.read.to_le_bytes());
        body.extend_from_slice(&(n as u64).to_le_bytes());
        body.push(u8::from(self.weights.is_some()));
        body.extend_from_slice(&self.target);
        for weight in self.weights.iter().flatten() {
            body.extend_from_slice(&weight.to_bits().to_le_bytes());
        }
        self.columns.iter().for_each(|column| body.extend_from_slice(column));
        envelope(&BLOCK, &body)
    }

    /// Reads it back, of so many columns; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], columns: usize, name: &str) -> Result<CodedBlock> {
        let body = opened(&BLOCK, bytes, name)?;
        let wrong = || Error::data(Place::file(name), "it does not hold codes of these columns", "make it again");
        let decode = || {
            let (read, rest) = body.split_first_chunk()?;
            let (n, rest) = rest.split_first_chunk()?;
            let (&weighted, rest) = rest.split_first()?;
            let n = usize::try_from(u64::from_le_bytes(*n)).ok()?;
            let (target, mut rest) = rest.split_at_checked(n)?;
            let mut weights = None;
            if weighted == 1 {
                let (bits, behind) = rest.split_at_checked(n.checked_mul(8)?)?;
                let number = |chunk: &[u8]| chunk.first_chunk().map(|bits| f64::from_bits(u64::from_le_bytes(*bits)));
                weights = Some(bits.chunks_exact(8).map(number).collect::<Option<Vec<f64>>>()?);
                rest = behind;
            }
            (rest.len() == n.checked_mul(columns)?).then(|| CodedBlock {
                read: u64::from_le_bytes(*read),
                target: target.to_vec(),
                weights,
                columns: (0..columns).map(|at| rest[at * n..(at + 1) * n].to_vec()).collect(),
            })
        };
        decode().ok_or_else(wrong)
    }
}

/// Whether a row is in a sample.
pub(crate) fn keeps(share: f64, seed: u64, stream: u64, row: u64) -> bool {
    // splitmix64, Steele, Lea & Flood 2014
    let mix = |x: u64| {
        let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    let hash = mix(mix(mix(seed) ^ stream) ^ row);
    (hash >> 11) as f64 / (1_u64 << 53) as f64 <= share
}
