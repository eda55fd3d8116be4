//! `tamis profile`: the target of shards, which `tamis partial --profile` needs to draw null targets.

use crate::answer;
use crate::args;
use crate::input_paths;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use std::io::Write;
use tamis::base::{Auto, Error};
use tamis::front::{Profile, counted, merge_profile_files, visible};

pub fn run(args: &args::Profile) -> anyhow::Result<()> {
    args.shards.run.running.apply()?;
    let stream = args.shards.stream()?;
    if let Auto::Set(permutations) = stream.method.means.permutations {
        let expected = "a profile serves any number of null targets: give it to `tamis partial --profile`";
        return Err(Error::parameter("permutations", permutations, expected).into());
    }
    let inputs = input_paths::expand(&args.files)?;
    Files::check(&Sources::files(&inputs), [Destination::new("--out", Content::State, Some(&args.out))])?;
    let mut bar = Bar::new(&args.shards.run.running);
    let (profiles, shards): (Vec<_>, Vec<_>) = inputs.iter().cloned().partition(|path| is_profile(path));
    let mut all = vec![];
    if !profiles.is_empty() {
        all.push(merge_profile_files(&profiles, &mut bar)?);
    }
    if !shards.is_empty() {
        all.push(stream.profile(&shards, &mut bar)?);
    }
    let profile = Profile::merge_all(all)?;
    drop(bar);
    let mut files = Files::default();
    files.add(&args.out, |out| out.write_all(&profile.to_bytes()))?;
    let written = files.commit()?;
    let mut out = screen::stdout();
    let name = input_paths::name(&inputs, &args.files);
    let (rows, features) = (counted(profile.n_rows(), "row"), counted(profile.n_features(), "feature"));
    writeln!(out, "{}: {rows}, {features}; target `{}`", visible(&name), visible(profile.target()))?;
    answer::files(&written, &mut out)?;
    Ok(())
}

/// Whether a file is a profile that was written before.
fn is_profile(path: &std::path::Path) -> bool {
    use std::io::Read;
    let mut bytes = vec![];
    let read = std::fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut bytes));
    path.is_file() && read.is_ok() && Profile::is_one(&bytes)
}
