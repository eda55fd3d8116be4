//! Vector machines on tables: selection, models, and what they must survive.

use rand::RngExt;
use tamis::base::Auto;
use tamis::machines::{Ard, KernelShape, PfcvmEm, PfcvmLp, Refit};
use tamis::numeric::random;
use tamis::simulate::TwoGaussians;
use tamis::table::{RowWeights, Target, WeightKind};
use tamis::{Context, Method, Model, NoteKind, Selector, Table};

fn saved(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.write(&mut bytes).unwrap();
    bytes
}

fn table(columns: Vec<Vec<f64>>, labels: &[&str]) -> Table {
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(*l)).collect();
    Table::new(names, columns, "y", Target::classes(&labels)).unwrap()
}

/// Two features that separate three classes, among noise.
fn three_classes(rows: usize, noise: usize) -> Table {
    let mut rng = random::stream(12, 0);
    let labels: Vec<&str> = (0..rows).map(|i| ["a", "b", "c"][i % 3]).collect();
    let mut columns = vec![vec![], vec![]];
    for i in 0..rows {
        columns[0].push(rng.random::<f64>() + if i % 3 == 0 { 1.5 } else { 0.0 });
        columns[1].push(rng.random::<f64>() - if i % 3 == 1 { 1.5 } else { 0.0 });
    }
    columns.extend((0..noise).map(|_| (0..rows).map(|_| rng.random::<f64>()).collect::<Vec<f64>>()));
    table(columns, &labels)
}

fn accuracy(model: &Model, table: &Table) -> f64 {
    let got = model.predict(&table.view()).unwrap();
    let right = (0..table.n_rows()).filter(|&r| model.classes[got.predicted[r]] == table.target().text(r)).count();
    for row in 0..table.n_rows() {
        let sum: f64 = got.probabilities.iter().map(|p| p[row]).sum();
        assert!((sum - 1.0).abs() < 1e-12 && got.probabilities.iter().all(|p| (0.0..=1.0).contains(&p[row])));
    }
    right as f64 / table.n_rows() as f64
}

fn knows_nothing(model: &Model) -> bool {
    model.notes.iter().any(|n| n.kind == NoteKind::NoEvidence && n.to_string().starts_with("nothing found"))
}

/// Uniform columns, and the class that the signs of the first two decide together.
fn xor(rows: usize, features: usize, seed: u64) -> Table {
    let mut rng = random::stream(seed, 1);
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| rng.random::<f64>() * 2.0 - 1.0).collect()).collect();
    let labels: Vec<&str> =
        (0..rows).map(|i| if columns[0][i] * columns[1][i] > 0.0 { "same" } else { "differ" }).collect();
    table(columns, &labels)
}

/// Uniform columns and labels that have nothing to do with them.
fn noise(rows: usize, features: usize, seed: u64) -> Table {
    let mut rng = random::stream(seed, 2);
    let columns = (0..features).map(|_| (0..rows).map(|_| rng.random::<f64>()).collect()).collect();
    let labels: Vec<&str> = (0..rows).map(|i| if i % 3 == 0 { "a" } else { "b" }).collect();
    table(columns, &labels)
}

#[test]
fn the_features_that_matter_stay() {
    let drawn = TwoGaussians { features: 30, ..TwoGaussians::default() }.draw(1).unwrap();
    let got = PfcvmLp::of(KernelShape::Linear).select(&drawn.table.view(), &mut Context::default()).unwrap();
    let relevant = |i: u32| drawn.truth[i as usize] != 0.0;
    let wanted = (0..30).filter(|&i| relevant(i)).count();
    assert_eq!(got.selected.iter().filter(|&&i| relevant(i)).count(), wanted, "{:?}", got.selected);
    assert!(got.selected.len() <= wanted + 3, "{:?}", got.selected);
    let refitted =
        PfcvmLp { refit: Refit::Gp, ..PfcvmLp::default() }.select(&drawn.table.view(), &mut Context::default());
    assert!(
        refitted.unwrap_err().to_string().contains("it is for `Method::fit`"),
        "an option that selection has no use for"
    );
    let detail = &got.detail.machines[0];
    assert!(detail.features_left.windows(2).all(|w| w[1] <= w[0]), "features only drop out");
    assert_eq!(detail.theta.iter().filter(|t| **t > 0.0).count(), got.selected.len());
}

