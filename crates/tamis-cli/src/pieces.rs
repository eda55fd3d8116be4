//! `tamis select` on a table that is read in pieces: several files, or one that does not fit.

use crate::args;
use crate::input_paths;
use crate::outputs::Files;
use crate::progress_bar::Bar;
use crate::select::{finish, no_look_anyway};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis::base::parameter::plain;
use tamis::result::SelectionResult;
use tamis::stream::Stream;
use tamis::table::counts::Normalize;
use tamis::table::{self, Input, ReadOptions};
use tamis::{Error, Method, Snbl};

/// Whether the table must be read in pieces: it is several files, or takes more than `--memory`.
pub fn needed(args: &args::Select, files: &[PathBuf], options: &ReadOptions, bar: &mut Bar) -> tamis::Result<bool> {
    let (file, memory) = match (files, args.rows.memory) {
        ([file], Some(_)) if table::is_sparse(file, options) => return Ok(false), // it is held sparse
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
    if let Some(event) = &args.event.event {
        let expected = format!("survival times need the whole table, and {}", reason(files));
        return Err(Error::parameter("--event", event, expected).into());
    }
    if let Some(path) = &args.reduced {
        let expected = format!(
            "{} and not kept; write the result with `--json result.json`, then pass `--result result.json --reduced {}` \
             with each file",
            reason(files),
            path.display()
        );
        return Err(Error::parameter("--reduced", path.display(), expected).into());
    }
    if args.no_second_look {
        return Err(no_look_anyway("tables read in pieces").into());
    }
    let normalize = args.counts.settings()?.normalize;
    if normalize != Normalize::None {
        let expected = format!("library sizes need the whole table, and {}; {}", reason(files), otherwise(files));
        return Err(Error::parameter("--normalize", normalize, expected).into());
    }
    let snbl = match method {
        Method::Snbl(snbl) => snbl.clone(),
        _ => Snbl::default(),
    };
    let stream = Stream { options, method: snbl.clone(), seed: args.run.seed(), memory: args.rows.memory };
    let mut answer = match method {
        Method::Snbl(_) if snbl.score.by_moments() => stream.select_summed(files, &args.keep.keep, &mut bar)?,
        Method::Snbl(_) if snbl.score.by_ranks() => stream.select_ranked(files, &args.keep.keep, &mut bar)?,
        Method::Snbl(_) => {
            let scores = "`--set score=auto`, `welch`, `pooled`, `f`, `pearson`, `mann-whitney` or `kruskal`";
            return Err(refused(method, "score", scores, files).into());
        }
        method if method.coding().is_some() => stream.select_coded(files, method, &args.keep.keep, &mut bar)?,
        Method::Npfs(_) => {
            let bases = "`--set base=jmi`, `mrmr`, `mim`, `cmim`, `disr` or `jmim`";
            return Err(refused(method, "base", bases, files).into());
        }
        other => {
            let methods = "`--method snbl`, a mutual-information filter, or `npfs`";
            return Err(refused(other, "", methods, files).into());
        }
    };
    drop(bar);
    answer.facts.file = input_paths::name(files, &args.files);
    let result = SelectionResult::new(&answer.selection, answer.facts, started.elapsed().as_secs_f64());
    finish(&result, None, &args.saving, &args.run.running, Files::default())
}

/// The error of a method that needs the whole table, because of the parameter `key` if there is one.
fn refused(method: &Method, key: &str, others: &str, files: &[PathBuf]) -> Error {
    let with = method.parameters().get(key).map_or_else(String::new, |value| format!("with {key}={} ", plain(value)));
    let problem = format!("{with}needs the whole table, and {}", reason(files));
    Error::method(method.name(), problem, format!("pass {others}; or {}", otherwise(files)))
}

/// How the table can be held in memory.
fn otherwise(files: &[PathBuf]) -> &'static str {
    if files.len() > 1 { "join the files into one" } else { "raise `--memory`, or leave columns out with `--drop`" }
}

/// Why the table is not held in memory.
fn reason(files: &[PathBuf]) -> &'static str {
    if files.len() > 1 { "several files are read in pieces" } else { "a table beyond `--memory` is read in pieces" }
}
