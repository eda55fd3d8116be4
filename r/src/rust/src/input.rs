//! Rows to learn from: features, target, covariates, blocks, groups and weights, as R hands them over.

use crate::columns::{HeldColumns, RColumns, factor, held};
use crate::values::{of_r, texts};
use crate::work::{Failure, Outcome};
use extendr_api::prelude::*;
use serde_json::Value;
use tamis::Method;
use tamis::analysis::Data;
use tamis::catalogue::Preparation;
use tamis::front::{SampleColumn, Text, plain};
use tamis::table::counts::CountSettings;
use tamis::table::{Column, Covariate, FeatureGroup, FeatureGroups, Model, RequestedComparison, RowWeights};
use tamis::table::{Study, Target, Task, WeightKind};

/// The list `data` of R. It keeps the memory that a [`Dataset`] reads.
pub struct Rows {
    columns: HeldColumns,
    list: List,
}

/// [`Rows`] in the library's types, for other threads.
pub struct Dataset<'a> {
    pub columns: RColumns<'a>,
    pub study: Study,
    /// What the features are called in messages: the expression that the user wrote.
    pub file: String,
    pub preparation: Preparation,
    /// What is known of the samples and nobody asked for.
    pub about: About,
}

/// The target as text, and the variables of the samples that nobody asked for.
#[derive(Default)]
pub struct About {
    target: Cells,
    unused: Vec<Cells>,
}

/// A variable's name and its values.
type Cells = (String, Vec<Option<String>>);

impl About {
    /// The data with notes on the variables that go together with the target.
    pub fn told<'a>(&self, data: Data<'a>) -> Data<'a> {
        data.beside(&column(&self.target), self.unused.iter().map(column))
    }
}

fn column((name, cells): &Cells) -> SampleColumn<'_> {
    SampleColumn { name, cells: cells.iter().map(Option::as_deref).collect() }
}

fn part(list: &List, name: &str) -> Option<Robj> {
    list.dollar(name).ok().filter(|found| !found.is_null())
}

fn text(list: &List, name: &str) -> Option<String> {
    part(list, name).and_then(|found| found.as_str().map(str::to_string))
}

fn numbers(list: &List, name: &str) -> Option<Vec<f64>> {
    part(list, name).and_then(|found| found.as_real_vector())
}

impl Rows {
    /// Checks that the parts are there.
    pub fn of(list: List) -> Outcome<Rows> {
        let x = part(&list, "x").and_then(|x| x.as_list());
        let x = x.ok_or_else(|| Failure::Words("`x` is missing".into()))?;
        Ok(Rows { columns: held(&x)?, list })
    }