#[test]
fn a_model_reads_back_to_the_same_bits() {
    let table = three_classes(90, 6);
    for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
        let model = Method::from(PfcvmLp { average: Auto::Set(2), ..PfcvmLp::of(kernel) })
            .fit(&table.view(), &mut Context::default())
            .unwrap();
        let bytes = saved(&model);
        let again = Model::read(&bytes, "m.json").unwrap();
        assert!(again == model && saved(&again) == bytes);
        assert_eq!(again.predict(&table.view()).unwrap(), model.predict(&table.view()).unwrap());
        assert!(accuracy(&model, &table) > 0.9, "{kernel:?}: {}", accuracy(&model, &table));
        assert!(model.features().contains(&"f0") && model.features().contains(&"f1"), "{:?}", model.features());
    }
}

#[test]
fn damaged_models_are_refused() {
    let table = three_classes(60, 2);
    let model = PfcvmLp { starts: Auto::Set(1), ..PfcvmLp::of(KernelShape::Linear) };
    let bytes = saved(&Method::from(model).fit(&table.view(), &mut Context::default()).unwrap());
    let refused = |bytes: &[u8], says: &str| {
        let error = Model::read(bytes, "m.json").unwrap_err().to_string();
        assert!(error.contains("m.json") && error.contains(says), "{error}");
    };
    refused(&bytes[..bytes.len() / 2], "not a model");
    refused(b"{}", "not a model");
    let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let edited = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        edit(&mut json);
        serde_json::to_vec(&json).unwrap()
    };
    refused(&edited(&|j| j["format_version"] = 99.into()), "newer");
    refused(&edited(&|j| j["classifier"]["machines"][0][0]["w"] = serde_json::json!([1.0])), "size");
    refused(&edited(&|j| j["classifier"]["machines"][0][0]["theta"][0] = serde_json::Value::Null), "damaged");
    refused(&edited(&|j| j["classifier"]["machines"][0][0]["features"][0] = 999.into()), "does not name");
    refused(&edited(&|j| j["classifier"]["standardise"]["spreads"][0] = 0.0.into()), "spread");
    refused(&edited(&|j| j["classifier"]["machines"][1] = serde_json::json!([])), "no machine");
    for weights in [
        serde_json::json!([[1.0]]),
        serde_json::json!([[2.0], [1.0], [1.0]]),
        serde_json::json!([[1.0, 0.0], [1.0], [1.0]]),
    ] {
        refused(&edited(&|j| j["classifier"]["weights"] = weights.clone()), "weights");
    }
    refused(&edited(&|j| j["classes"] = serde_json::json!(["a"])), "classes");
}

/// Tables that are hard on arithmetic: an answer without NaN, or an error that says why.
#[test]
fn awkward_tables_end_with_numbers_or_an_error() {
    let labels = |n: usize| -> Vec<&str> { (0..n).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect() };
    let mut rng = random::stream(3, 0);
    let mut noise = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random::<f64>()).collect() };
    let informative: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
    let base = noise(40);
    let scaled = |by: f64| base.iter().zip(&informative).map(|(x, y)| (x + y) * by).collect::<Vec<f64>>();
    let twins: Vec<f64> = (0..40).map(|i| f64::from(i / 2)).collect(); // identical rows of opposite labels
    let mut gaps = informative.clone();
    gaps[3] = f64::NAN;
    let cases: Vec<(&str, Vec<Vec<f64>>, usize)> = vec![
        ("scales", vec![scaled(1e-12), scaled(1e12), scaled(1e200)], 40),
        ("copies", vec![informative.clone(), informative.clone(), informative.clone()], 40),
        ("twins", vec![twins], 40),
        ("one feature", vec![informative.clone()], 40),
        ("gaps", vec![gaps, noise(40)], 40),
        ("four rows", vec![noise(4), noise(4)], 4),
        ("wide", (0..60).map(|_| noise(6)).collect(), 6),
        ("noise", (0..3).map(|_| noise(40)).collect(), 40),
    ];
    for (name, columns, rows) in cases {
        let table = table(columns, &labels(rows));
        for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
            let method = Method::from(PfcvmLp::of(kernel));
            let model = method.fit(&table.view(), &mut Context::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
            accuracy(&model, &table); // probabilities are numbers that sum to one
            // either features are left, or a note says that there are none
            assert_eq!(model.features().is_empty(), knows_nothing(&model), "{name}: {:?}", model.notes);
            assert_eq!(model.notes.iter().any(|n| n.kind == NoteKind::MissingValues), name == "gaps", "{name}");
        }
    }
    let constant = table(vec![vec![1.0; 10]], &labels(10));
    let error =
        Method::from(PfcvmLp::default()).fit(&constant.view(), &mut Context::default()).unwrap_err().to_string();
    assert!(error.contains("no feature varies"), "{error}");
}

