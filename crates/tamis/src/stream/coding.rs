//! The second of two passes: the coding of every column, and blocks of rows as codes.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::codes::discretise::{check_classes, code, frequency, width};
use crate::codes::{Coding, Discretise};
use crate::merge::Frame;
use crate::merge::answer::About;
use crate::merge::bytes::{BLOCK, CODINGS, envelope, opened};
use crate::merge::pass::{Head, Pass};
use crate::merge::piece::{Piece, Room};
use crate::merge::recognised::RecognisedTarget;
use crate::merge::target_state::Against;
use crate::stream::edges::{Edges, Keep, Known, Span};
use crate::table::Column;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The coding of every column and of the target, with facts and notes about the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Codings {
    pub(crate) frame: Arc<Frame>,
    /// Rows there are, with or without a target.
    pub(crate) read: u64,
    /// Rows that count.
    pub(crate) rows: u64,
    pub(crate) columns: Vec<Coding>,
    /// Whether a column has missing values.
    pub(crate) missing: Vec<bool>,
    target: TargetCoding,
    pub(crate) classes: usize,
    pub(crate) discretise: Discretise,
    pub(crate) about: About,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum TargetCoding {
    /// The class of every label.
    Classes(BTreeMap<String, u8>),
    /// A number, cut into bins of about equal frequency.
    Cuts(Vec<f64>),
}

impl Edges {
    /// How to code every column into at most `bins` levels.
    pub fn codings(&self, bins: usize) -> Result<Codings> {
        if !(2..256).contains(&bins) {
            return Err(Error::parameter("bins", bins, "it takes 2…255"));
        }
        let codings = self.cut(bins, &self.state.recognise()?)?;
        let columns = codings.columns.iter().zip(&codings.missing).zip(codings.frame.names.iter());
        columns.into_iter().try_for_each(|((coding, missing), name)| coding.check_levels(*missing, name))?;
        Ok(codings)
    }

    /// How to code every column, with any number of bins.
    pub(crate) fn cut(&self, bins: usize, recognised: &RecognisedTarget) -> Result<Codings> {
        let (target, classes) = match (recognised.n_classes(), &self.state.against) {
            (Some(n_classes), Against::Labels(texts)) => {
                check_classes(n_classes)?;
                let class =
                    |(label, class): (&crate::merge::target_state::Label, &usize)| (label.text.clone(), *class as u8);
                (TargetCoding::Classes(texts.iter().zip(&recognised.class).map(class).collect()), n_classes)
            }
            _ => {
                let cuts = frequency(&self.target.sorted(), bins);
                let classes = cuts.len() + 1;
                (TargetCoding::Cuts(cuts), classes)
            }
        };
        let columns: Vec<Coding> = self.columns.iter().map(|span| span.coding(bins)).collect();
        let discretise = match self.keep {
            Keep::Range => Discretise::Width,
            Keep::Quantiles(_) => Discretise::Frequency,
            Keep::Values => Discretise::Categories,
        };
        Ok(Codings {
            frame: Arc::clone(&self.state.frame),
            read: self.state.rows,
            rows: self.state.used,
            columns,
            missing: self.columns.iter().map(|span| span.missing).collect(),
            target,
            classes,
            discretise,
            about: self.state.about(recognised),
        })
    }
}

impl Span {
    fn coding(&self, bins: usize) -> Coding {
        match &self.known {
            Known::Nothing => Coding::Cuts(vec![]),
            Known::Categories(texts) => Coding::Labels(texts.iter().cloned().collect()),
            Known::Numbers(n) => Coding::Cuts(match &n.sketch {
                None if n.values.is_empty() => width(n.low, n.high, bins),
                None => n.values.iter().skip(1).copied().collect(),
                Some(sketch) => {
                    let cuts = frequency(&sketch.sorted(), bins);
                    // a column that varies is never taken as constant
                    if cuts.is_empty() { n.next.into_iter().collect() } else { cuts }
                }
            }),
        }
    }
}

impl Codings {
    /// Rows that count, and features: codes take a byte for each pair.
    pub fn size(&self) -> (u64, usize) {
        (self.rows, self.columns.len())
    }

    /// The seed that the table was first read with.
    pub fn seed(&self) -> u64 {
        self.frame.seed
    }

    /// The codings as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope(&CODINGS, &serde_json::to_vec(self).unwrap_or_default()) // finite numbers and text: it cannot fail
    }

    /// Reads them back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Codings> {
        let wrong = |_| Error::data(Place::file(name), "it does not say how to code columns", "make it again");
        serde_json::from_slice(opened(&CODINGS, bytes, name)?).map_err(wrong)
    }

    fn class(&self, rows: &Piece<'_>, place: &Place) -> Result<Vec<u8>> {
        let changed = || {
            let place = place.clone().at_column(&self.frame.target);
            Error::data(
                place,
                "the target has changed since it was first read",
                "do not change the table while it is read",
            )
        };
        match (&self.target, rows.against()) {
            (TargetCoding::Classes(known), Against::Labels(labels)) => {
                let classes: Vec<Option<u8>> = labels.iter().map(|label| known.get(&label.text).copied()).collect();
                let of_row = |&row: &u32| classes[rows.code(row as usize) as usize].ok_or_else(changed);
                rows.used().iter().map(of_row).collect()
            }
            (TargetCoding::Classes(_), Against::Number(_)) => Err(changed()),
            (TargetCoding::Cuts(cuts), _) => {
                let of_row = |(x, _): (f64, f64)| if x.is_nan() { Err(changed()) } else { Ok(code(cuts, x)) };
                rows.target_numbers().map(of_row).collect()
            }
        }
    }
}

