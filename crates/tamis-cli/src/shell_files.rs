//! `tamis completions` and `tamis man`: files for shells and for `man`.

use crate::args::{self, Cli};
use clap::CommandFactory;
use std::io::{self, Write};
use tamis::Error;

/// Prints the completions of a shell.
pub fn completions(args: &args::Completions) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tamis", &mut text);
    io::stdout().write_all(&text)?;
    Ok(())
}

/// Prints the page of the program or of one command, or writes all pages to a folder.
pub fn man(args: &args::Man) -> anyhow::Result<()> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &args.out {
        let failed = |source| Error::Write { path: folder.clone(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder).map_err(failed)?;
        return Ok(());
    }
    let page = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let known = program.get_subcommands().map(|command| command.get_name().to_string()).collect();
                return Err(Error::Unknown { kind: "command", name: name.clone(), known }.into());
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    io::stdout().write_all(&text)?;
    Ok(())
}
