//! Weights of samples, correlated blocks and precisions of counts against numbers frozen from limma 3.54 and edgeR 3.40.

use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;
use tamis::base::Auto;
use tamis::prelude::*;
use tamis::score::FeatureSummary;
use tamis::sparse_means::SampleWeights;
use tamis::table::counts::{CountSettings, Normalize};
use tamis::table::{BlockModel, Categories, Column, Covariate, Table, Target};

fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/oracle/designs2/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn factor(value: &Value) -> Categories {
    Categories::of(value.as_array().unwrap().iter().map(|x| Some(x.to_string())))
}

/// The table of a fixture whose features are under this key.
fn table(file: &Value, features: &str) -> Table {
    let columns: Vec<Column> = file[features].as_array().unwrap().iter().map(|x| numbers(x).into()).collect();
    let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
    let mut covariates = vec![];
    if file["age"].is_array() {
        covariates.push(Covariate { name: "age".into(), values: numbers(&file["age"]).into() });
    }
    if file["batch"].is_array() {
        covariates.push(Covariate { name: "batch".into(), values: factor(&file["batch"]).into() });
    }
    let target = Target::Real { values: numbers(&file["group"]) };
    let table = Table::new(names, columns, "group", target).unwrap().with_covariates(covariates).unwrap();
    if file["block"].is_array() { table.with_blocks("block", factor(&file["block"])).unwrap() } else { table }
}

/// As limma does it unless it is told otherwise, without null targets.
fn plain() -> Snbl {
    let means = tamis::SparseMeans { permutations: Auto::Set(0), ..Default::default() };
    Snbl { trend: Auto::Set(false), robust: false, means, ..Snbl::default() }
}

fn close(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{what}: {found} for {wanted}");
}

/// Compares t, its degrees of freedom, the difference and p with those of the file.
fn compare(features: &[FeatureSummary], file: &Value, what: &str) {
    let [t, df, beta, p] = ["moderated_t", "df_total", "beta", "p_value"].map(|key| numbers(&file[key]));
    for (i, found) in features.iter().enumerate() {
        if t[i].is_nan() {
            assert!(found.statistic.is_nan(), "{what}: {i} does not determine the test");
            continue;
        }
        close(found.statistic, t[i], &format!("{what}: t of {i}"));
        close(found.df, df[i], &format!("{what}: df of {i}"));
        close(found.difference, beta[i], &format!("{what}: difference of {i}"));
        let p_value = tamis::numeric::special::t_two_sided(found.statistic, found.df);
        assert!((p_value - p[i]).abs() <= 1e-9 * p[i], "{what}: p of {i}: {p_value} for {}", p[i]);
    }
}

fn select(table: &Table, snbl: &Snbl) -> tamis::Selection {
    snbl.select(&table.view(), &mut Context::default()).unwrap()
}

#[test]
fn correlated_blocks_agree_with_limma() {
    let file = fixture("blocks_correlation_uneven");
    let snbl = Snbl { block_model: BlockModel::Correlated, ..plain() };
    let found = select(&table(&file, "x"), &snbl);
    close(found.design.unwrap().block_correlation.unwrap(), file["consensus"].as_f64().unwrap(), "consensus");
    compare(&found.summaries.unwrap().features, &file, "uneven blocks");
}

#[test]
fn weights_of_samples_agree_with_limma() {
    for name in ["sample_weights", "sample_weights_missing"] {
        let file = fixture(name);
        let snbl = Snbl { sample_weights: SampleWeights::Auto, ..plain() };
        let found = select(&table(&file, "x"), &snbl);
        for (found, wanted) in found.design.unwrap().sample_weights.iter().zip(numbers(&file["weights"])) {
            close(found.weight, wanted, name);
        }
        compare(&found.summaries.unwrap().features, &file, name);
    }
}

/// The answer about counts that are normalised in this way.
fn of_counts(file: &Value, normalize: Normalize, snbl: Snbl) -> tamis::Selection {
    let counts = CountSettings { normalize, min_count: 0.0 };
    let preparation = tamis::catalogue::Preparation { counts: Some(counts), ..Default::default() };
    let analysis = Analysis { method: snbl.into(), preparation, second_look: Some(false), ..Analysis::default() };
    analysis.select(&Data::of_table("counts", &table(file, "counts")), &mut Silent).unwrap().selection
}

#[test]
fn correlated_blocks_of_counts_agree_with_limma() {
    let file = fixture("blocks_correlation_counts");
    let snbl = Snbl { block_model: BlockModel::Correlated, trend: Auto::Set(true), ..plain() };
    let found = of_counts(&file, Normalize::Tmm, snbl);
    close(found.design.unwrap().block_correlation.unwrap(), file["consensus"].as_f64().unwrap(), "consensus");
    compare(&found.summaries.unwrap().features, &file, "counts in blocks");
}

