//! Honest evaluation: chance is chance, folds teach nothing of their test rows, and the papers' figures come out.

use rand::RngExt;
use rayon::prelude::*;
use tamis::catalogue::Tune;
use tamis::compose::auc_curve;
use tamis::evaluate::{Run, cross_validate};
use tamis::model::Calibrate;
use tamis::numeric::random;
use tamis::resample::{Plan, folds, inner};
use tamis::result::{Evaluation, InputFacts};
use tamis::simulate::{TwoGaussians, TwoGroups};
use tamis::table::{self, Input, ReadOptions, Target};
use tamis::{Context, Method, Pipeline, Table, View};

fn method(text: &str) -> Method {
    let mut parts = text.split(' ');
    let name = parts.next().unwrap();
    Method::from_settings(name, parts.map(|s| s.split_once('=').unwrap())).unwrap()
}

/// `jmi k=5 | lda`, or a classifier alone.
fn pipeline(text: &str) -> Pipeline {
    match text.split_once(" | ") {
        Some((selector, classifier)) => Pipeline::new(Some(method(selector)), method(classifier)),
        None => Pipeline::new(None, method(text)),
    }
}

fn run(table: &Table, text: &str, plan: &Plan) -> Run {
    let pipeline = pipeline(text);
    let mut found =
        cross_validate(&table.view(), std::slice::from_ref(&pipeline), plan, &mut Context::default()).unwrap();
    Run::new(0, &table.view(), &pipeline, found.pop().unwrap())
}

fn data(name: &str) -> Table {
    let path = crate::common::data_file(name);
    table::read(Input::open(&path).unwrap(), &ReadOptions::target("label"), &mut Context::default()).unwrap()
}

/// 62 rows, 22 and 40 of two classes, columns of noise.
fn noise(features: usize, seed: u64) -> Table {
    let mut rng = random::stream(seed, 9);
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let columns: Vec<Vec<f64>> = (0..features).map(|_| (0..62).map(|_| normal()).collect()).collect();
    let labels: Vec<Option<&str>> = (0..62).map(|i| Some(if i * 22 % 62 < 22 { "a" } else { "b" })).collect();
    Table::new((0..features).map(|k| format!("g{k}")).collect(), columns, "y", Target::classes(&labels)).unwrap()
}

/// Labels that mean nothing: every method and classifier is at chance, over many draws.
#[test]
fn random_labels_are_at_chance() {
    let fast =
        ["snbl permutations=0 | dlda", "t | lda", "fisher | naive-bayes", "mim k=10 | slda", "dlda", "dlda prior=none"];
    let slow = [
        "snbl | dlda",
        "cat | slda",
        "jmi | logistic",
        "peel k=5 fits=2 | ensemble",
        "pfcvm-lp",
        "pfcvm-em",
        "jcfo",
        "pcvm",
        "rvm",
        "t | cart",
        "npfs null=binomial bootstraps=20 base=mim | lda",
        "auc-curve | lda",
        "logistic",
        "slda",
        "f | pcvm",
    ];
    for (names, features, draws, within) in [(&fast[..], 2000, 60, 0.06), (&slow[..], 400, 20, 0.1)] {
        for name in names {
            let one = |seed: u64| {
                let table = noise(features, seed);
                let plan = folds::stratified(&table.view(), 10, 1, seed).unwrap();
                let run = run(&table, name, &plan);
                run.summary.unwrap_or_else(|| panic!("{name}: {:?}", run.failed)).auc.unwrap()
            };
            let areas: Vec<f64> = (0..draws).into_par_iter().map(one).collect();
            let mean = areas.iter().sum::<f64>() / areas.len() as f64;
            println!("{name}: {mean:.3}");
            assert!((mean - 0.5).abs() <= within, "{name}: {mean}");
        }
    }
}

/// Selecting on all rows first and cross-validating after would give a good figure on noise; here it cannot be said.
#[test]
fn a_selector_sees_training_rows_only() {
    let table = noise(500, 1);
    let plan = folds::stratified(&table.view(), 5, 1, 0).unwrap();
    let honest = run(&table, "t k=10 | lda", &plan).summary.unwrap();
    assert!(honest.error > 0.25, "{}", honest.error);
    // what a fold selects does not change when its test rows do
    let first = plan.fold(0).unwrap();
    let mut columns: Vec<Vec<f64>> = table.columns().iter().map(|c| c.numbers().unwrap().to_vec()).collect();
    for column in &mut columns {
        first.test.iter().for_each(|&r| column[r as usize] += 1e3);
    }
    let changed = Table::new(table.names().to_vec(), columns, "y", table.target().clone()).unwrap();
    for name in ["t | lda", "snbl | dlda", "jmi | naive-bayes", "pfcvm-lp"] {
        let fit = |t: &Table| {
            let trained =
                pipeline(name).fit(&View::of_rows(t, &first.train).unwrap(), &mut Context::default()).unwrap();
            (trained.selected, trained.model)
        };
        assert!(fit(&table) == fit(&changed), "{name}");
    }
}

