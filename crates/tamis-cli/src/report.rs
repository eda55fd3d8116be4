//! `tamis report`: a result that was saved, drawn.

use crate::answer;
use crate::args;
use crate::outputs::{Content, Destination, Files};
use std::io::{self, Read};
use std::path::Path;
use tamis::Error;

pub fn run(args: &args::Report) -> anyhow::Result<()> {
    Files::check(&args.file, [Destination::new("--out", Content::Page, Some(&args.out))])?;
    let (name, text) = if args.file == Path::new("-") {
        let mut text = vec![];
        ("standard input".to_string(), io::stdin().lock().read_to_end(&mut text).map(|_| text))
    } else {
        (args.file.display().to_string(), std::fs::read(&args.file))
    };
    let text = text.map_err(|e| Error::read_io(&name, e))?;
    let page = tamis_report::page(&text, &name)?;
    let mut files = Files::default();
    files.add(&args.out, |out| out.write_all(page.as_bytes()))?;
    answer::files(&files.commit()?, &mut io::stdout().lock())?;
    Ok(())
}
