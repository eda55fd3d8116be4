//! `tamis select` on a table that is read in pieces: several files, or one that does not fit.

use crate::args;
use crate::bar::Bar;
use crate::files::Files;
use crate::inputs;
use crate::select::finish;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis::result::SelectionResult;
use tamis::stream::Stream;
use tamis::table::{Input, ReadOptions};
use tamis::{Error, Method, Snbl};

/// Whether the table must be read in pieces: it is several files, or takes more than `--memory`.
pub fn needed(args: &args::Select, files: &[PathBuf], options: &ReadOptions, bar: &mut Bar) -> tamis::Result<bool> {
    let (file, memory) = match (files, args.memory) {
        ([file], Some(memory)) => (file, memory),
        ([_], None) => return Ok(false),
        _ => return Ok(true),
    };
    if file == Path::new("-") {
        return Ok(true);
    }
    let stream = Stream { options: options.clone(), method: Snbl::default(), seed: 0, memory: None };
    Ok(stream.whole_size(Input::open(file)?, bar)?.is_none_or(|bytes| bytes > memory))
}

pub fn run(
    args: &args::Select,
    files: &[PathBuf],
    options: ReadOptions,
    method: &Method,
    mut bar: Bar,
    started: Instant,
) -> anyhow::Result<()> {
    let why = if files.len() > 1 { "several files are read" } else { "a table beyond `--memory` is read" };
    if let Some(path) = &args.reduced {
        let expected = format!(
            "{why} in pieces and not kept; write the result with `--json result.json`, then pass `--result \
             result.json --reduced {0}` with each file",
            path.display()
        );
        return Err(Error::parameter("--reduced", path.display(), expected).into());
    }
    let snbl = match method {
        Method::Snbl(snbl) => snbl.clone(),
        _ => Snbl::default(),
    };
    let stream = Stream { options, method: snbl.clone(), seed: args.common.seed, memory: args.memory };
    let mut answer = match method {
        Method::Snbl(_) if snbl.score.by_moments() => {
            stream.read(files, &mut bar)?.answer(&snbl, &args.keep, &mut bar)?
        }
        Method::Snbl(_) if snbl.score.by_ranks() => stream.select_ranked(files, &args.keep, &mut bar)?,
        Method::Snbl(_) => {
            let expected = format!(
                "{why} in pieces, and it ranks rows by two columns at once; pass `score=auto`, `welch`, `pooled`, `f`, \
                 `pearson`, `mann-whitney` or `kruskal`, {}",
                otherwise(files)
            );
            return Err(Error::parameter("score", snbl.score.name(), expected).into());
        }
        method if method.coding().is_some() => stream.select_coded(files, method, &args.keep, &mut bar)?,
        Method::Npfs(_) => {
            let expected = format!(
                "{why} in pieces, which takes a base that counts information: jmi, mrmr, mim, cmim, disr or jmim; {}",
                otherwise(files)
            );
            return Err(Error::parameter("base", "set", expected).into());
        }
        other => {
            let expected = format!(
                "{why} in pieces, which `snbl`, the filters that count information and `npfs` can do; {}",
                otherwise(files)
            );
            return Err(Error::parameter("--method", other.name(), expected).into());
        }
    };
    drop(bar);
    answer.facts.file = inputs::name(files, &args.files);
    let result = SelectionResult::new(&answer.selection, answer.facts, started.elapsed().as_secs_f64());
    finish(&result, &args.json, &args.common, Files::default())
}

/// What else can be done.
fn otherwise(files: &[PathBuf]) -> &'static str {
    if files.len() > 1 { "or join the files into one" } else { "raise `--memory`, or leave columns out with `--drop`" }
}
