//! Groups of features from a file: two columns, feature and group, or gene sets in GMT.

use super::record::Record;
use super::records::Records;
use crate::base::counted;
use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Progress, Result};
use crate::table::{ExpansionLimit, Input};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Names that an error lists.
const LISTED: usize = 5;

/// Features that count together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureGroup {
    /// Its name.
    pub name: String,
    /// The positions of its features, ascending.
    pub members: Vec<u32>,
}

/// Groups of the features of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureGroups {
    /// The groups, in the order of the file.
    pub groups: Vec<FeatureGroup>,
    /// Notes on how the file was read.
    pub notes: Vec<Note>,
}

/// The lines of a file: (group, features, the number of its line).
type Lines = Vec<(String, Vec<String>, u64)>;

/// Reads groups of the features with these names. A file whose name ends in `.gmt` (or `.gmt.gz`) has a gene set per
/// line: its name, a description, its genes, between tabs. Any other has two columns, feature and group in either order,
/// with or without a header.
///
/// # Errors
///
/// A file without groups, a line of another form, a feature that the table does not have (genes of a GMT file that were
/// not measured are left out with a note), a gene set none of whose genes was measured.
pub fn read_feature_groups(
    input: Input,
    names: &[String],
    limit: ExpansionLimit,
    progress: &mut dyn Progress,
) -> Result<FeatureGroups> {
    let file = input.name().to_string();
    let place = Place::file(&file);
    let gene_sets = file.ends_with(".gmt") || file.contains(".gmt.");
    let known: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let mut records = Records::open(input, limit, gene_sets.then_some(b'\t'))?;
    let lines = if gene_sets {
        of_gene_sets(&mut records, &place, progress)?
    } else {
        of_two_columns(&mut records, &place, &known, progress)?
    };
    let mut unknown: Vec<String> = vec![];
    let (mut groups, mut unmeasured) = (vec![], vec![]);
    for (name, features, line) in lines {
        let (found, missing): (Vec<&String>, Vec<&String>) =
            features.iter().partition(|feature| known.contains_key(feature.as_str()));
        unknown.extend(missing.into_iter().cloned());
        let mut members: Vec<u32> =
            found.into_iter().filter_map(|feature| known.get(feature.as_str()).copied()).collect();
        members.sort_unstable();
        members.dedup();
        match members.is_empty() {
            true => unmeasured.push((name, line)),
            false => groups.push(FeatureGroup { name, members }),
        }
    }
    unknown.sort_unstable();
    unknown.dedup();
    if groups.is_empty() || !(gene_sets || unknown.is_empty()) {
        return Err(unknown_features(&unknown, names, place));
    }
    if let Some((_, line)) = unmeasured.first() {
        let sets: Vec<String> = unmeasured.iter().map(|(name, _)| name.clone()).collect();
        let problem = format!("no gene of {} is in the table: {}", counted(sets.len(), "gene set"), listed(&sets));
        return Err(Error::data(place.at_row(*line), problem, spelling(names, "remove the lines of these sets")));
    }
    let note = format!("{} of the gene sets not in the table, and left out", counted(unknown.len(), "gene"));
    let notes = (!unknown.is_empty()).then(|| Note::new(NoteKind::FeatureGroups, note)).into_iter().collect();
    Ok(FeatureGroups { groups, notes })
}

fn unknown_features(unknown: &[String], names: &[String], place: Place) -> Error {
    if unknown.is_empty() {
        return Error::data(place, "it has no groups", "give a line for every feature: its name and its group");
    }
    let problem = format!("the table has no feature {}", listed(unknown));
    Error::data(place, problem, spelling(names, "remove these lines"))
}

/// The first of these names.
fn listed(names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    first.join(", ") + &more
}

/// How features are spelled, or what else to do.
fn spelling(names: &[String], otherwise: &str) -> String {
    let example = names.first().map_or_else(String::new, |name| format!(" (its features are called like `{name}`)"));
    format!("write features as in the table's header{example}, or {otherwise}")
}

fn texts(record: Record<'_>) -> Vec<String> {
    record.fields().map(|field| String::from_utf8_lossy(&field).trim().to_string()).collect()
}

