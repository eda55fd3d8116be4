//! The second walk over files: rows become codes, of which a method selects.

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::remedies::{READ_WHOLE, no_file};
use crate::base::{Error, Progress, Result};
use crate::catalogue::Method;
use crate::merge::answer::Answer;
use crate::merge::pass::Sink;
use crate::stream::Stream;
use crate::stream::assembly::Assembly;
use crate::stream::coded_block::CodedBlock;
use crate::stream::coding::{Codings, EncodePass};
use crate::stream::edges_pass::SummarySink;
use crate::table::Input;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files being coded.
struct AssemblySink<'a>(&'a mut Assembly);

impl Sink for AssemblySink<'_> {
    type Pass = EncodePass;

    fn begin(&mut self, _: &[String], _: &Place, _: &[Note]) -> Result<EncodePass> {
        Ok(EncodePass(Arc::clone(&self.0.codings)))
    }

    fn take(&mut self, part: CodedBlock, _: &Place) -> Result<()> {
        self.0.push(part)
    }

    fn n_rows(&self) -> u64 {
        self.0.read
    }
}

/// Keeps the blocks of one input.
struct BlockSink(Arc<Codings>, Vec<CodedBlock>);

impl Sink for BlockSink {
    type Pass = EncodePass;

    fn begin(&mut self, _: &[String], _: &Place, _: &[Note]) -> Result<EncodePass> {
        Ok(EncodePass(Arc::clone(&self.0)))
    }

    fn take(&mut self, part: CodedBlock, _: &Place) -> Result<()> {
        self.1.push(part);
        Ok(())
    }

    fn n_rows(&self) -> u64 {
        self.1.iter().map(|block| block.read).sum()
    }
}

impl Stream {
    /// The rows of one input as a block of codes.
    pub fn encode(&self, codings: &Arc<Codings>, input: Input, progress: &mut dyn Progress) -> Result<CodedBlock> {
        let mut sink = BlockSink(Arc::clone(codings), vec![]);
        self.walk_one(input, &mut sink, progress)?;
        let columns = vec![vec![]; codings.columns.len()];
        let weights = codings.frame.weight.is_some().then(Vec::new);
        let mut whole = CodedBlock { read: 0, target: vec![], weights, columns };
        for block in sink.1 {
            whole.read += block.read;
            whole.target.extend(block.target);
            whole.columns.iter_mut().zip(block.columns).for_each(|(all, some)| all.extend(some));
            if let (Some(all), Some(some)) = (&mut whole.weights, block.weights) {
                all.extend(some);
            }
        }
        Ok(whole)
    }

    /// Selects by a method that counts information, in two walks over the files: one to see how to cut every column,
    /// one to turn rows into codes, a byte a cell. Codes that do not fit the memory are kept in a file, which a filter
    /// reads once for every feature it chooses; `npfs` and `pairs`, which would read it thousands of times, take a
    /// sample of the rows that fits.
    pub fn select_coded(
        &self,
        files: &[PathBuf],
        method: &Method,
        keep: &[String],
        progress: &mut dyn Progress,
    ) -> Result<Answer> {
        let Some((discretise, bins)) = method.coding() else {
            let problem = "needs the values themselves and cannot read a table in pieces";
            return Err(Error::method(method.name(), problem, READ_WHOLE));
        };
        if files.iter().any(|path| path == Path::new("-")) {
            let expected = format!("`{}` reads a table twice; write it to a file first", method.name());
            return Err(Error::parameter("FILE", "-", expected));
        }
        let mut edges = None;
        self.walk(files, &mut SummarySink { stream: self, discretise, edges: &mut edges }, progress)?;
        let codings = Arc::new(edges.ok_or_else(no_file)?.codings(bins)?);
        let (rows, features) = codings.size();
        let size = rows.saturating_mul(features as u64);
        let fits = self.memory.is_none_or(|memory| size <= memory);
        let sample = matches!(method, Method::Npfs(_) | Method::Pairs(_));
        let share = self.memory.filter(|_| !fits && sample).map(|memory| memory as f64 / size as f64);
        let mut assembly = Assembly::new(&codings, !fits && !sample, share)?;
        self.walk(files, &mut AssemblySink(&mut assembly), progress)?;
        assembly.finish()?.select(method, keep, progress)
    }
}