/// Rows as codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Rows there were, with or without a target.
    pub(crate) read: u64,
    /// The class of every row that counts.
    pub(crate) target: Vec<u8>,
    pub(crate) weights: Option<Vec<f64>>,
    /// Their codes, column after column.
    pub(crate) columns: Vec<Vec<u8>>,
}

impl Block {
    /// Keeps each row with this probability, by a hash of the seed, the stream and its number in it.
    pub fn sampled(mut self, share: f64, seed: u64, stream: u64, first: u64) -> Block {
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
    pub fn from_bytes(bytes: &[u8], columns: usize, name: &str) -> Result<Block> {
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
            (rest.len() == n.checked_mul(columns)?).then(|| Block {
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

/// The second walk.
pub(crate) struct Encode(pub(crate) Arc<Codings>);

/// The rows of a piece with their classes.
pub(crate) struct CodedRows<'a> {
    pub(crate) piece: Piece<'a>,
    /// Of every row that counts.
    pub(crate) target: Vec<u8>,
}

pub(crate) fn class_rows<'a>(codings: &'a Codings, head: Head<'a>) -> Result<CodedRows<'a>> {
    let place = head.place;
    let piece = Piece::new(&codings.frame, head)?;
    let target = codings.class(&piece, place)?;
    Ok(CodedRows { piece, target })
}

impl CodedRows<'_> {
    /// A column changed between the passes.
    pub(crate) fn changed(&self, at: usize) -> Error {
        let problem = "its contents have changed since it was first read";
        Error::data(self.piece.at(at), problem, "do not change the table while it is read")
    }
}

impl Pass for Encode {
    type Rows<'a> = CodedRows<'a>;
    type Column = Vec<u8>;
    type Part = Block;

    fn frame(&self) -> &Arc<Frame> {
        &self.0.frame
    }

    fn rows<'a>(&'a self, head: Head<'a>) -> Result<CodedRows<'a>> {
        class_rows(&self.0, head)
    }

    fn column(&self, rows: &CodedRows<'_>, at: usize, column: &Column, _: &mut Room) -> Result<Vec<u8>> {
        let coding = &self.0.columns[at];
        if (0..column.len()).all(|row| column.is_missing(row)) {
            return Ok(vec![coding.known_levels() as u8; rows.target.len()]); // it may look like another sort of column
        }
        coding.encode(column, rows.piece.used()).ok_or_else(|| rows.changed(at))
    }

    fn part(&self, rows: CodedRows<'_>, columns: Vec<Vec<u8>>) -> Block {
        let CodedRows { piece, target } = rows;
        let weights = piece.weighted().then(|| piece.used().iter().map(|&row| piece.weight(row as usize)).collect());
        Block { read: piece.rows(), target, weights, columns }
    }
}
