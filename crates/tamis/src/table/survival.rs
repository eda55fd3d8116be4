//! Survival targets: times and events from cells, and the checks that something can be learned from them.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use crate::table::caller_checks::check_length;
use crate::table::read::number;
use crate::table::target_cells::TargetCells;
use crate::table::target_rule::value_of;
use crate::table::{Categories, Target};

impl Target {
    /// Survival times: for each row a time, and whether the event happened then (`true`) or the row was last seen without
    /// it, that is, censored (`false`). A time that is NaN or an event that is not known makes the row missing.
    ///
    /// # Errors
    ///
    /// Another number of events than times, and a time that is not more than 0 or is infinite.
    pub fn survival(times: Vec<f64>, events: Vec<Option<bool>>) -> Result<Target> {
        Target::survival_at(times, events, &Place::default())
    }

    /// [`Target::survival`] with errors at a place of a file.
    pub(super) fn survival_at(mut times: Vec<f64>, events: Vec<Option<bool>>, place: &Place) -> Result<Target> {
        check_length(events.len(), "event", times.len())?;
        for (row, (time, event)) in times.iter_mut().zip(&events).enumerate() {
            if event.is_none() {
                *time = f64::NAN;
            }
            if *time <= 0.0 || time.is_infinite() {
                let remedy = "a time until an event is a finite number above 0: correct it, or leave it missing";
                let place = place.clone().at_row(row as u64 + 1);
                return Err(Error::data(place, format!("the survival time is {time}"), remedy));
            }
        }
        Ok(Target::Survival { times, events: events.into_iter().map(|event| event == Some(true)).collect() })
    }

    /// Refuses survival times on behalf of a method that needs classes or numbers.
    pub(crate) fn refuse_survival(&self, method: &str) -> Result<()> {
        match self {
            Target::Survival { .. } => {
                let remedy = text!["pass ", OptionName::Method.set("snbl")];
                Err(Error::method(method, "does not analyse survival times; only snbl does", remedy))
            }
            Target::Classes { .. } | Target::Real { .. } => Ok(()),
        }
    }
}

/// The target that two columns are: cells of times, and labels of events.
pub(super) fn of_cells(times: TargetCells, events: Vec<Option<bool>>, place: &Place) -> Result<Target> {
    if let Some((row, text)) = times.text {
        let remedy = text!["a survival time is a number: correct the cell, or declare it with ", OptionName::Missing];
        return Err(Error::data(place.clone().at_row(row), format!("`{text}` is not a number"), remedy));
    }
    Target::survival_at(times.numbers, events, place)
}

/// Whether the event happened, from the labels of a column: 1 or true, 0 or false; or the label `positive`, beside which
/// there may be one other, for censored rows. Cells that are empty or in `missing` are not known.
///
/// # Errors
///
/// Other labels, and a `positive` that no row has.
pub(super) fn events_of(
    labels: &Categories,
    missing: &[String],
    positive: Option<&str>,
    place: &Place,
) -> Result<Vec<Option<bool>>> {
    let known = |label: &str| !number::is_missing(label.trim().as_bytes(), missing);
    let occurring = |row: usize| labels.get(row).map(str::trim).filter(|label| known(label));
    let rows = 0..labels.codes().len();
    let Some(positive) = positive else {
        let event = |row: usize, label: &str| match plain_event(label) {
            None => Err(unknown_event(label, rows.clone().filter_map(occurring), place.clone().at_row(row as u64 + 1))),
            Some(event) => Ok(event),
        };
        return rows.clone().map(|row| occurring(row).map(|label| event(row, label)).transpose()).collect();
    };
    let mut others: Vec<&str> = rows.clone().filter_map(occurring).filter(|label| !same(label, positive)).collect();
    others.sort_unstable();
    others.dedup_by(|a, b| same(a, b));
    if !rows.clone().filter_map(occurring).any(|label| same(label, positive)) {
        let known = others.into_iter().map(str::to_owned).collect();
        return Err(Error::Unknown { kind: "event", name: positive.into(), known });
    }
    if let [first, second, ..] = others[..] {
        let problem = format!("beside `{positive}` there are two labels, `{first}` and `{second}`");
        let remedy = "one label means the event and one other that a row is censored: join the others";
        return Err(Error::data(place.clone(), problem, remedy));
    }
    Ok(rows.map(|row| occurring(row).map(|label| same(label, positive))).collect())
}

