//! Selections from a table of codes.

use crate::base::error::Place;
use crate::base::{Context, Error, Progress, Result};
use crate::catalogue::Method;
use crate::codes::coded_table::{CodeStore, CodedTable};
use crate::merge::Frame;
use crate::merge::answer::{Answer, positions};
use crate::merge::envelope::{CODES, envelope, opened};
use crate::npfs::Npfs;
use crate::npfs::PartialRuns;
use crate::selection::Selection;
use crate::stream::assembly::{Assembly, changed, sampled};
use crate::stream::coded_block::CodedBlock;
use crate::stream::coding::Codings;
use crate::table::RowWeights;
use std::sync::Arc;

/// A table of codes, and how they came about.
#[derive(Debug)]
pub struct CodedStream {
    pub(super) codings: Arc<Codings>,
    pub(super) codes: CodedTable,
}

impl CodedStream {
    /// The table of blocks that come in the order of the rows. If they take more than so many bytes, a sample of the
    /// rows is kept.
    pub fn join(codings: &Arc<Codings>, blocks: Vec<CodedBlock>, most: u64) -> Result<CodedStream> {
        let rows: u64 = blocks.iter().map(|block| block.target.len() as u64).sum();
        let size = rows.saturating_mul(codings.columns.len() as u64);
        let sampled_before = rows < codings.rows;
        let mut assembly = if size > most && !sampled_before {
            Assembly::new(codings, false, Some(most as f64 / size as f64))?
        } else {
            Assembly::of_rows(codings, usize::try_from(rows).unwrap_or(usize::MAX), false, None)?
        };
        blocks.into_iter().try_for_each(|block| assembly.push(block))?;
        if assembly.read != codings.read {
            return Err(changed());
        }
        let mut coded = assembly.finish()?;
        if sampled_before {
            coded.codes.notes.push(sampled(rows, codings.rows));
        }
        Ok(coded)
    }

    /// The frame shared by all pieces.
    pub fn frame(&self) -> &Arc<Frame> {
        &self.codings.frame
    }

    /// Selects by a method that needs nothing but codes.
    pub fn select(&self, method: &Method, keep: &[String], progress: &mut dyn Progress) -> Result<Answer> {
        let names = &self.codings.frame.names;
        let kept = positions(names, keep)?;
        let selection =
            method.select_codes(&self.codes, names, &kept, &mut Context::new(self.codings.seed(), progress))?;
        self.answer(selection, keep)
    }

    /// Only some of the bootstraps of `npfs`.
    pub fn run_some(
        &self,
        npfs: &Npfs,
        bootstraps: std::ops::Range<usize>,
        progress: &mut dyn Progress,
    ) -> Result<PartialRuns> {
        let context = &mut Context::new(self.codings.seed(), progress);
        npfs.run_some(&self.codes, self.codings.frame.names.len(), bootstraps, context)
    }

    /// The answer of `npfs` from bootstraps that were run in parts.
    pub fn join_runs(&self, npfs: &Npfs, parts: Vec<PartialRuns>, keep: &[String]) -> Result<Answer> {
        let selection = npfs.join_runs(&self.codes, &self.codings.frame.names, parts, self.codings.seed())?;
        self.answer(selection, keep)
    }

    fn answer(&self, selection: Selection, keep: &[String]) -> Result<Answer> {
        let mut answer = self.codings.about.clone().answer(selection);
        answer.keep(keep)?;
        Ok(answer)
    }

    /// The coded table as bytes; it must be in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let codings = self.codings.to_bytes();
        let notes = serde_json::to_vec(&self.codes.notes).expect("notes are text");
        let kept = self.codes.features.len();
        let columns = (0..kept).map(|at| self.codes.column(at).to_vec()).collect();
        let weights = self.codes.weights.as_ref().map(|weights| weights.values.clone());
        let block = CodedBlock { read: 0, target: self.codes.target.clone(), weights, columns };
        let features: Vec<u8> = self.codes.features.iter().flat_map(|at| at.to_le_bytes()).collect();
        let mut body = vec![];
        for part in [&codings, &notes, &features, &block.to_bytes()] {
            body.extend_from_slice(&(part.len() as u64).to_le_bytes());
            body.extend_from_slice(part);
        }
        envelope(&CODES, &body)
    }

    /// Reads it back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<CodedStream> {
        let wrong = || Error::data(Place::file(name), "it is not a table of codes", "make it again");
        let mut rest = opened(&CODES, bytes, name)?;
        let mut next = || {
            let (length, behind) = rest.split_first_chunk()?;
            let (part, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            rest = behind;
            Some(part)
        };
        let (codings, notes) = (next().ok_or_else(wrong)?, next().ok_or_else(wrong)?);
        let (features, block) = (next().ok_or_else(wrong)?, next().ok_or_else(wrong)?);
        let codings = Arc::new(Codings::from_bytes(codings, name)?);
        let features: Vec<u32> =
            features.chunks_exact(4).filter_map(|c| c.first_chunk()).map(|c| u32::from_le_bytes(*c)).collect();
        if features.iter().any(|&at| at as usize >= codings.columns.len()) {
            return Err(wrong());
        }
        let block = CodedBlock::from_bytes(block, features.len(), name)?;
        let levels = block.columns.iter().flatten().copied().max().map_or(1, |c| usize::from(c) + 1);
        let codes = CodedTable {
            store: CodeStore::Memory(block.columns.concat()),
            rows: block.target.len(),
            codings: features.iter().map(|&at| codings.columns[at as usize].clone()).collect(),
            features,
            levels,
            target: block.target,
            classes: codings.classes,
            weights: block.weights.map(|values| RowWeights { values, kind: codings.frame.weight_kind() }),
            notes: serde_json::from_slice(notes).map_err(|_| wrong())?,
        };
        Ok(CodedStream { codings, codes })
    }
}
