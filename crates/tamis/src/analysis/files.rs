//! Tables in files: the one door through which they are opened, and how they are passed over.

use super::{Analysis, Caller, Data, Found, Trained};
use crate::base::{Command, Error, Note, NoteKind, OptionName, Place, Progress, Result, Text, text};
use crate::catalogue::no_groups;
use crate::sparse_means::Snbl;
use crate::stream::Stream;
use crate::table::{self, Format, Input, ReadOptions, SparseTable, Table, Task};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The files of one table, and how they are read.
#[derive(Debug, Clone)]
pub struct TableFiles {
    /// What the user calls them.
    pub name: String,
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

/// A table from a file, in memory.
#[derive(Debug)]
pub enum HeldTable {
    /// Every value.
    Whole(Table),
    /// All but the zeros.
    Sparse(SparseTable),
}

impl TableFiles {
    /// The table in these files, with no limit on memory.
    pub fn new(paths: Vec<PathBuf>, options: ReadOptions) -> TableFiles {
        let last = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let name = match &paths[..] {
            [] => String::new(),
            [one] if one == Path::new("-") => "standard input".into(),
            [one] => last(one),
            [first, others @ ..] => format!("{} and {} more", last(first), others.len()),
        };
        TableFiles { name, paths, options, memory: None, feature_groups: None }
    }

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

    /// Opens one file.
    fn open(&self, file: &Path, sparse: bool, progress: &mut dyn Progress) -> Result<HeldTable> {
        Ok(match sparse {
            true => HeldTable::Sparse(table::read_sparse(file, &self.options, progress)?),
            false => HeldTable::Whole(table::read(Input::open(file)?, &self.options, progress)?),
        })
    }

    /// Opens a table with classes to train on: all of it, and every value, for classifiers read columns many times.
    fn open_classes(&self, progress: &mut dyn Progress) -> Result<HeldTable> {
        let classes =
            TableFiles { options: ReadOptions { task: Some(Task::Classes), ..self.options.clone() }, ..self.clone() };
        match self.one() {
            Some(file) if !classes.exceed_memory(progress)? => classes.open(file, false, progress),
            _ => {
                let problem = text!["training needs the whole table, and ", self.reason()];
                Err(Error::data(Place::file(&self.name), problem, self.otherwise()))
            }
        }
    }

    /// Why the table is not held in memory.
    pub(super) fn reason(&self) -> Text {
        match self.paths.len() > 1 {
            true => "several files are read in pieces".into(),
            false => text!["a table beyond ", OptionName::Memory, " is read in pieces"],
        }
    }

    /// How the table can be held in memory.
    pub(super) fn otherwise(&self) -> Text {
        match self.paths.len() > 1 {
            true => "join the files into one".into(),
            false => text!["raise ", OptionName::Memory, ", or leave columns out with ", OptionName::Drop],
        }
    }
}

impl HeldTable {
    /// Its rows, under the name that the user has for the files.
    pub fn data(&self, name: &str) -> Data<'_> {
        match self {
            HeldTable::Whole(table) => Data::of_table(name, table),
            HeldTable::Sparse(table) => Data::of_sparse(name, table),
        }
    }

    /// Writes only these columns, by position in ascending order, and the target.
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
        }
    }
}

impl Analysis {
    /// How the files of a table are passed over by a selection.
    ///
    /// # Errors
    ///
    /// What [`Analysis::check_selection`] refuses, and what a table in pieces does not allow.
    pub fn passage(&self, files: &TableFiles, progress: &mut dyn Progress) -> Result<Passage> {
        self.check_selection()?;
        self.check_groups_of(files)?;
        if files.exceed_memory(progress)? {
            self.check_pieces(files)?;
            return Ok(Passage::Pieces);
        }
        let as_it_is = self.method.takes_designs() && !self.preparation.normalize().gives_log_counts();
        let sparse = as_it_is && files.one().is_some_and(|file| table::is_sparse(file, &files.options));
        Ok(if sparse { Passage::Sparse } else { Passage::Whole })
    }

    /// Opens a table and selects from it; also what is held of it, which is nothing of a table in pieces.
    ///
    /// # Errors
    ///
    /// Those of [`Analysis::passage`], of reading, and of [`Analysis::select`].
    pub fn select_files(
        &self,
        files: &TableFiles,
        passage: Passage,
        progress: &mut dyn Progress,
    ) -> Result<(Found, Option<HeldTable>)> {
        let caller = Caller::of(progress);
        let (Passage::Whole | Passage::Sparse, Some(file)) = (passage, files.one()) else {
            return Ok((self.select_pieces(files, caller, progress)?, None));
        };
        let table = files.open(file, passage == Passage::Sparse, progress)?;
        let data = table.data(&files.name);
        let found = self.with_groups_of(files, &data, progress)?.select_for(caller, &data, progress)?;
        Ok((found, Some(table)))
    }

    /// Opens a table and trains on it.
    ///
    /// # Errors
    ///
    /// A table that is not held in memory, those of reading, and those of [`Analysis::fit`].
    pub fn fit_files(&self, files: &TableFiles, progress: &mut dyn Progress) -> Result<Trained> {
        let caller = Caller::of(progress);
        self.check_training()?;
        self.check_groups_of(files)?;
        let table = files.open_classes(progress)?;
        let data = table.data(&files.name);
        self.with_groups_to_join(files, &data, progress)?.fit_for(caller, &data, progress)
    }

    /// Opens a table to compare methods on; also the analysis with the groups of its features.
    pub(super) fn open_to_compare(
        &self,
        files: &TableFiles,
        progress: &mut dyn Progress,
    ) -> Result<(Analysis, HeldTable)> {
        let table = files.open_classes(progress)?;
        let analysis = self.with_groups_to_join(files, &table.data(&files.name), progress)?;
        Ok((analysis, table))
    }

    /// Refuses groups of features beside a method that does not name features together.
    fn check_groups_of(&self, files: &TableFiles) -> Result<()> {
        match &files.feature_groups {
            Some(path) if !self.method.takes_designs() => Err(no_groups(&path.display().to_string())),
            _ => Ok(()),
        }
    }

    /// [`Analysis::with_groups_of`] where no answer counts what is named of each group.
    fn with_groups_to_join(&self, files: &TableFiles, data: &Data, progress: &mut dyn Progress) -> Result<Analysis> {
        let mut analysis = self.with_groups_of(files, data, progress)?;
        let groups = &mut analysis.preparation.feature_groups;
        if !groups.groups.is_empty() {
            let text = text![
                "of a group of features, 0/1 columns that are never 1 together count as one; ",
                Command::Select,
                " tells how many features of each group are named"
            ];
            groups.notes.push(Note::new(NoteKind::FeatureGroups, text));
        }
        Ok(analysis)
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
