//! `tamis evaluate`: methods and classifiers on the same folds, compared, and one recommended.

use crate::answer;
use crate::args::{self, Folds};
use crate::input_paths;
use crate::outputs::{Content, Destination, Files, Sources, separator};
use crate::progress_bar::Bar;
use crate::screen::{self, unless_closed};
use crate::standings;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tamis::catalogue::Tune;
use tamis::front::{Cells, Compared, RequestedSplits, TableFiles, Text};
use tamis::resample::RequestedFolds;
use tamis::result::Evaluation;
use tamis::table::{ExpansionLimit, Input};
use tamis::{Analysis, Error};

pub fn run(args: &args::Evaluate) -> anyhow::Result<()> {
    args.run.running.apply()?;
    let csv = Destination::new("--csv", Content::Rows, args.csv.as_deref());
    let outputs = || args.saving.outputs().into_iter().chain([csv]);
    let samples = args.table.layout.samples.as_deref();
    let one = |given: &PathBuf| input_paths::expand_to_one(given, "it is a folder of several files; name them");
    let files: Vec<PathBuf> = args.files.iter().map(one).collect::<tamis::Result<_>>()?;
    let groups = &args.groups_of_features.file;
    let sources = Sources::files(&files)
        .and("--samples", samples)
        .and("--splits", args.splits.as_deref())
        .and("--feature-groups", groups.as_deref());
    Files::check(&sources, outputs())?;
    let analysis = Analysis {
        preparation: args.counts.preparation()?,
        calibrate: args.calibrate.map(Into::into),
        seed: args.run.seed(),
        ..Analysis::default()
    };
    let (compared, splits) = (compared(args)?, splits(args)?);
    let mut evaluator = analysis.evaluator(&compared, &splits);
    let mut options = args.table.options();
    options.group.clone_from(&args.group.group);
    args.design.fill(&mut options);
    let mut bar = Bar::new(&args.run.running);
    for (file, given) in files.iter().zip(&args.files) {
        let name = input_paths::name(std::slice::from_ref(file), std::slice::from_ref(given));
        let table = TableFiles::new(vec![file.clone()], options.clone());
        evaluator.add_files(&TableFiles { name, feature_groups: groups.clone(), ..table }, &mut bar)?;
    }
    drop(bar);
    let mut evaluation = evaluator.finish()?;
    for (facts, (file, given)) in evaluation.inputs.iter_mut().zip(files.iter().zip(&args.files)) {
        args.saving.provenance.fill(facts, std::slice::from_ref(file), std::slice::from_ref(given));
    }
    write(args, &evaluation)
}

/// What is compared.
fn compared(args: &args::Evaluate) -> tamis::Result<Compared> {
    let tune = |text: &String| {
        let wrong = || Error::parameter("--tune", text, "it takes METHOD.KEY=VALUE,VALUE,…, e.g. jmi.k=5,10,20");
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let (method, key) = name.split_once('.').ok_or_else(wrong)?;
        let values = values.split(',').map(|v| v.trim().to_string()).filter(|v| !v.is_empty()).collect();
        Ok((method.to_string(), Tune { key: key.into(), values }))
    };
    let settings = args.settings.pairs()?.into_iter().map(|(key, value)| (key.to_string(), value.to_string()));
    Ok(Compared {
        methods: args.methods.clone(),
        classifiers: args.classifiers.clone(),
        settings: settings.collect(),
        tune: args.tune.iter().map(tune).collect::<tamis::Result<_>>()?,
    })
}

/// The splits that are asked for.
fn splits(args: &args::Evaluate) -> tamis::Result<RequestedSplits> {
    let repeats = args.repeats as usize;
    Ok(match (&args.splits, args.folds) {
        (Some(path), _) => {
            let input = Input::open(path)?;
            RequestedSplits::Given { file: input.name().into(), text: input.text(ExpansionLimit::default())? }
        }
        (None, Folds::LeaveOneOut) if repeats > 1 => {
            let expected = "leave-one-out folds are not random; remove it";
            return Err(Error::parameter("--repeats", repeats, expected));
        }
        (None, Folds::LeaveOneOut) => RequestedSplits::Folds(RequestedFolds::LeaveOneOut),
        (None, Folds::Count(folds)) => RequestedSplits::Folds(RequestedFolds::Count { folds, repeats }),
    })
}

fn write(args: &args::Evaluate, evaluation: &Evaluation) -> anyhow::Result<()> {
    let to_stdout = args.saving.json.as_deref() == Some(Path::new("-"));
    let mut files = Files::default();
    let bytes = args.saving.json.as_ref().map(|_| evaluation.to_bytes()).transpose()?.unwrap_or_default();
    if let Some(path) = args.saving.json.as_ref().filter(|_| !to_stdout) {
        files.add(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &args.saving.report {
        let page = tamis_report::evaluation_page(evaluation)?;
        files.add(path, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(path) = &args.csv {
        files.add(path, |out| csv(evaluation, separator(path), out))?;
    }
    if to_stdout {
        let mut out = screen::data();
        unless_closed(out.write_all(&bytes).and_then(|()| out.flush()))?;
    }
    let written = files.commit()?;
    let mut out = screen::stdout();
    if !to_stdout {
        standings::print(evaluation, &mut out)?;
        out.flush()?;
    }
    if !args.run.running.quiet {
        standings::notes(&evaluation.notes, &mut screen::stderr())?;
    }
    if !to_stdout {
        answer::files(&written, &mut out)?;
    }
    Ok(())
}

/// A row per table and pipeline.
fn csv(evaluation: &Evaluation, separator: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut cells = Cells::new(out, separator);
    let names = [
        "file",
        "method",
        "error",
        "error_se",
        "auc",
        "auc_low",
        "auc_high",
        "kappa",
        "brier",
        "log_loss",
        "calibration_slope",
        "n_selected",
        "n_selected_sd",
        "stability",
        "seconds",
        "failed",
    ];
    names.iter().try_for_each(|name| cells.text(name))?;
    cells.end()?;
    for run in &evaluation.runs {
        cells.text(&evaluation.inputs[run.input].file)?;
        cells.text(&run.label)?;
        let s = run.summary.as_ref();
        let numbers = [
            s.map(|s| s.error),
            s.map(|s| s.error_se),
            s.and_then(|s| s.auc),
            s.and_then(|s| s.auc_95).map(|i| i[0]),
            s.and_then(|s| s.auc_95).map(|i| i[1]),
            s.and_then(|s| s.kappa),
            s.map(|s| s.brier),
            s.map(|s| s.log_loss),
            s.and_then(|s| s.calibration_slope),
            s.map(|s| s.n_selected),
            s.map(|s| s.n_selected_sd),
            s.and_then(|s| s.stability.as_ref()).map(|s| s.nogueira.stability),
            s.map(|s| s.seconds),
        ];
        for number in numbers {
            match number {
                Some(number) => cells.number(number)?,
                None => cells.text("")?,
            }
        }
        cells.text(&run.failed.as_ref().map_or_else(String::new, Text::to_string))?;
        cells.end()?;
    }
    Ok(())
}