/// Whether two labels are the same text or the same number.
fn same(a: &str, b: &str) -> bool {
    a == b || value_of(a).is_some_and(|x| value_of(b) == Some(x))
}

/// The meaning of a label that needs no explanation.
fn plain_event(label: &str) -> Option<bool> {
    match value_of(label) {
        Some(1.0) => Some(true),
        Some(0.0) => Some(false),
        _ if label.eq_ignore_ascii_case("true") => Some(true),
        _ if label.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// The error about a label that may or may not mean the event, with the choice where there are two.
fn unknown_event<'a>(label: &str, labels: impl Iterator<Item = &'a str>, place: Place) -> Error {
    let mut different: Vec<&str> = vec![];
    for label in labels {
        if !different.contains(&label) && different.len() < 3 {
            different.push(label);
        }
    }
    different.sort_unstable();
    let remedy = match different[..] {
        [a, b] => {
            let [a, b] = [a, b].map(|label| OptionName::Positive.set(label));
            text!["name the label that means the event: pass ", a, " or ", b]
        }
        _ => text!["name the label that means the event with ", OptionName::Positive],
    };
    Error::data(place, format!("`{label}` is neither 1 nor 0, true nor false"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::target::check_survival;

    fn events(labels: &[&str], positive: Option<&str>) -> Result<Vec<Option<bool>>> {
        events_of(&Categories::of(labels.iter().map(Some)), &["-".into()], positive, &Place::default())
    }

    #[test]
    fn events_are_ones_and_zeros_or_a_label_that_is_named() {
        let known = |events: &[u8]| events.iter().map(|event| Some(*event == 1)).collect::<Vec<_>>();
        assert_eq!(events(&["1", "0", "1.0", " 0"], None).expect("events"), known(&[1, 0, 1, 0]));
        assert_eq!(events(&["True", "FALSE", "true"], None).expect("events"), known(&[1, 0, 1]));
        assert_eq!(events(&["dead", "alive"], Some("dead")).expect("events"), known(&[1, 0]));
        assert_eq!(events(&["2", "1", "2.0"], Some("2")).expect("events"), known(&[1, 0, 1]));
        assert_eq!(events(&["1", "", "NA", "-"], None).expect("events"), [Some(true), None, None, None]);
    }

    #[test]
    fn other_labels_are_refused_with_the_row() {
        let error = events(&["1", "0", "2"], None).expect_err("a third label").to_string();
        assert!(error.contains("row 3") && error.contains("`2`") && error.contains("positive"), "{error}");
        let error = events(&["dead", "alive", "dead"], None).expect_err("two labels").to_string();
        assert!(error.contains("row 1") && error.contains("alive") && error.contains("dead"), "{error}");
        let error = events(&["dead", "alive", "lost"], Some("dead")).expect_err("three labels").to_string();
        assert!(error.contains("`alive`") && error.contains("`lost`"), "{error}");
        assert!(events(&["dead", "alive"], Some("died")).is_err());
    }

    #[test]
    fn times_must_be_positive_numbers() {
        let both = |times: &[f64]| Target::survival(times.to_vec(), vec![Some(true); times.len()]);
        assert!(both(&[1.0, 2.0]).is_ok());
        for wrong in [0.0, -1.0, f64::INFINITY] {
            let error = both(&[1.0, wrong]).expect_err("a wrong time").to_string();
            assert!(error.contains("row 2"), "{error}");
        }
        let missing = Target::survival(vec![1.0, f64::NAN, 2.0, 3.0], vec![Some(true), Some(true), None, Some(false)]);
        assert_eq!(missing.expect("a target").labelled_rows(), [0, 3]);
        assert!(Target::survival(vec![1.0], vec![]).is_err());
    }

    #[test]
    fn nothing_is_learned_without_an_event_or_from_equal_times() {
        let checked = |times: &[f64], events: &[bool]| check_survival(times, events, &Place::default());
        assert!(checked(&[1.0, 2.0], &[false, false]).is_err());
        assert!(checked(&[2.0, 2.0], &[true, false]).is_err());
        assert!(checked(&[f64::NAN, 2.0], &[true, true]).is_err());
        assert!(checked(&[1.0, 2.0], &[true, false]).is_ok());
    }
}