#[test]
fn a_selector_that_selects_nothing_is_the_majority() {
    let table = noise(50, 3);
    let plan = folds::stratified(&table.view(), 5, 1, 0).unwrap();
    let found = run(&table, "snbl | lda", &plan);
    assert!(found.folds.iter().any(|f| f.n_selected == 0));
    let empty: Vec<_> = found.folds.iter().filter(|f| f.n_selected == 0).collect();
    assert!(empty.iter().all(|f| f.auc == Some(0.5)), "a model without features has .5 by definition");
}

#[test]
fn the_same_folds_and_bits_on_any_number_of_threads() {
    let table = TwoGroups { rows: 60, features: 80, ..TwoGroups::default() }.draw(2).unwrap().table;
    let plan = folds::stratified(&table.view(), 6, 2, 7).unwrap();
    let all = ["snbl | dlda", "pfcvm-lp", "npfs null=binomial | lda", "cart"].map(pipeline);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| cross_validate(&table.view(), &all, &plan, &mut Context::default()).unwrap());
        let rows = found.into_iter().map(|f| f.unwrap().into_iter().map(|t| t.rows).collect::<Vec<_>>());
        rows.collect::<Vec<_>>()
    };
    assert!(with(1) == with(3));
}

#[test]
fn tuning_happens_inside_the_fold() {
    let table = TwoGroups { rows: 80, features: 100, ..TwoGroups::default() }.draw(4).unwrap().table;
    let plan = folds::stratified(&table.view(), 4, 1, 0).unwrap();
    let tune = Some(Tune { key: "k".into(), values: vec!["1".into(), "5".into(), "20".into()] });
    let tuned = Pipeline { tune, ..pipeline("t | lda") };
    assert_eq!(tuned.label(), "t + lda (k tuned)");
    let found =
        cross_validate(&table.view(), &[tuned], &plan, &mut Context::default()).unwrap().pop().unwrap().unwrap();
    for fold in found {
        let value: usize = fold.tuned.unwrap().parse().unwrap();
        assert_eq!(fold.n_selected, value);
    }
    let wrong =
        Pipeline { tune: Some(Tune { key: "nothing".into(), values: vec!["1".into()] }), ..pipeline("t | lda") };
    assert!(wrong.validate().is_err());
}

/// Ten copies of one feature make naive Bayes ten times too sure.
#[test]
fn calibration_inside_the_folds_corrects_probabilities_that_are_too_sure() {
    let mut rng = random::stream(5, 3);
    let labels: Vec<Option<&str>> = (0..300).map(|i| Some(if i % 2 == 0 { "a" } else { "b" })).collect();
    let one: Vec<f64> = (0..300).map(|i| rng.random::<f64>() * 4.0 + f64::from(i % 2)).collect();
    let names = (0..10).map(|k| format!("copy{k}")).collect();
    let table = Table::new(names, vec![one; 10], "y", Target::classes(&labels)).unwrap();
    let plan = folds::stratified(&table.view(), 5, 1, 0).unwrap();
    let with = |calibrate: Option<Calibrate>| {
        let pipeline = Pipeline { calibrate, ..pipeline("naive-bayes") };
        let found = cross_validate(&table.view(), std::slice::from_ref(&pipeline), &plan, &mut Context::default());
        let run = Run::new(0, &table.view(), &pipeline, found.unwrap().pop().unwrap());
        let summary = run.summary.unwrap();
        (run.label, summary.log_loss, summary.calibration_slope.unwrap(), summary.auc.unwrap())
    };
    let (_, loss, slope, auc) = with(None);
    assert!(slope < 0.5, "{slope}");
    for how in [Calibrate::Platt, Calibrate::Isotonic] {
        let (label, calibrated, near_one, same) = with(Some(how));
        assert_eq!(label, format!("naive-bayes ({})", how.name()));
        assert!(calibrated < loss - 0.02, "{label}: {calibrated} {loss}");
        assert!((near_one - 1.0).abs() < 0.5, "{label}: {near_one}");
        assert!((same - auc).abs() < 0.05, "{label}: {same} {auc}");
    }
    let model = Pipeline { calibrate: Some(Calibrate::Platt), ..pipeline("naive-bayes") };
    let model = model.fit(&table.view(), &mut Context::default()).unwrap().model;
    let mut bytes = Vec::new();
    model.write(&mut bytes).unwrap();
    let again = tamis::Model::read(&bytes, "m.json").unwrap();
    assert_eq!(again.predict(&table.view()).unwrap(), model.predict(&table.view()).unwrap());
}

