//! Columns that are read as features though their names say that they describe samples.

use crate::base::remedies::{TO_ADJUST, TO_LEAVE_OUT};
use crate::base::{Note, NoteKind, OptionName, Text, text};

/// With fewer features such a column is as likely one of them.
const FEWEST_FEATURES: usize = 50;

/// Names of columns that say whose rows they are.
const IDENTIFIERS: [&str; 16] = [
    "id",
    "sample",
    "sample_id",
    "sampleid",
    "sample id",
    "donor",
    "patient",
    "subject",
    "individual",
    "animal",
    "mouse",
    "litter",
    "pair",
    "replicate",
    "visit",
    "run",
];
/// Other names of columns that describe samples.
const OTHERS: [&str; 19] = [
    "batch",
    "plate",
    "lane",
    "site",
    "center",
    "centre",
    "hospital",
    "age",
    "sex",
    "gender",
    "event",
    "status",
    "dead",
    "died",
    "death",
    "time",
    "survival",
    "treatment",
    "condition",
];

/// A note on features of a wide table (50 or more) that are called like columns about samples: `batch`, `age`, `donor`, ….
pub fn sample_like_columns<'a>(features: impl ExactSizeIterator<Item = &'a str>) -> Option<Note> {
    if features.len() < FEWEST_FEATURES {
        return None;
    }
    let is_among = |names: &[&str], name: &str| names.contains(&name.to_lowercase().as_str());
    let identifies = |name: &&str| is_among(&IDENTIFIERS, name);
    let found: Vec<&str> = features.filter(|name| identifies(name) || is_among(&OTHERS, name)).collect();
    let quoted: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
    let names = match quoted.as_slice() {
        [] => return None,
        [one] => format!("{one} is read as a feature; if it describes the samples, pass "),
        [first @ .., last] => {
            format!("{} and {last} are read as features; if they describe the samples, pass ", first.join(", "))
        }
    };
    let mut ways: Vec<Text> = vec![];
    if let Some(name) = found.iter().find(|name| !identifies(name)) {
        ways.push(text![OptionName::Covariate.set(name), TO_ADJUST]);
        ways.push(text![OptionName::Drop.set(name), TO_LEAVE_OUT]);
    }
    if let Some(name) = found.iter().find(|name| identifies(name)) {
        ways.push(text![OptionName::Block.set(name), " to pair or average rows"]);
        ways.push(text![OptionName::Id.set(name), " if it names them"]);
    }
    let ways = ways.into_iter().enumerate().map(|(at, way)| if at == 0 { way } else { text![", ", way] });
    let text = Text::joined(std::iter::once(names.into()).chain(ways));
    Some(Note::new(NoteKind::SampleColumns, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sample_columns_are_noticed_in_wide_tables() {
        let mut names: Vec<String> = (0..60).map(|i| format!("g{i}")).collect();
        let note = |names: &[String]| sample_like_columns(names.iter().map(String::as_str));
        assert!(note(&names).is_none());
        names[3] = "Batch".into();
        let one = note(&names).map(|note| note.to_string()).unwrap_or_default();
        assert!(one.starts_with("`Batch` is read as a feature"), "{one}");
        names[4] = "age".into();
        let two = note(&names).map(|note| note.to_string()).unwrap_or_default();
        assert!(two.starts_with("`Batch` and `age` are read as features"), "{two}");
        names[5] = "mouse".into();
        let three = note(&names).map(|note| note.to_string()).unwrap_or_default();
        let options = ["covariate", "drop", "block", "ids"].map(|option| three.find(option));
        assert!(options.is_sorted() && options[0].is_some(), "{three}");
        assert!(note(&names[..20]).is_none());
    }
}
