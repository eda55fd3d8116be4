//! `tamis describe`: how a file is understood, without computing anything.

use crate::args;
use crate::layout::printable;
use crate::option_names::Program;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use crate::{answer, input_paths};
use std::io::{self, Write};
use std::path::Path;
use tamis::front::{BlockDescription, CovariateDescription, TableDescription, counted, note};
use tamis::result::InputFacts;
use tamis::table::{self, Input, WeightKind};

/// Names that a line lists.
const LISTED: usize = 8;

pub fn run(args: &args::Describe) -> anyhow::Result<()> {
    args.run.apply()?;
    let json = Destination::new("--json", Content::Json, args.json.as_deref()).or_standard_output();
    let file = &input_paths::expand_to_one(&args.file, "it is several files; describe one of them")?;
    let sources = Sources::files([file]).and("--samples", args.table.layout.samples.as_deref());
    Files::check(&sources, [json])?;
    let mut options = args.options();
    options.no_target = args.table.target().is_empty();
    let mut bar = Bar::new(&args.run);
    let table = table::read(Input::open(file)?, &options, &mut bar)?;
    drop(bar);
    let name = input_paths::name(std::slice::from_ref(file), std::slice::from_ref(&args.file));
    let described = TableDescription::of(&name, &table)?.said(&Program);
    if args.json.as_deref() == Some(Path::new("-")) {
        let mut out = screen::data();
        described.write(&mut out)?;
        return Ok(out.flush()?);
    }
    let mut out = screen::stdout();
    let mut files = Files::default();
    if let Some(path) = &args.json {
        files.add(path, |out| described.write(out))?;
    }
    let written = files.commit()?;
    print(&described, &mut out)?;
    answer::files(&written, &mut out)?;
    Ok(())
}

fn print(described: &TableDescription, out: &mut dyn Write) -> io::Result<()> {
    let input = &described.input;
    let rows = InputFacts { rows: described.rows_read, ..input.clone() }.rows_in_words();
    writeln!(out, "{}: {rows}, {}\n", printable(&input.file), counted(input.features, "feature"))?;
    let mut line = |head: &str, text: String| writeln!(out, "  {head:<10}  {text}");
    line("target", target(described))?;
    if let Some(rule) = note::target_rule(&described.notes) {
        line("", rule.to_string())?;
    }
    if described.rows_read > input.rows {
        line("rows", format!("{} used, {} set aside", input.rows, described.rows_read - input.rows))?;
    }
    let categories = match described.categories.is_empty() {
        true => String::new(),
        false => format!(", {} of categories ({})", described.categories.len(), listed(&described.categories)),
    };
    line("features", format!("{} numeric{categories}", described.numeric))?;
    if !described.constant.is_empty() {
        let names = listed(&described.constant);
        line("constant", format!("{} set aside ({names})", described.constant.len()))?;
    }
    if !described.missing.is_empty() {
        let cells: usize = described.missing.iter().map(|(_, count)| count).sum();
        let names: Vec<String> = described.missing.iter().map(|(name, _)| name.clone()).collect();
        let of = counted(names.len(), "feature");
        line("missing", format!("{} of {of} ({})", counted(cells, "value"), listed(&names)))?;
    }
    for covariate in &described.covariates {
        line("covariate", about_covariate(covariate))?;
    }
    if let Some(blocks) = &described.blocks {
        line("blocks", about_blocks(blocks))?;
    }
    if !described.ids.is_empty() {
        line("names", listed(&described.ids))?;
    }
    if let Some(kind) = described.weight_kind {
        let meaning = match kind {
            WeightKind::Importance => "how much a row counts beside others",
            WeightKind::Frequency => "how many rows a row stands for",
        };
        line("weights", format!("{meaning} (`--weight-kind {kind}`)"))?;
    }
    if let Some(score) = described.score {
        line("score", format!("{score} (`score=auto`)"))?;
    }
    if described.counts {
        line("counts", "the features look like counts: consider `--normalize tmm`".into())?;
    }
    for note in note::remarks(&described.notes) {
        line("note", note.to_string())?;
    }
    Ok(())
}

/// The target in words.
fn target(described: &TableDescription) -> String {
    let input = &described.input;
    if input.target.is_empty() {
        return "none; name its column with `--target`".into();
    }
    let name = printable(&input.target);
    let range = described.target_range.map_or_else(String::new, |[low, high]| format!(" from {low} to {high}"));
    if let Some(events) = input.events {
        return format!("`{name}`: survival times{range}, {}", counted(events, "event"));
    }
    let Some(classes) = &input.classes else { return format!("`{name}`: numeric{range}") };
    let one = |(label, count): (&String, &u64)| {
        let role = match (&input.positive, &described.reference) {
            (Some(positive), _) if positive == label => ", positive",
            (_, Some(reference)) if reference == label => ", reference",
            _ => "",
        };
        format!("{} ({count}{role})", printable(label))
    };
    let counts: Vec<String> = classes.iter().take(LISTED).map(one).collect();
    let more = if classes.len() > LISTED { format!(" and {} more", classes.len() - LISTED) } else { String::new() };
    format!("`{name}`: {} classes: {}{more}", classes.len(), counts.join(", "))
}

fn about_covariate(covariate: &CovariateDescription) -> String {
    let name = printable(&covariate.name);
    match (&covariate.levels, covariate.range) {
        (Some(levels), _) => {
            let reference =
                levels.first().map_or_else(String::new, |level| format!("; reference {}", printable(level)));
            format!("`{name}`: a factor of {} ({}){reference}", counted(levels.len(), "level"), listed(levels))
        }
        (None, Some([low, high])) => format!("`{name}`: numeric from {low} to {high}"),
        (None, None) => format!("`{name}`: numeric"),
    }
}

fn about_blocks(blocks: &BlockDescription) -> String {
    let use_of_them = match blocks.layout {
        "nested" => "the target is constant inside every block: their rows are averaged",
        "crossed" => "the target varies inside every block: features are adjusted for blocks",
        _ => "the target varies inside some blocks: features are adjusted for blocks",
    };
    format!("`{}`: {}; {use_of_them}", printable(&blocks.name), blocks.count)
}

/// The first names, and how many more there are.
fn listed(names: &[String]) -> String {
    let mut first: Vec<String> = names.iter().take(LISTED).map(|name| printable(name)).collect();
    if names.len() > LISTED {
        first.push(format!("and {} more", names.len() - LISTED));
    }
    first.join(", ")
}
