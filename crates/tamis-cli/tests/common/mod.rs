//! Running the program in a folder of its own.
#![allow(dead_code, clippy::unwrap_used)]

pub mod spreadsheet;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Output and exit status of a run.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// A folder with the program at hand.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The files in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
        command.current_dir(self.folder.path()).args(arguments).stdin(Stdio::null());
        command.env("COLUMNS", "100000"); // sentences stay in one line
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let done = self.command(arguments).output().unwrap();
        Run {
            status: done.status.code().unwrap_or(-1),
            out: String::from_utf8(done.stdout).unwrap(),
            err: String::from_utf8(done.stderr).unwrap(),
        }
    }

    /// Runs the program with text on standard input.
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feed = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let done = child.wait_with_output().unwrap();
        feed.join().unwrap();
        Run {
            status: done.status.code().unwrap_or(-1),
            out: String::from_utf8(done.stdout).unwrap(),
            err: String::from_utf8(done.stderr).unwrap(),
        }
    }
}

/// Twelve rows in two classes: `a` and `b` differ, the other six features do not.
pub fn small_table(delimiter: &str, end: &str) -> String {
    let mut rows = vec![["a", "b", "c", "d", "e", "f", "g", "h", "label"].join(delimiter)];
    for i in 0..24_u32 {
        let noise = |k: u32| f64::from((i * 7919 + k * 104_729) % 1009) / 1009.0;
        let class = i % 2;
        let shift = f64::from(class);
        let mut cells: Vec<String> = (0..8)
            .map(|k| {
                let effect = match k {
                    0 => 3.0 * shift,
                    1 => -2.5 * shift,
                    _ => 0.0,
                };
                format!("{:.4}", noise(k) + effect)
            })
            .collect();
        cells.push(if class == 1 { "yes" } else { "no" }.into());
        rows.push(cells.join(delimiter));
    }
    rows.join(end) + end
}

/// Every labelled table of the data sets, sorted. They are not ours to pass on and lie beside the project: a test that
/// reads them is marked as ignored, and fails where they are not there.
pub fn data_tables() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".csv.gz"));
    files.sort();
    assert!(!files.is_empty(), "{}: no tables", folder.display());
    files
}