#[test]
fn a_plain_classifier_that_is_as_good_as_a_machine_is_named() {
    let table = TwoGaussians { rows: 200, features: 10 }.draw(3).unwrap().table;
    let plan = folds::stratified(&table.view(), 5, 1, 0).unwrap();
    let runs: Vec<Run> = ["pfcvm-lp kernel=linear starts=1", "lda"].iter().map(|n| run(&table, n, &plan)).collect();
    let view = table.view();
    let facts = vec![InputFacts::of("a.csv", "y", &view)];
    let evaluation = Evaluation::new(facts, runs, String::new(), vec![], 0).unwrap();
    let text = evaluation.recommendation.unwrap().text;
    assert!(text.contains("`pfcvm-lp`") && text.contains("a plain classifier is as good: `lda`"), "{text}");
}

#[test]
fn an_evaluation_reads_back_and_recommends() {
    let table = TwoGroups { rows: 80, features: 100, ..TwoGroups::default() }.draw(5).unwrap().table;
    let plan = folds::stratified(&table.view(), 5, 1, 0).unwrap();
    let names = ["snbl | dlda", "t | lda", "none-of-these"];
    let runs: Vec<Run> = names[..2].iter().map(|n| run(&table, n, &plan)).collect();
    let facts = InputFacts::of("a.csv", "label", &table.view());
    let evaluation = Evaluation::new(vec![facts], runs, "5 folds".into(), vec![], 0).unwrap();
    let best = evaluation.recommendation.as_ref().unwrap();
    assert!(best.text.contains("the fewest features ("), "{}", best.text);
    assert_eq!(evaluation.comparison.pairs.len(), 1);
    let mut bytes = Vec::new();
    evaluation.write(&mut bytes).unwrap();
    let back = Evaluation::read(&bytes, "e.json").unwrap();
    assert_eq!(back.recommendation, evaluation.recommendation);
    assert_eq!(back.runs[0].summary, evaluation.runs[0].summary);
    assert!(Evaluation::read(b"{}", "e.json").is_err());
}

/// The curve in one factorisation is the AUC of a discriminant fitted for each number of features.
#[test]
fn the_curve_is_that_of_discriminants_fitted_one_by_one() {
    let table = TwoGroups { rows: 150, features: 30, relevant: 8, ..TwoGroups::default() }.draw(6).unwrap().table;
    let split = inner::holdout(&table.view(), 0.4, 1).unwrap();
    let (train, valid) = (View::of_rows(&table, &split.train).unwrap(), View::of_rows(&table, &split.test).unwrap());
    let curve = auc_curve(&train, &valid, &mut Context::default()).unwrap();
    assert_eq!(curve.auc.len(), 30);
    let truth: Vec<bool> =
        valid.rows().iter().map(|&r| table.target().code(r as usize) == Some(table.target().positive())).collect();
    for t in [1, 2, 7, 30] {
        let narrow = train.narrowed(&curve.order[..t]);
        let model = method("lda").fit(&View::of_rows(&narrow, train.rows()).unwrap(), &mut Context::default()).unwrap();
        let p = &model.predict(&valid).unwrap().probabilities[table.target().positive()];
        let log_odds: Vec<f64> = p.iter().map(|p| (p / (1.0 - p)).ln()).collect();
        let area = tamis::evaluate::auc(&log_odds, &truth).unwrap();
        assert!((area - curve.auc[t - 1]).abs() < 1e-9, "{t}: {area} {}", curve.auc[t - 1]);
    }
}

/// Madelon's validation AUC of a discriminant on the best 13 and 15 features (SNBL, Table 2).
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn madelon_has_the_papers_validation_areas() {
    let (train, valid) = (data("madelon_train.csv.gz"), data("madelon_valid.csv.gz"));
    let curve = auc_curve(&train.view(), &valid.view(), &mut Context::default()).unwrap();
    for (t, wanted) in [(13, 0.634), (15, 0.645)] {
        assert!((curve.auc[t - 1] - wanted).abs() < 0.001, "{t}: {}", curve.auc[t - 1]);
    }
}

/// Prostate, leaving one out: what shrinking the means of a diagonal discriminant is worth (adaptive sparsity, §6).
#[test]
#[ignore = "needs the data sets in ../shared/data"]
fn shrinkage_helps_on_prostate() {
    let table = data("prostate.csv.gz");
    let plan = folds::leave_one_out(&table.view()).unwrap();
    for (prior, wanted) in [("none", 0.80), ("laplace", 0.95), ("normal", 0.96), ("kde", 0.985), ("auto", 0.985)] {
        let area = run(&table, &format!("dlda prior={prior}"), &plan).summary.unwrap().auc.unwrap();
        println!("dlda prior={prior}: {area:.3} ({wanted})");
        assert!((area - wanted).abs() <= 0.01, "{prior}: {area}");
    }
}