fn of_gene_sets(records: &mut Records, place: &Place, progress: &mut dyn Progress) -> Result<Lines> {
    let mut lines = vec![];
    let mut number = 0;
    while let Some(record) = records.next(progress)? {
        number += 1;
        if record.is_blank() {
            continue;
        }
        let fields = texts(record);
        if fields.len() < 3 {
            let problem = "a gene set has a name, a description and genes, between tabs";
            return Err(Error::data(place.clone().at_row(number), problem, "check that this is a GMT file"));
        }
        records.keep(fields.len(), fields.iter().map(String::len).sum())?;
        let genes = fields[2..].iter().filter(|gene| !gene.is_empty()).cloned().collect();
        lines.push((fields[0].clone(), genes, number));
    }
    Ok(lines)
}

fn of_two_columns(
    records: &mut Records,
    place: &Place,
    known: &HashMap<&str, u32>,
    progress: &mut dyn Progress,
) -> Result<Lines> {
    let mut pairs: Vec<[String; 2]> = vec![];
    let mut number = 0;
    while let Some(record) = records.next(progress)? {
        number += 1;
        if record.is_blank() {
            continue;
        }
        let fields = texts(record);
        let fields: [String; 2] = fields.try_into().map_err(|fields: Vec<String>| {
            let problem = format!("the line has {} instead of 2", counted(fields.len(), "field"));
            Error::data(place.clone().at_row(number), problem, "give a line for every feature: its name and its group")
        })?;
        records.keep(fields.len(), fields.iter().map(String::len).sum())?;
        pairs.push(fields);
    }
    let in_table = |column: usize| pairs.iter().filter(|pair| known.contains_key(pair[column].as_str())).count();
    let feature = usize::from(in_table(1) > in_table(0));
    // a first line that names no feature is a header where the others do
    if pairs.len() > 1 && pairs.first().is_some_and(|pair| !known.contains_key(pair[feature].as_str())) {
        pairs.remove(0);
    }
    let mut lines: Lines = vec![];
    let mut places: HashMap<String, usize> = HashMap::new();
    for pair in pairs {
        let (name, group) = (&pair[feature], &pair[1 - feature]);
        let at = *places.entry(group.clone()).or_insert_with(|| {
            lines.push((group.clone(), vec![], 0));
            lines.len() - 1
        });
        lines[at].1.push(name.clone());
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Silent;

    fn read(text: &str, file: &str) -> Result<FeatureGroups> {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let input = Input::from_reader(std::io::Cursor::new(text.to_string().into_bytes()), file);
        read_feature_groups(input, &names, ExpansionLimit::default(), &mut Silent)
    }

    fn groups(text: &str, file: &str) -> Vec<(String, Vec<u32>)> {
        let found = read(text, file).expect("groups");
        found.groups.into_iter().map(|group| (group.name, group.members)).collect()
    }

    #[test]
    fn two_columns_in_either_order_with_or_without_a_header() {
        let wanted = vec![("one".to_string(), vec![0, 2]), ("two".to_string(), vec![1])];
        for text in ["feature,group\na,one\nb,two\nc,one\n", "a\tone\nb\ttwo\nc\tone\n", "one;c\ntwo;b\none;a\n"] {
            assert_eq!(groups(text, "groups.csv"), wanted, "{text}");
        }
    }

    #[test]
    fn gene_sets_leave_out_genes_that_were_not_measured() {
        let text = "HALLMARK\turl\tb\tx\td\nOTHER\tna\ty\ta\n";
        assert_eq!(groups(text, "sets.gmt"), [("HALLMARK".to_string(), vec![1, 3]), ("OTHER".to_string(), vec![0])]);
        assert!(read(text, "sets.gmt").expect("groups").notes[0].to_string().contains("2 genes"));
    }

    #[test]
    fn unknown_features_and_other_files_are_refused() {
        for (text, file, said) in [
            ("a,one\nz,two\n", "g.csv", "no feature `z`"),
            ("a,one,1\n", "g.csv", "3 fields"),
            ("", "g.csv", "no groups"),
            ("S\turl\tx\n", "g.gmt", "no feature `x`"),
            ("S\turl\ta\nT\turl\tx\nU\turl\tz\n", "g.gmt", "row 2: no gene of 2 gene sets is in the table: `T`, `U`"),
            ("S\turl\n", "g.gmt", "GMT"),
        ] {
            let message = read(text, file).expect_err("refused").to_string();
            assert!(message.contains(said), "{message}");
        }
    }
}
