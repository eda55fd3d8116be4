//! The `tamis` program: arguments in, results out. No arithmetic lives here. The Python package brings it too.

mod answer;
mod args;
mod demo;
mod describe;
mod evaluate;
mod failure;
mod first_contact;
mod fit;
mod input_paths;
mod interrupts;
mod layout;
mod merge;
mod methods;
mod npfs_decide;
mod option_names;
mod outputs;
mod partial;
mod predict;
mod profile;
#[cfg_attr(target_os = "wasi", path = "progress_lines.rs")]
mod progress_bar;
mod provenance;
mod report;
mod schema;
mod screen;
mod select;
#[cfg(not(target_os = "wasi"))]
mod shell_files;
mod shrink;
mod simulate;
mod stage_times;
mod standings;
mod version;

use args::{Cli, Command};
use clap::Parser;
use failure::Form;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use tamis::table::ReadOptions;

/// Runs a command line, the program's name first, and returns the exit status: 0 done, 2 the command line or the data
/// cannot be used, 1 anything else, 130 interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.len() < 2 {
        return first_contact::show_examples().map_or(1, |()| 0);
    }
    let form = Form::of(&arguments);
    let guessed = first_contact::guess_select(&mut arguments);
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(told) => return failure::tell_usage(&told, &arguments, form), // help and version too
    };
    let quiet = cli.command.reading().is_some_and(|(_, running)| running.quiet);
    if let (Some(file), false) = (&guessed, quiet) {
        first_contact::tell_guess(file);
    }
    if !quiet && cli.command.reading().is_some_and(|(reading, _)| reading.has_refusing_text()) {
        let _ =
            writeln!(screen::stderr(), "note: `--missing error` refuses missing values; use `--no-missing` for that");
    }
    interrupts::bear_file_size_limits();
    interrupts::listen_for_interrupts();
    // A reader may catch a panic of its library over a damaged file: what it said is told only if nobody did.
    static LAST_PANIC: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(move |panic| {
        if cfg!(panic = "abort") {
            failure::tell_bug(&panic.to_string(), form); // nothing comes after it
        }
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    match std::panic::catch_unwind(|| execute(&cli.command)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => failure::tell(&error, form),
        // a lock that a second panic left behind has nothing to tell
        Err(_) => failure::tell_bug(&LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default(), form),
    }
}

fn execute(command: &Command) -> anyhow::Result<()> {
    let hint = |file: &PathBuf, options: ReadOptions| {
        let file = file.clone();
        move |error| first_contact::with_likely_targets(error, &file, &options)
    };
    match command {
        Command::Demo(args) => demo::run(args),
        Command::Select(args) => select::run(args).map_err(hint(&args.files[0], args.options_without_model(""))),
        Command::Describe(args) => describe::run(args),
        Command::Shrink(args) => shrink::run(args),
        Command::Fit(args) => fit::run(args).map_err(hint(&args.file, args.table.options())),
        Command::Predict(args) => predict::run(args),
        Command::Evaluate(args) => evaluate::run(args).map_err(hint(&args.files[0], args.table.options())),
        Command::NpfsDecide(args) => npfs_decide::run(args),
        Command::Report(args) => report::run(args),
        Command::Methods(args) => methods::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Partial(args) => partial::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Merge(args) => merge::run(args),
        #[cfg(not(target_os = "wasi"))]
        Command::Completions(args) => shell_files::completions(args),
        #[cfg(not(target_os = "wasi"))]
        Command::Man(args) => shell_files::man(args),
    }
}
