//! The table of features as result files hold it: a list of features, each with what is known about it.

use super::column_values::{Cell, ColumnValues};
use super::feature_table::{FeatureTable, MEAN};
use crate::selection::detail::RelationKind;
use serde::de::{Deserializer, Error};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The fields of a feature in their order, after `index`, `name` and `columns`. `mean` has a number for every class.
const FIELDS: [&str; 26] = [
    "score",
    "effect",
    "probability",
    "q_value",
    "rank",
    "selected",
    "n",
    "statistic",
    "df",
    "p_value",
    "mean",
    "stands_out",
    "difference",
    "difference_low",
    "difference_high",
    "shrunken_difference",
    "shrunken_difference_low",
    "shrunken_difference_high",
    "lfsr",
    "cluster",
    "kind",
    "partner",
    "inclusion_probability",
    "set",
    "set_probability",
    "lead",
];
/// Those that are null where there is no value; others are left out.
const ALWAYS: [&str; 7] = ["score", "effect", "probability", "q_value", "cluster", "kind", "partner"];

impl Serialize for FeatureTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = |name: &str| self.columns.iter().find(|column| column.name == name).map(|column| &column.values);
        let fields = FIELDS.map(|name| (name, ALWAYS.contains(&name), values(name)));
        let means = self.columns.iter().filter_map(|column| Some((column.name.strip_prefix(MEAN)?, &column.values)));
        let means: Vec<(&str, &ColumnValues)> = means.collect();
        serializer.collect_seq((0..self.len()).map(|at| Row { table: self, fields: &fields, means: &means, at }))
    }
}

/// A feature of a table, with the columns of its fields.
struct Row<'a> {
    table: &'a FeatureTable,
    fields: &'a [(&'static str, bool, Option<&'a ColumnValues>)],
    means: &'a [(&'a str, &'a ColumnValues)],
    at: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Row { table, fields, means, at } = *self;
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("index", &at)?;
        row.serialize_entry("name", &table.names[at])?;
        if let Some(members) = table.members.get(at).filter(|members| !members.is_empty()) {
            row.serialize_entry("columns", members)?;
        }
        for (name, always, values) in fields {
            let cell = values.and_then(|values| values.cell(at, &table.names));
            match *name {
                "rank" => row.serialize_entry(name, &table.ranks[at])?,
                "selected" => row.serialize_entry(name, &table.selected[at])?,
                "mean" => {
                    let known = means.iter().filter_map(|(class, values)| Some((*class, values.cell(at, &[])?)));
                    let known: BTreeMap<&str, Cell> = known.collect();
                    if !known.is_empty() {
                        row.serialize_entry(name, &known)?;
                    }
                }
                _ if *always || cell.is_some() => row.serialize_entry(name, &cell)?,
                _ => {}
            }
        }
        row.end()
    }
}

/// A feature as it is read.
#[derive(Deserialize)]
struct SavedFeature {
    index: usize,
    name: String,
    #[serde(default)]
    columns: Vec<String>,
    rank: u32,
    selected: bool,
    n: Option<u32>,
    #[serde(default)]
    mean: BTreeMap<String, f64>,
    stands_out: Option<String>,
    score: Option<f64>,
    statistic: Option<f64>,
    df: Option<f64>,
    p_value: Option<f64>,
    difference: Option<f64>,
    difference_low: Option<f64>,
    difference_high: Option<f64>,
    shrunken_difference: Option<f64>,
    shrunken_difference_low: Option<f64>,
    shrunken_difference_high: Option<f64>,
    effect: Option<f64>,
    lfsr: Option<f64>,
    probability: Option<f64>,
    q_value: Option<f64>,
    cluster: Option<u32>,
    kind: Option<RelationKind>,
    partner: Option<String>,
    inclusion_probability: Option<f64>,
    set: Option<u32>,
    set_probability: Option<f64>,
    lead: Option<String>,
}

impl<'de> Deserialize<'de> for FeatureTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Vec::<SavedFeature>::deserialize(deserializer)?;
        if rows.iter().enumerate().any(|(at, row)| row.index != at) {
            return Err(D::Error::custom("features are not in order"));
        }
        Ok(FeatureTable::of_rows(&rows))
    }
}