#[test]
fn precisions_of_counts_agree_with_voom() {
    for (name, sample_weights) in [("voom", SampleWeights::None), ("voom_sample_weights", SampleWeights::Auto)] {
        let file = fixture(name);
        let found = of_counts(&file, Normalize::Voom, Snbl { sample_weights, ..plain() });
        let design = found.design.unwrap();
        close(design.prior_df.unwrap(), file["prior_df"].as_f64().unwrap(), name);
        close(design.prior_var.unwrap(), file["prior_var"].as_f64().unwrap(), name);
        if sample_weights == SampleWeights::Auto {
            for (found, wanted) in design.sample_weights.iter().zip(numbers(&file["sample_weights"])) {
                close(found.weight, wanted, name);
            }
        }
        compare(&found.summaries.unwrap().features, &file, name);
    }
}

/// Six donors with three rows in either class; donors respond differently by `apart`.
fn donors(apart: f64) -> Table {
    let mut rng = tamis::numeric::random::stream(3, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let cell = |row: usize| (row / 6, row % 2);
    let mut column = |_| -> Column {
        let levels: Vec<f64> = (0..6).map(|_| normal()).collect();
        let responses: Vec<f64> = (0..6).map(|_| apart * normal()).collect();
        let value = |row: usize| {
            let (donor, class) = cell(row);
            levels[donor] + class as f64 * responses[donor]
        };
        (0..36).map(|row| value(row) + normal()).collect::<Vec<f64>>().into()
    };
    let columns = (0..200).map(&mut column).collect();
    let names = (0..200).map(|j| format!("g{j}")).collect();
    let classes: Vec<Option<&str>> = (0..36).map(|row| Some(["rest", "stimulated"][cell(row).1])).collect();
    let blocks = Categories::of((0..36).map(|row| Some(format!("d{}", cell(row).0))));
    let table = Table::new::<Column>(names, columns, "group", Target::classes(&classes)).unwrap();
    table.with_blocks("donor", blocks).unwrap()
}

#[test]
fn rows_of_donors_that_respond_differently_are_averaged() {
    let rows = |apart: f64, block_model: BlockModel| {
        let found = select(&donors(apart), &Snbl { block_model, ..plain() });
        let told = found.notes.iter().any(|note| note.to_string().contains("respond differently"));
        (found.design.unwrap().rows_used, told)
    };
    assert_eq!(rows(0.0, BlockModel::Auto), (36, false));
    assert_eq!(rows(1.5, BlockModel::Auto), (12, true));
    assert_eq!(rows(1.5, BlockModel::Fixed), (36, false));
    assert_eq!(rows(0.0, BlockModel::Mean), (12, false));
    assert_eq!(rows(0.0, BlockModel::Correlated).0, 36);
}

/// Blocks of which some have one class and others both, whose rows correlate by `rho`; nothing differs.
fn partly_nested_noise(seed: u64, rho: f64) -> Table {
    let mut rng = tamis::numeric::random::stream(seed, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let blocks = [0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 7, 7, 8, 8];
    let mut column = |_| -> Column {
        let levels: Vec<f64> = (0..9).map(|_| rho.sqrt() * normal()).collect();
        blocks.iter().map(|&block: &usize| levels[block] + (1.0 - rho).sqrt() * normal()).collect::<Vec<f64>>().into()
    };
    let columns = (0..150).map(&mut column).collect();
    let names = (0..150).map(|j| format!("g{j}")).collect();
    let classes: Vec<Option<String>> = "aaabbaaaababababababab".chars().map(|class| Some(class.to_string())).collect();
    let table = Table::new::<Column>(names, columns, "group", Target::classes(&classes)).unwrap();
    table.with_blocks("donor", Categories::of(blocks.iter().map(|block| Some(format!("d{block}"))))).unwrap()
}

#[test]
fn noise_in_correlated_blocks_keeps_its_level() {
    let (mut low, mut named) = (0, 0);
    for seed in 0..12 {
        let snbl = Snbl { block_model: BlockModel::Correlated, ..Snbl::default() };
        let found = select(&partly_nested_noise(seed, 0.5), &snbl);
        let rho = found.design.as_ref().unwrap().block_correlation.unwrap();
        assert!((rho - 0.5).abs() < 0.1, "{rho}");
        low += found.summaries.unwrap().features.iter().filter(|feature| feature.p_value < 0.05).count();
        named += usize::from(!found.selected.is_empty());
    }
    // 1,800 features: .05 ± .005
    assert!((55..=135).contains(&low) && named <= 1, "{low} {named}");
}
