//! The `tamis` program: arguments in, results out. No arithmetic lives here. The Python package brings it too.

mod answer;
mod args;
mod demo;
mod describe;
mod evaluate;
mod fit;
mod input_paths;
mod interrupts;
mod merge;
mod methods;
mod npfs_decide;
mod option_names;
mod outputs;
mod partial;
mod pieces;
mod predict;
mod progress_bar;
mod report;
mod screen;
mod select;
mod select_sparse;
mod shrink;
mod simulate;
mod standings;

use args::{Cli, Command};
use clap::Parser;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Mutex;
use tamis::base::visible_lines;

/// Runs a command line, the program's name first, and returns the exit status: 0 done, 2 the command line or the data
/// cannot be used, 1 anything else, 130 interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(told) => {
            tell_usage(&told);
            return told.exit_code() as u8;
        }
    };
    if let Some((reading, running)) = cli.command.reading()
        && reading.has_refusing_text()
        && !running.quiet
    {
        let _ =
            writeln!(screen::stderr(), "note: `--missing error` refuses missing values; use `--no-missing` for that");
    }
    interrupts::listen_for_interrupts();
    // A reader may catch a panic of its library over a damaged file: what it said is told only if nobody did.
    static LAST_PANIC: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    let done = std::panic::catch_unwind(|| match cli.command {
        Command::Demo(args) => demo::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Describe(args) => describe::run(&args),
        Command::Shrink(args) => shrink::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::NpfsDecide(args) => npfs_decide::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Partial(args) => partial::run(&args),
        Command::Merge(args) => merge::run(&args),
    });
    match done {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => tell(&error),
        Err(_) => {
            // a lock that a second panic left behind has nothing to tell
            let said = LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default();
            let _ = writeln!(
                screen::stderr(),
                "{said}\nerror: this is a bug in tamis, not in your data; please report the lines above"
            );
            1
        }
    }
}

/// Prints a wrong command line, in colours where nothing in it is hidden; help and version too.
fn tell_usage(told: &clap::Error) {
    let plain = told.render().to_string();
    // nothing can be done if it cannot be written
    let _ = match visible_lines(&plain) {
        Cow::Borrowed(_) => told.print(),
        Cow::Owned(escaped) => write!(screen::stderr(), "{escaped}"),
    };
}

fn tell(error: &anyhow::Error) -> u8 {
    // Whoever reads our output may stop reading: that is no failure.
    if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) {
        return 0;
    }
    let status = match error.downcast_ref::<tamis::Error>() {
        Some(tamis::Error::Cancelled) => 130,
        Some(e) if is_usage(e) => 2,
        _ => 1,
    };
    let label = if status == 130 { "tamis" } else { "error" };
    // Nothing can be done if the message cannot be written either.
    let _ = match error.downcast_ref::<tamis::Error>() {
        Some(error) => writeln!(screen::stderr(), "{label}: {}", error.say(&option_names::Program)), // it tells its own source
        None => writeln!(screen::stderr(), "{label}: {error:#}"),
    };
    status
}

/// Whether the user can mend this by changing the command line or the data.
fn is_usage(error: &tamis::Error) -> bool {
    match error {
        // a table that the chosen format cannot hold, as opposed to a disk that is full
        tamis::Error::Write { source, .. } => source.kind() == io::ErrorKind::InvalidInput,
        tamis::Error::Cancelled => false,
        _ => true,
    }
}