impl FeatureTable {
    /// The table of saved features.
    fn of_rows(rows: &[SavedFeature]) -> FeatureTable {
        let any_members = rows.iter().any(|row| !row.columns.is_empty());
        let mut table = FeatureTable {
            names: rows.iter().map(|row| row.name.clone()).collect(),
            ranks: rows.iter().map(|row| row.rank).collect(),
            selected: rows.iter().map(|row| row.selected).collect(),
            members: if any_members { rows.iter().map(|row| row.columns.clone()).collect() } else { vec![] },
            ..FeatureTable::default()
        };
        let numbers = |value: &dyn Fn(&SavedFeature) -> Option<f64>| {
            Some(ColumnValues::Numbers(rows.iter().map(value).collect()))
        };
        let counts =
            |value: fn(&SavedFeature) -> Option<u32>| Some(ColumnValues::Counts(rows.iter().map(value).collect()));
        let texts =
            |value: fn(&SavedFeature) -> Option<String>| Some(ColumnValues::Texts(rows.iter().map(value).collect()));
        let places: HashMap<&str, u32> = rows.iter().map(|row| row.name.as_str()).zip(0..).collect();
        let place = |name: &Option<String>| name.as_deref().and_then(|name| places.get(name).copied());
        let classes: BTreeSet<&String> = rows.iter().flat_map(|row| row.mean.keys()).collect();
        table.add("n", counts(|row| row.n));
        for class in classes {
            table.add(format!("{MEAN}{class}"), numbers(&|row| row.mean.get(class).copied()));
        }
        table.add("stands_out", texts(|row| row.stands_out.clone()));
        table.add("score", numbers(&|row| row.score));
        let columns: [NumberColumn; 13] = [
            ("statistic", |row| row.statistic),
            ("df", |row| row.df),
            ("p_value", |row| row.p_value),
            ("difference", |row| row.difference),
            ("difference_low", |row| row.difference_low),
            ("difference_high", |row| row.difference_high),
            ("shrunken_difference", |row| row.shrunken_difference),
            ("shrunken_difference_low", |row| row.shrunken_difference_low),
            ("shrunken_difference_high", |row| row.shrunken_difference_high),
            ("effect", |row| row.effect),
            ("lfsr", |row| row.lfsr),
            ("probability", |row| row.probability),
            ("q_value", |row| row.q_value),
        ];
        columns.into_iter().for_each(|(name, value)| table.add(name, numbers(&value)));
        table.add("cluster", counts(|row| row.cluster));
        table.add("kind", texts(|row| row.kind.map(|kind| kind.name().into())));
        table.add("partner", Some(ColumnValues::Features(rows.iter().map(|row| place(&row.partner)).collect())));
        table.add("inclusion_probability", numbers(&|row| row.inclusion_probability));
        table.add("set", counts(|row| row.set));
        table.add("set_probability", numbers(&|row| row.set_probability));
        table.add("lead", Some(ColumnValues::Features(rows.iter().map(|row| place(&row.lead)).collect())));
        table
    }
}

/// A column of numbers: its name, and its value in a row.
type NumberColumn = (&'static str, fn(&SavedFeature) -> Option<f64>);

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> FeatureTable {
        let mut table = FeatureTable {
            names: ["a", "b"].map(String::from).into(),
            ranks: vec![2, 1],
            selected: vec![false, true],
            members: vec![vec![], vec!["b_x".into(), "b_y".into()]],
            ..FeatureTable::default()
        };
        table.add("n", Some(ColumnValues::Counts(vec![Some(9), Some(8)])));
        table.add("mean_x", Some(ColumnValues::Numbers(vec![Some(0.1), Some(1.5)])));
        table.add("mean_y", Some(ColumnValues::Numbers(vec![Some(-1.0), None])));
        table.add("score", Some(ColumnValues::Numbers(vec![None, Some(3.25)])));
        table.add("lfsr", Some(ColumnValues::Numbers(vec![None, Some(1e-9)])));
        table.add("cluster", Some(ColumnValues::Counts(vec![None, Some(1)])));
        table.add("kind", Some(ColumnValues::Texts(vec![None, Some("together".into())])));
        table.add("partner", Some(ColumnValues::Features(vec![None, Some(0)])));
        table
    }

    const SAVED: &str = "[{\"index\":0,\"name\":\"a\",\"score\":null,\"effect\":null,\"probability\":null,\"q_value\":null,\
        \"rank\":2,\"selected\":false,\"n\":9,\"mean\":{\"x\":0.1,\"y\":-1.0},\"cluster\":null,\"kind\":null,\"partner\":null},\
        {\"index\":1,\"name\":\"b\",\"columns\":[\"b_x\",\"b_y\"],\"score\":3.25,\"effect\":null,\"probability\":null,\
        \"q_value\":null,\"rank\":1,\"selected\":true,\"n\":8,\"mean\":{\"x\":1.5},\"lfsr\":1e-9,\"cluster\":1,\
        \"kind\":\"together\",\"partner\":\"a\"}]";

    #[test]
    fn features_are_written_field_by_field_and_read_back() {
        assert_eq!(serde_json::to_string(&table()).expect("JSON"), SAVED);
        assert_eq!(serde_json::from_str::<FeatureTable>(SAVED).expect("a table"), table());
        let bare = r#"[{"index":0,"name":"a","rank":1,"selected":true,"score":2,"later":[]}]"#;
        let read = serde_json::from_str::<FeatureTable>(bare).expect("fields that are not known are passed over");
        assert_eq!((read.number("score", 0), read.columns().count()), (Some(2.0), 1));
    }

    #[test]
    fn damaged_features_are_refused() {
        let fault = |text: String| serde_json::from_str::<FeatureTable>(&text).expect_err("damaged").to_string();
        assert!(fault(SAVED.replace("\"index\":1", "\"index\":7")).contains("features are not in order"));
        assert!(fault(SAVED.replace("\"name\":\"a\",", "")).contains("`name`"));
        assert!(fault(SAVED.replace("\"together\"", "\"else\"")).contains("else"));
        assert!(fault(SAVED.replace("3.25", "\"high\"")).contains("high"));
    }
}
