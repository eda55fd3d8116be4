//! `tamis report`: a result that was saved, drawn.

use crate::answer;
use crate::args;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::screen;
use tamis::table::{ExpansionLimit, Input};

pub fn run(args: &args::Report) -> anyhow::Result<()> {
    Files::check(&Sources::files([&args.file]), [Destination::new("--out", Content::Page, Some(&args.out))])?;
    let input = Input::open(&args.file)?;
    let name = input.name().to_string();
    let text = input.bytes(ExpansionLimit::default())?;
    let page = tamis_report::page(&text, &name)?;
    let mut files = Files::default();
    files.add(&args.out, |out| out.write_all(page.as_bytes()))?;
    answer::files(&files.commit()?, &mut screen::stdout())?;
    Ok(())
}