    /// The rows in the library's types.
    pub fn dataset(&self) -> Outcome<Dataset<'_>> {
        let kind = text(&self.list, "weight_kind").map_or(Ok(WeightKind::default()), |kind| kind.parse())?;
        let weights = numbers(&self.list, "weights").map(|values| RowWeights::new(values, kind)).transpose()?;
        let (target, rule) = target(&self.list, weights.as_ref())?;
        let name = text(&self.list, "target_name").unwrap_or_else(|| "y".into());
        let mut study = Study::new(name, target, weights)?.with_covariates(self.covariates()?)?;
        study = study.with_rule(rule).with_comparison(&self.comparison())?;
        if let Some(blocks) = part(&self.list, "blocks") {
            let name = text(&self.list, "block_name").unwrap_or_else(|| "blocks".into());
            study = study.with_blocks(name, factor(&blocks)?)?;
        }
        if let Some(groups) = part(&self.list, "groups") {
            study = study.with_groups("groups", factor(&groups)?)?;
        }
        if let Some(formula) = text(&self.list, "formula") {
            study = study.with_model(Model::new(&formula, text(&self.list, "test").as_deref())?)?;
        }
        Ok(Dataset {
            columns: self.columns.columns()?,
            study,
            file: text(&self.list, "file").unwrap_or_else(|| "x".into()),
            preparation: self.preparation()?,
            about: self.about(),
        })
    }

    /// How values are prepared.
    fn preparation(&self) -> Outcome<Preparation> {
        let groups = self.feature_groups();
        let mut preparation = Preparation { feature_groups: FeatureGroups { groups, notes: vec![] }, counts: None };
        if let Some(way) = text(&self.list, "normalize") {
            let mut counts = CountSettings { normalize: way.parse()?, ..CountSettings::default() };
            if let Some(least) = numbers(&self.list, "min_count").and_then(|x| x.first().copied()) {
                counts.min_count = least;
            }
            preparation.counts = Some(counts);
        }
        Ok(preparation)
    }

    /// What is known of the samples: character vectors by name.
    fn about(&self) -> About {
        let target = part(&self.list, "target_text").as_ref().and_then(texts);
        let unused = part(&self.list, "unused").and_then(|list| list.as_list()).unwrap_or_default();
        let unused = unused.iter().filter_map(|(name, values)| Some((name.to_string(), texts(&values)?)));
        About {
            target: (text(&self.list, "target_name").unwrap_or_default(), target.unwrap_or_default()),
            unused: unused.collect(),
        }
    }

    /// Variables that features are adjusted for: vectors of doubles and factors by name.
    pub fn covariates(&self) -> Outcome<Vec<Covariate>> {
        let Some(list) = part(&self.list, "covariates").and_then(|list| list.as_list()) else { return Ok(vec![]) };
        let one = |(name, values): (&str, Robj)| {
            let values = match values.as_real_vector() {
                Some(numbers) => Column::Numbers(numbers),
                None => Column::Categories(factor(&values)?),
            };
            Ok(Covariate { name: name.into(), values })
        };
        list.iter().map(one).collect()
    }

    /// The features alone.
    pub fn columns(&self) -> Outcome<RColumns<'_>> {
        self.columns.columns()
    }

    /// The classes that are compared.
    fn comparison(&self) -> RequestedComparison {
        let mut wanted = RequestedComparison::default();
        wanted.reference = text(&self.list, "reference");
        wanted.positive = text(&self.list, "positive");
        let pair = part(&self.list, "contrast").and_then(|pair| pair.as_string_vector());
        wanted.contrast = pair.and_then(|pair| <[String; 2]>::try_from(pair).ok());
        wanted
    }

    /// Features that count together: positions from 1 by the name of their group.
    fn feature_groups(&self) -> Vec<FeatureGroup> {
        let list = part(&self.list, "feature_groups").and_then(|list| list.as_list()).unwrap_or_default();
        let one = |(name, places): (&str, Robj)| {
            let places = places.as_integer_vector().unwrap_or_default();
            let mut members: Vec<u32> = places.iter().map(|at| (*at as u32).saturating_sub(1)).collect();
            members.sort_unstable();
            members.dedup();
            FeatureGroup { name: name.into(), members }
        };
        list.iter().map(one).collect()
    }
}

/// The target of every row, and what it is treated as, in words.
fn target(list: &List, weights: Option<&RowWeights>) -> Outcome<(Target, Text)> {
    if let (Some(times), Some(events)) = (numbers(list, "times"), numbers(list, "events")) {
        let event = |event: &f64| (!event.is_nan()).then_some(*event != 0.0);
        return Ok((Target::survival(times, events.iter().map(event).collect())?, "survival times".into()));
    }
    let task = match text(list, "task").as_deref() {
        Some("classes") => Some(Task::Classes),
        Some("real") => Some(Task::Real),
        _ => None,
    };
    if let Some(values) = numbers(list, "numbers") {
        return Ok(Target::of_numbers(&values, weights, task)?);
    }
    match part(list, "labels").as_ref().and_then(texts) {
        Some(labels) => Ok((Target::classes(&labels), Target::rule_of_labels(task).into())),
        None => Err(Failure::Words("`y` is missing".into())),
    }
}

/// A list of R as parameters.
pub fn pairs(settings: &Robj) -> Vec<(String, String)> {
    match of_r(settings) {
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, plain(&value))).collect(),
        _ => vec![],
    }
}

/// The method of this name, with parameters from a list of R.
pub fn method(name: &str, settings: &Robj) -> Outcome<Method> {
    let pairs = pairs(settings);
    Ok(Method::from_settings(name, pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())))?)
}
