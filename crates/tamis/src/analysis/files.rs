//! Selecting from files: how they are held, and what is left of them.

use super::{Analysis, Data, Found};
use crate::base::{Progress, Result};
use crate::sparse_means::Snbl;
use crate::stream::Stream;
use crate::table::{self, Format, Input, ReadOptions, SparseTable, Table};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The files of one table, and how they are read.
#[derive(Debug, Clone)]
pub struct TableFiles {
    /// The files; several are one table in pieces.
    pub paths: Vec<PathBuf>,
    /// How they are understood.
    pub options: ReadOptions,
    /// Bytes that reading may hold; a table beyond it is read in pieces.
    pub memory: Option<u64>,
    /// The file of groups of features.
    pub feature_groups: Option<PathBuf>,
}

/// How data are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// In memory, every value.
    Whole,
    /// In memory, without the zeros.
    Sparse,
    /// In pieces, of which only summaries stay.
    Pieces,
}

/// What is held of a table after a selection from it.
#[derive(Debug)]
pub enum HeldTable {
    /// All of it.
    Whole(Table),
    /// All of it but the zeros.
    Sparse(SparseTable),
    /// Nothing: it was read in pieces.
    Nothing,
}

impl TableFiles {
    /// The only file, unless there are several.
    fn one(&self) -> Option<&Path> {
        match &self.paths[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Whether the table must be read in pieces: it is several files, or takes more than the memory allowed.
    fn exceed_memory(&self, progress: &mut dyn Progress) -> Result<bool> {
        let Some(file) = self.one() else { return Ok(true) };
        let Some(memory) = self.memory else { return Ok(false) };
        if table::is_sparse(file, &self.options) {
            return Ok(false); // it is held sparse
        }
        if file == Path::new("-") {
            return Ok(true);
        }
        let size = self.stream(Snbl::default(), 0).whole_size(Input::open(file)?, progress)?;
        Ok(size.is_none_or(|bytes| bytes > memory))
    }

    pub(super) fn stream(&self, method: Snbl, seed: u64) -> Stream {
        Stream { options: self.options.clone(), method, seed, memory: self.memory }
    }
}

impl Analysis {
    /// How the files of a table are passed over.
    ///
    /// # Errors
    ///
    /// What [`Analysis::check_selection`] refuses, and what a table in pieces does not allow.
    pub fn passage(&self, files: &TableFiles, progress: &mut dyn Progress) -> Result<Passage> {
        self.check_selection()?;
        if let (Some(path), false) = (&files.feature_groups, self.method.takes_designs()) {
            return Err(crate::catalogue::no_groups(&path.display().to_string()));
        }
        if files.exceed_memory(progress)? {
            self.check_pieces(files)?;
            return Ok(Passage::Pieces);
        }
        let as_it_is = self.method.takes_designs() && !self.preparation.normalize().gives_log_counts();
        let sparse = as_it_is && files.one().is_some_and(|file| table::is_sparse(file, &files.options));
        Ok(if sparse { Passage::Sparse } else { Passage::Whole })
    }

    /// Reads a table and selects from it; also what is held of it.
    ///
    /// # Errors
    ///
    /// Those of [`Analysis::passage`], of reading, and of [`Analysis::select`].
    pub fn select_files(
        &self,
        files: &TableFiles,
        passage: Passage,
        progress: &mut dyn Progress,
    ) -> Result<(Found, HeldTable)> {
        let (Passage::Whole | Passage::Sparse, Some(file)) = (passage, files.one()) else {
            return Ok((self.select_pieces(files, progress)?, HeldTable::Nothing));
        };
        if passage == Passage::Sparse {
            let table = table::read_sparse(file, &files.options, progress)?;
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            let data = Data::of_sparse(name, &table);
            let found = self.with_groups_of(files, &data, progress)?.select(&data, progress)?;
            return Ok((found, HeldTable::Sparse(table)));
        }
        let input = Input::open(file)?;
        let name = input.file_name().to_string();
        let table = table::read(input, &files.options, progress)?;
        let data = Data::of_table(name, &table);
        let found = self.with_groups_of(files, &data, progress)?.select(&data, progress)?;
        Ok((found, HeldTable::Whole(table)))
    }

    /// The analysis with the groups of a file, if one is named.
    fn with_groups_of(&self, files: &TableFiles, data: &Data, progress: &mut dyn Progress) -> Result<Analysis> {
        let mut analysis = self.clone();
        if let Some(path) = &files.feature_groups {
            let (input, limit) = (Input::open(path)?, files.options.expansion);
            analysis.preparation.feature_groups =
                table::read_feature_groups(input, data.view.names(), limit, progress)?;
        }
        Ok(analysis)
    }
}

impl HeldTable {
    /// Writes only these columns, by position in ascending order, and the target; nothing where nothing is held.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn write_reduced(&self, columns: &[u32], format: Format, out: &mut dyn Write) -> io::Result<()> {
        match self {
            HeldTable::Whole(table) => table::write_reduced(table, columns, format, out),
            HeldTable::Sparse(table) => {
                let dense = table.dense(columns).map_err(io::Error::other)?;
                let all: Vec<u32> = (0..columns.len() as u32).collect();
                table::write_reduced(&dense, &all, format, out)
            }
            HeldTable::Nothing => Ok(()),
        }
    }
}