#[test]
fn the_seed_decides_which_rows_are_bases() {
    let drawn = TwoGaussians { features: 5, rows: 500 }.draw(1).unwrap();
    let fit = |seed: u64| {
        let method = PfcvmLp { starts: Auto::Set(1), ..PfcvmLp::of(KernelShape::Rbf) };
        saved(&Method::from(method).fit(&drawn.table.view(), &mut Context::seeded(seed)).unwrap())
    };
    assert!(fit(1) == fit(1) && fit(1) != fit(2));
}

/// A wide table that a kernel with all features at once cannot tell apart: a machine whose f is flat claims nothing.
#[test]
fn a_run_that_collapses_predicts_shares_and_claims_no_feature() {
    let table = noise(40, 400, 3);
    let strict = |kernel| PfcvmLp { strictness: Auto::Set(0.5), ..PfcvmLp::of(kernel) };
    let em = |kernel| Method::from_settings("pfcvm-em", [("kernel", kernel), ("kappa_theta", "1")]).unwrap();
    let mut nothing = 0;
    for method in [
        Method::from(strict(KernelShape::Rbf)),
        Method::from(strict(KernelShape::Poly)),
        Method::from(PfcvmLp::of(KernelShape::Rbf)),
        Method::from(PfcvmLp::default()),
        Method::from(PfcvmEm::default()),
        em("linear"),
        em("rbf"),
        em("poly"),
        Method::from(Ard::default()),
    ] {
        let (model, selection) = method.fit_selecting(&table.view(), &mut Context::default()).unwrap();
        let selection = selection.unwrap();
        let p = &model.predict(&table.view()).unwrap().probabilities[0];
        let spread = p.iter().fold(0.0, |most: f64, x| most.max((x - p[0]).abs()));
        let share = 14.0 / 40.0;
        if knows_nothing(&model) {
            nothing += 1;
            assert!(selection.selected.is_empty() && model.features().is_empty(), "{}", method.name());
            assert!(p.iter().all(|p| (p - share).abs() < 1e-12), "{p:?}");
            let again = Model::read(&saved(&model), "m.json").unwrap();
            assert_eq!(again.predict(&table.view()).unwrap().probabilities[0], *p);
        } else {
            assert!(spread > 1e-4, "{}: {spread}", method.name());
        }
    }
    assert!(nothing >= 1, "{nothing}");
}

#[test]
fn a_kernel_that_is_of_no_use_takes_no_part() {
    let table = xor(240, 8, 4);
    let method = Method::from(PfcvmLp::default());
    let (model, selection) = method.fit_selecting(&table.view(), &mut Context::default()).unwrap();
    let selection = selection.unwrap();
    let mut found = selection.selected.clone();
    found.sort_unstable();
    assert_eq!(found, [0, 1], "{:?}", selection.notes);
    assert!(
        model.notes.iter().any(|n| n.to_string().starts_with("`kernel = linear` is no better than")),
        "{:?}",
        model.notes
    );
    let kernels: Vec<&str> = selection.detail.machines.iter().map(|m| m.kernel.as_deref().unwrap()).collect();
    assert_eq!(kernels, ["linear", "rbf"], "both sets are reported");
    assert!(accuracy(&model, &xor(500, 8, 5)) > 0.85);
}

