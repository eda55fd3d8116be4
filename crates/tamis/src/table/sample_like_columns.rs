//! Columns that are read as features though their names say that they describe samples.

use crate::base::{Note, NoteKind, OptionName, Voice, text};

/// With fewer features such a column is as likely one of them.
const FEWEST_FEATURES: usize = 50;

/// Names of columns that describe samples.
const NAMES: [&str; 35] = [
    "id",
    "sample",
    "sample_id",
    "sampleid",
    "sample id",
    "batch",
    "plate",
    "lane",
    "run",
    "site",
    "center",
    "centre",
    "hospital",
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
/// `voice` says how options are called.
pub fn sample_like_columns<'a>(features: impl ExactSizeIterator<Item = &'a str>, voice: &dyn Voice) -> Option<Note> {
    if features.len() < FEWEST_FEATURES {
        return None;
    }
    let is_one = |name: &&str| NAMES.contains(&name.to_lowercase().as_str());
    let found: Vec<&str> = features.filter(is_one).collect();
    let quoted: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
    let names = match quoted.as_slice() {
        [] => return None,
        [one] => format!("{one} is read as a feature; if it describes the samples, adjust for it"),
        [first @ .., last] => {
            format!(
                "{} and {last} are read as features; if they describe the samples, adjust for them",
                first.join(", ")
            )
        }
    };
    let said = text![
        names,
        " with ",
        OptionName::Covariate,
        ", pair or average rows with ",
        OptionName::Block,
        ", or leave columns out with ",
        OptionName::Drop.set(found[0])
    ];
    Some(Note::new(NoteKind::SampleColumns, said.say(voice)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::RustVoice;

    #[test]
    fn names_of_sample_columns_are_noticed_in_wide_tables() {
        let mut names: Vec<String> = (0..60).map(|i| format!("g{i}")).collect();
        let note = |names: &[String]| sample_like_columns(names.iter().map(String::as_str), &RustVoice);
        assert!(note(&names).is_none());
        names[3] = "Batch".into();
        let one = note(&names).map(|note| note.message).unwrap_or_default();
        assert!(one.starts_with("`Batch` is read as a feature"), "{one}");
        names[4] = "age".into();
        let two = note(&names).map(|note| note.message).unwrap_or_default();
        assert!(two.starts_with("`Batch` and `age` are read as features"), "{two}");
        assert!(note(&names[..20]).is_none());
    }
}