#[test]
fn a_curved_kernel_takes_part_only_as_far_as_it_helps() {
    let method = Method::from(PfcvmLp::default());
    let drawn = TwoGaussians { features: 6, rows: 120 }.draw(2).unwrap();
    let model = method.fit(&drawn.table.view(), &mut Context::default()).unwrap();
    assert!(model.notes.iter().any(|n| n.to_string().contains("`kernel = rbf` adds nothing")), "{:?}", model.notes);
    let tamis::catalogue::FittedClassifier::Machines(machines) = &model.classifier else { panic!("machines") };
    assert_eq!(machines.machines[0].len(), 3);
    assert!(machines.machines[0].iter().all(|m| m.kernel.shape == KernelShape::Linear) && machines.weights.is_empty());
    // the sign of a product decides, but a third feature moves it
    let drawn = |seed| {
        let base = xor(300, 5, seed);
        let columns: Vec<Vec<f64>> = base.columns().iter().map(|c| c.numbers().unwrap().to_vec()).collect();
        let f = |i: usize| columns[0][i] * columns[1][i] + 0.5 * columns[2][i];
        let labels: Vec<&str> = (0..300).map(|i| if f(i) > 0.0 { "up" } else { "down" }).collect();
        table(columns, &labels)
    };
    let model = method.fit(&drawn(31).view(), &mut Context::default()).unwrap();
    let tamis::catalogue::FittedClassifier::Machines(machines) = &model.classifier else { panic!("machines") };
    let of_rbf: f64 = match machines.weights.first() {
        Some(weights) => {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let each = machines.machines[0].iter().zip(weights);
            each.filter(|(m, _)| m.kernel.shape == KernelShape::Rbf).map(|(_, weight)| weight).sum()
        }
        None => 1.0,
    };
    assert!(of_rbf > 0.5, "{of_rbf}");
    assert!(accuracy(&model, &drawn(32)) > 0.85);
}

#[test]
fn an_xor_among_a_hundred_features_is_found_and_nothing_else() {
    let table = xor(250, 100, 8);
    let method = Method::from(PfcvmLp { starts: Auto::Set(3), ..PfcvmLp::default() });
    let (model, selection) = method.fit_selecting(&table.view(), &mut Context::default()).unwrap();
    let mut found = selection.unwrap().selected;
    found.sort_unstable();
    assert_eq!(found, [0, 1], "{:?}", model.notes);
    assert!(accuracy(&model, &xor(500, 100, 9)) > 0.85);
}

#[test]
fn noise_is_told_as_shares() {
    for seed in 0..2 {
        let table = noise(100, 8, seed);
        let model = Method::from(PfcvmLp::default()).fit(&table.view(), &mut Context::default()).unwrap();
        assert_eq!(model.features().is_empty(), knows_nothing(&model));
        let other = noise(100, 8, 100 + seed);
        let p = model.predict(&other.view()).unwrap().probabilities;
        assert!(p[0].iter().all(|p| (0.05..0.95).contains(p)), "{seed}: noise is not foretold with certainty");
    }
}

/// Log loss on other rows.
fn loss(model: &Model, table: &Table) -> f64 {
    let p = model.predict(&table.view()).unwrap().probabilities;
    let of = |row: usize| -p[table.target().code(row).unwrap()][row].max(1e-15).ln();
    (0..table.n_rows()).map(of).sum::<f64>() / table.n_rows() as f64
}

#[test]
fn a_gaussian_process_keeps_the_features_and_learns_what_the_machine_learned() {
    let (train, test) = (xor(200, 6, 6), xor(1000, 6, 7));
    let fit = |refit| {
        let method = PfcvmLp { refit, ..PfcvmLp::of(KernelShape::Rbf) };
        Method::from(method).fit(&train.view(), &mut Context::default()).unwrap()
    };
    let (sparse, process) = (fit(Refit::None), fit(Refit::Gp));
    assert_eq!(sparse.features(), process.features());
    assert!(process.predict(&test.view()).unwrap() != sparse.predict(&test.view()).unwrap());
    assert!(loss(&process, &test) < 0.25, "{} {}", loss(&process, &test), loss(&sparse, &test));
    let again = Model::read(&saved(&process), "m.json").unwrap();
    assert_eq!(again.predict(&test.view()).unwrap(), process.predict(&test.view()).unwrap());
}

/// Many features that each say a little: a machine keeps some, a process on all of them knows more.
#[test]
fn a_process_on_all_features_helps_where_all_say_a_little() {
    let drawn = |rows: usize, seed: u64| {
        let base = noise(rows, 20, seed);
        let columns: Vec<Vec<f64>> = base.columns().iter().map(|c| c.numbers().unwrap().to_vec()).collect();
        let f = |i: usize| columns.iter().map(|c| c[i] - 0.5).sum::<f64>();
        let labels: Vec<&str> = (0..rows).map(|i| if f(i) > 0.0 { "up" } else { "down" }).collect();
        table(columns, &labels)
    };
    let (train, test) = (drawn(150, 41), drawn(1000, 42));
    let fit = |refit| {
        let method = Method::from(PfcvmLp { refit, ..PfcvmLp::default() });
        method.fit_selecting(&train.view(), &mut Context::default()).unwrap()
    };
    let ((sparse, _), (process, selection)) = (fit(Refit::None), fit(Refit::Gp));
    assert!(loss(&process, &test) < loss(&sparse, &test), "{} {}", loss(&process, &test), loss(&sparse, &test));
    assert_eq!(process.features().len(), 20, "it uses all");
    assert!(!selection.unwrap().selected.is_empty(), "the machines' features stay selected");
    let again = Model::read(&saved(&process), "m.json").unwrap();
    assert_eq!(again.predict(&test.view()).unwrap(), process.predict(&test.view()).unwrap());
}

#[test]
fn ard_finds_what_a_linear_machine_finds() {
    let drawn = TwoGaussians { features: 30, rows: 400 }.draw(5).unwrap();
    let view = drawn.table.view();
    let ard = Ard::default().select(&view, &mut Context::default()).unwrap();
    assert!(ard.selected.contains(&0) && ard.selected.contains(&1) && ard.selected.len() <= 5, "{:?}", ard.selected);
    let other = TwoGaussians { features: 30, rows: 2000 }.draw(6).unwrap();
    let fit = |method: Method| method.fit(&view, &mut Context::default()).unwrap();
    let (mine, linear) = (fit(Ard::default().into()), fit(PfcvmLp::of(KernelShape::Linear).into()));
    let apart = loss(&mine, &other.table) - loss(&linear, &other.table);
    assert!(apart.abs() < 0.03, "{apart}");
    let three = three_classes(90, 6);
    let model = Method::from(Ard::default()).fit(&three.view(), &mut Context::default()).unwrap();
    assert!(accuracy(&model, &three) > 0.85 && model.features().contains(&"f0"));
}

#[test]
fn ard_takes_weights_as_repeated_rows() {
    let drawn = TwoGaussians { features: 6, rows: 60 }.draw(7).unwrap();
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    let weights = RowWeights::new(weights, WeightKind::Frequency).unwrap();
    let view = drawn.table.view();
    let weighted = view.with_weights(&weights).unwrap();
    let rows: Vec<u32> = (0..60_u32).flat_map(|i| vec![i; (i % 3) as usize]).collect();
    let method = Method::from(Ard { tol: 1e-9, ..Ard::default() });
    let by_weight = method.fit(&weighted, &mut Context::default()).unwrap();
    let columns = drawn.table.columns().iter().map(|c| {
        let values = c.numbers().unwrap();
        rows.iter().map(|&r| values[r as usize]).collect::<Vec<f64>>()
    });
    let labels: Vec<String> = rows.iter().map(|&r| drawn.table.target().text(r as usize).to_string()).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(l.as_str())).collect();
    let repeated = Table::new(drawn.table.names().to_vec(), columns.collect(), "y", Target::classes(&labels)).unwrap();
    let by_rows = method.fit(&repeated.view(), &mut Context::default()).unwrap();
    assert_eq!(by_weight.features(), by_rows.features());
}
