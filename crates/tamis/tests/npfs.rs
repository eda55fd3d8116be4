//! NPFS: critical values, decisions, lanes and calibration.

use crate::common::{fixture, numbers, third_party_fixture};
use rand::RngExt;
use serde_json::Value;
use tamis::base::parameter::Auto;
use tamis::codes::{CodedTable, Discretise};
use tamis::filter::{fisher, trace_ratio};
use tamis::information::{Criterion, rank};
use tamis::npfs::count_significance::{Adjust, adjusted, binomial_tail, critical_value, mean_kuncheva, settled_after};
use tamis::npfs::{Npfs, NullModel, choose, decide_matrix};
use tamis::numeric::random;
use tamis::table::{RowWeights, Target, WeightKind};
use tamis::{Context, Method, NoteKind, Selector, Table};

fn digits(text: &Value) -> Vec<u8> {
    text.as_str().unwrap().bytes().map(|c| c - b'0').collect()
}

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs().max(1e-300)
}

#[test]
fn critical_values_and_tails() {
    let fixture = fixture("oracle/information/08_critical_values.json");
    for row in fixture["rows"].as_array().unwrap() {
        let row: Vec<f64> = numbers(row);
        let (n, p, alpha, zeta) = (row[0] as u64, row[1], row[2], row[3] as u64);
        assert_eq!(critical_value(n, p, alpha), zeta, "{row:?}");
        assert!(close(binomial_tail(n, p, zeta + 1), row[4], 1e-9), "{row:?} {}", binomial_tail(n, p, zeta + 1));
        assert!(close(binomial_tail(n, p, zeta), row[5], 1e-9), "{row:?} {}", binomial_tail(n, p, zeta));
    }
}

/// A matrix of the fixture as a table: a row per run.
fn matrix_table(rows: &[Vec<u8>]) -> Table {
    let columns: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|c| f64::from(*c)).collect()).collect();
    let names = (0..rows.len()).map(|j| format!("f{j}")).collect();
    let runs = rows[0].len();
    Table::new(names, columns, "run", Target::Real { values: (0..runs).map(|i| i as f64).collect() }).unwrap()
}

#[test]
fn decisions_from_a_ready_matrix() {
    let fixture = fixture("oracle/information/09_npfs_decision.json");
    let rows: Vec<Vec<u8>> = fixture["S"].as_array().unwrap().iter().map(digits).collect();
    let table = matrix_table(&rows);
    for case in fixture["cases"].as_array().unwrap() {
        let (alpha, beta) = (case["alpha"].as_f64().unwrap(), case["beta"].as_f64().unwrap());
        let test = Npfs { null: NullModel::Binomial, alpha: Auto::Set(alpha), beta, ..Npfs::default() };
        let got = decide_matrix(&test, &table).unwrap();
        let detail = got.detail.npfs.as_ref().unwrap();
        assert_eq!(detail.critical_value, case["zeta"].as_u64(), "{case}");
        let mut selected: Vec<u64> = got.selected.iter().map(|i| u64::from(*i)).collect();
        selected.sort_unstable();
        let expected: Vec<u64> = case["selected"].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
        assert_eq!(selected, expected, "{case}");
        let z: Vec<u32> = fixture["z"].as_array().unwrap().iter().map(|z| z.as_u64().unwrap() as u32).collect();
        assert_eq!(detail.counts, z);
        if beta == 0.0 {
            for (a, b) in detail.p_values.iter().zip(numbers(&fixture["pvalues"])) {
                assert!(close(*a, b, 1e-9), "{a} {b}");
            }
            assert!(detail.kuncheva > 0.0 && detail.kuncheva <= 1.0);
        }
    }
    let p = numbers(&fixture["pvalues"]);
    for (how, key) in [(Adjust::Bh, "adj_bh"), (Adjust::Holm, "adj_holm")] {
        for (a, b) in adjusted(&p, how).iter().zip(numbers(&fixture[key])) {
            assert!(close(*a, b, 1e-9), "{key}: {a} {b}");
        }
    }
    let chosen: Vec<Vec<u32>> =
        (0..100).map(|b| (0..rows.len() as u32).filter(|&i| rows[i as usize][b] == 1).collect()).collect();
    let critical = critical_value(100, 0.4, 0.01);
    let stop = settled_after(&chosen, rows.len(), critical, 100).unwrap() as u64;
    assert_eq!(stop, fixture["curtailed_alpha_.01"]["stop_after"].as_u64().unwrap());
}

#[test]
fn from_bootstrap_weights_to_decisions() {
    let fixture = fixture("oracle/information/10_npfs_end_to_end.json");
    let rows: Vec<Vec<u8>> = fixture["X"].as_array().unwrap().iter().map(digits).collect();
    let columns: Vec<Vec<u8>> = (0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect();
    let codes = CodedTable::from_columns(&columns, digits(&fixture["y"]));
    let weights: Vec<Vec<u32>> =
        fixture["W"].as_array().unwrap().iter().map(|w| digits(w).into_iter().map(u32::from).collect()).collect();
    let k = fixture["k"].as_u64().unwrap() as usize;
    for (label, criterion) in [
        ("jmi", Criterion::Jmi),
        ("mid", Criterion::MrmrDifference),
        ("mim", Criterion::Mim),
        ("cmim", Criterion::Cmim),
        ("disr", Criterion::Disr),
    ] {
        let expected = &fixture["methods"][label];
        let chosen = choose(&codes, criterion, k, &weights, std::slice::from_ref(&codes.target)).unwrap();
        let matrix: Vec<Vec<u8>> = expected["S"].as_array().unwrap().iter().map(digits).collect();
        for (b, some) in chosen.iter().enumerate() {
            let mut some = some.clone();
            some.sort_unstable();
            let wanted: Vec<u32> = (0..matrix.len() as u32).filter(|&i| matrix[i as usize][b] == 1).collect();
            assert_eq!(some, wanted, "{label}, bootstrap {b}");
        }
        let zeta = critical_value(weights.len() as u64, k as f64 / columns.len() as f64, 0.01);
        assert_eq!(zeta, expected["zeta"].as_u64().unwrap());
    }
}

/// However lanes are counted, every one chooses what it would choose alone.
#[test]
fn lanes_choose_what_they_would_alone() {
    let mut rng = random::stream(5, 0);
    for (rows, classes, levels) in
        [(60, 2, 4), (62, 2, 2), (50, 2, 5), (200, 2, 10), (150, 3, 5), (90, 5, 3), (300, 2, 4)]
    {
        let columns: Vec<Vec<u8>> = (0..40).map(|_| (0..rows).map(|_| rng.random_range(0..levels)).collect()).collect();
        let target: Vec<u8> = (0..rows)
            .map(|i| if rng.random::<f64>() < 0.3 { columns[2][i] % classes } else { rng.random_range(0..classes) })
            .collect();
        let codes = CodedTable::from_columns(&columns, target.clone());
        let weights: Vec<Vec<u32>> =
            (0..45).map(|b| tamis::resample::bootstrap_and_half_samples::bootstrap(9, b, rows, None)).collect();
        let mut targets = vec![target.clone()];
        for r in 0..3 {
            let order = tamis::resample::bootstrap_and_half_samples::permutation(9, r, rows);
            targets.push(order.iter().map(|&i| target[i as usize]).collect());
        }
        for criterion in [
            Criterion::Mim,
            Criterion::Jmi,
            Criterion::Jmim,
            Criterion::Cmim,
            Criterion::Disr,
            Criterion::MrmrDifference,
            Criterion::MrmrQuotient,
        ] {
            let chosen = choose(&codes, criterion, 5, &weights, &targets).unwrap();
            for (at, some) in chosen.iter().enumerate() {
                let mut alone = CodedTable::from_columns(&columns, targets[at % 4].clone());
                alone.classes = codes.classes;
                let weights: Vec<f64> = weights[at / 4].iter().map(|w| f64::from(*w)).collect();
                let got = rank(&alone, Some(&weights), criterion, 5, &[], &mut Context::default()).unwrap();
                let got: Vec<u32> = got.order.iter().map(|i| *i as u32).collect();
                assert_eq!(*some, got, "{criterion:?}, lane {at}, {rows} rows, {classes} classes");
            }
        }
    }
}

fn uniform(rows: usize, features: usize, relevant: usize, seed: u64) -> Table {
    tamis::simulate::UniformSum { rows, features, relevant }.draw(seed).unwrap().table
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let table = uniform(300, 20, 4, 1);
    let run = |threads: usize, seed: u64, base: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let set = [("base", base), ("bootstraps", "40"), ("matrix", "true"), ("permutations", "4")];
        let method = Method::from_settings("npfs", set).unwrap();
        pool.install(|| method.select(&table.view(), &mut Context::seeded(seed)).unwrap().detail.npfs.unwrap())
    };
    for base in ["jmi", "mrmr", "fisher", "snbl"] {
        assert!(run(1, 0, base) == run(2, 0, base), "{base}");
        assert!(run(2, 0, base).matrix != run(2, 1, base).matrix, "{base}");
    }
}

#[test]
fn an_early_stop_changes_no_decision() {
    for seed in 0..5 {
        let table = uniform(300, 40, 4, seed);
        let decide = |early: &str| {
            let set = [("null", "binomial"), ("k", "6"), ("early_stop", early)];
            Method::from_settings("npfs", set).unwrap().select(&table.view(), &mut Context::seeded(seed)).unwrap()
        };
        let (whole, early) = (decide("false"), decide("true"));
        let set = |s: &tamis::Selection| s.mask();
        assert_eq!(set(&whole), set(&early));
        let n = early.detail.npfs.as_ref().unwrap().bootstraps;
        assert_eq!(n < 100, early.notes.iter().any(|note| note.kind == NoteKind::EarlyStop));
        let chosen: Vec<Vec<u32>> = vec![];
        assert!(settled_after(&chosen, 3, 1, 10).is_none());
    }
}

/// The decision after all permutations, from the counts of all of them.
#[test]
fn permutations_that_stop_change_no_decision() {
    let (mut stopped, mut went_on) = (0, 0);
    for seed in 0..6 {
        let relevant = if seed < 3 { 0 } else { 3 };
        let drawn = tamis::simulate::TwoGroups { rows: 80, features: 30, relevant, effect: (1.5, 1.5) }.draw(seed);
        let table = drawn.unwrap().table;
        let (chosen, null): (Vec<Vec<u32>>, Vec<Vec<u32>>) = {
            let codes = CodedTable::learn(&table.view(), Discretise::Frequency, 5, &mut Context::default()).unwrap();
            let npfs = Npfs { bootstraps: 30, ..Npfs::default() };
            let runs = npfs.run_some(&codes, 30, 0..30, &mut Context::seeded(seed)).unwrap();
            (runs.chosen, runs.null)
        };
        let method = Method::from_settings("npfs", [("bootstraps", "30")]).unwrap();
        let got = method.select(&table.view(), &mut Context::seeded(seed)).unwrap();
        let detail = got.detail.npfs.as_ref().unwrap();
        let mut counts = vec![0; 30];
        chosen.iter().flatten().for_each(|&i| counts[i as usize] += 1);
        assert_eq!(detail.counts, counts);
        let looked_at = detail.null_counts.iter().sum::<u64>() / 30;
        let early = got.notes.iter().any(|note| note.kind == NoteKind::EarlyStop);
        assert_eq!(early, looked_at < 20, "{looked_at} of {}", null.len());
        if early {
            stopped += 1;
            assert!(got.selected.is_empty());
        } else {
            went_on += 1;
        }
    }
    assert!(stopped > 0 && went_on > 0, "{stopped} {went_on}");
}

#[test]
fn a_base_can_choose_its_own_number() {
    let table = uniform(150, 20, 3, 2);
    let set = [("k", "own"), ("bootstraps", "10"), ("permutations", "20")];
    let got = Method::from_settings("npfs", set).unwrap().select(&table.view(), &mut Context::default()).unwrap();
    let detail = got.detail.npfs.as_ref().unwrap();
    assert!(detail.mean_chosen > 0.5 && detail.mean_chosen < 8.0, "{}", detail.mean_chosen);
    assert!(detail.counts[..3].iter().sum::<u32>() > detail.counts[3..].iter().sum::<u32>(), "{:?}", detail.counts);
    assert_eq!(got.method.parameters["k"], "own");
    let error = Method::from_settings("npfs", [("k", "own"), ("base", "mrmr")]).unwrap_err().to_string();
    assert!(error.contains("jmi") && error.contains("cmim"), "{error}");
}

#[test]
fn a_test_that_cannot_reject_says_so() {
    let table = uniform(100, 25, 5, 0);
    let set = [("null", "binomial"), ("k", "24")];
    let got = Method::from_settings("npfs", set).unwrap().select(&table.view(), &mut Context::default()).unwrap();
    assert!(got.selected.is_empty());
    assert!(got.notes.iter().any(|n| n.kind == NoteKind::CannotReject), "{:?}", got.notes);
    let set = [("permutations", "1"), ("alpha", "0.001"), ("k", "3")];
    let got = Method::from_settings("npfs", set).unwrap().select(&table.view(), &mut Context::default()).unwrap();
    assert!(got.notes.iter().any(|n| n.kind == NoteKind::CannotReject), "{:?}", got.notes);
}

#[test]
fn kuncheva_by_pairs() {
    let sets: [&[u32]; 4] = [&[0, 1, 2], &[0, 1, 3], &[4, 5, 6], &[0, 2, 6]];
    let mut counts = [0; 8];
    sets.iter().copied().flatten().for_each(|&i| counts[i as usize] += 1);
    let mut sum = 0.0;
    for a in 0..4 {
        for b in 0..a {
            let r = sets[a].iter().filter(|i| sets[b].contains(i)).count() as f64;
            sum += (r * 8.0 - 9.0) / (3.0 * 5.0);
        }
    }
    assert!((mean_kuncheva(&counts, &[3; 4]) - sum / 6.0).abs() < 1e-12);
}

#[test]
#[ignore = "needs the tables of others in ../shared/oracle"]
fn fisher_trace_ratio_and_l21_meet_the_fixture() {
    let fixture = third_party_fixture("information/12_fisher_trc_fsnm.json");
    let scatter: Vec<tamis::filter::Scatter> = numbers(&fixture["between"])
        .into_iter()
        .zip(numbers(&fixture["within"]))
        .map(|(between, within)| tamis::filter::Scatter { between, within })
        .collect();
    let rows: Vec<Vec<f64>> = fixture["X"].as_array().unwrap().iter().map(numbers).collect();
    let columns: Vec<Vec<f64>> = (0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect();
    let labels: Vec<String> = fixture["y"].as_array().unwrap().iter().map(Value::to_string).collect();
    let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(l.as_str())).collect();
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let table = Table::new(names, columns, "y", Target::classes(&labels)).unwrap();
    let select = |name: &str, k: &str| {
        Method::from_settings(name, [("k", k)]).unwrap().select(&table.view(), &mut Context::default()).unwrap()
    };
    for (a, b) in select("fisher", "3").scores.iter().zip(numbers(&fixture["fisher"])) {
        assert!(close(*a, b, 1e-10), "{a} {b}");
    }
    assert_eq!(fisher(&scatter).len(), 13);
    for (k, expected) in fixture["trace_ratio"].as_object().unwrap() {
        let wanted: Vec<u64> = expected["set"].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
        let mut got: Vec<u64> = select("trace-ratio", k).selected.iter().map(|i| u64::from(*i)).collect();
        got.sort_unstable();
        assert_eq!(got, wanted, "{k}");
        let (_, ratio) = trace_ratio(&scatter, k.parse().unwrap());
        assert!(close(ratio, expected["ratio"].as_f64().unwrap(), 1e-10));
    }
    let set = [("k", "3"), ("tol", "1e-13"), ("gamma", "1")];
    let got = Method::from_settings("l21", set).unwrap().select(&table.view(), &mut Context::default()).unwrap();
    for (a, b) in got.scores.iter().zip(numbers(&fixture["fsnm_gamma1"])) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
    println!("l21: {} iterations", got.iterations);
}

/// Whatever k is, what is named has been chosen, and stands above what is not.
#[test]
fn named_features_rank_first_and_were_chosen() {
    let table = uniform(1000, 20, 4, 3);
    for (k, null) in [("3", "permutation"), ("2", "permutation"), ("10", "permutation"), ("2", "binomial")] {
        let method = Method::from_settings("npfs", [("k", k), ("null", null)]).unwrap();
        let got = method.select(&table.view(), &mut Context::default()).unwrap();
        let detail = got.detail.npfs.as_ref().unwrap();
        let n = got.selected.len() as u32;
        assert!(n > 0, "k = {k}, {null}");
        assert!(got.selected.iter().all(|&i| got.ranks[i as usize] <= n && detail.counts[i as usize] > 0));
        assert_eq!(detail.critical_value.is_some(), null == "binomial");
    }
}

#[test]
fn large_weights_end_and_a_class_without_weight_is_refused() {
    let table = uniform(60, 6, 2, 0);
    let weights: Vec<f64> = (0..60).map(|i| 1e12 * f64::from(1 + i % 3)).collect();
    let importance = |weights| RowWeights::new(weights, WeightKind::Importance).unwrap();
    let weighted = table.clone().with_weights(importance(weights)).unwrap();
    for method in ["npfs", "jmi"] {
        let method = Method::from_settings(method, [("k", "2")]).unwrap();
        assert!(method.select(&weighted.view(), &mut Context::default()).is_ok());
    }
    let Target::Classes { codes, .. } = table.target() else { panic!("classes") };
    let none: Vec<f64> = codes.iter().map(|c| f64::from(*c)).collect();
    assert!(table.with_weights(importance(none)).unwrap_err().to_string().contains("class `0` has 0 samples"));
}

#[test]
fn filters_do_not_depend_on_the_common_scale() {
    let table = uniform(120, 9, 3, 5);
    for name in ["trace-ratio", "l21", "fisher", "f", "t"] {
        let method = Method::from_settings(name, [("k", "4")]).unwrap();
        let expected = method.select(&table.view(), &mut Context::default()).unwrap().selected;
        for scale in [1e160, 1e-160, 1e299] {
            let columns: Vec<Vec<f64>> =
                table.columns().iter().map(|c| c.numbers().unwrap().iter().map(|x| x * scale).collect()).collect();
            let scaled = Table::new(table.names().to_vec(), columns, "label", table.target().clone()).unwrap();
            assert_eq!(
                method.select(&scaled.view(), &mut Context::default()).unwrap().selected,
                expected,
                "{name} × {scale:e}"
            );
        }
    }
}

/// Two columns that tell the classes apart, some noise, and one whose two levels are equally common in both classes,
/// so that χ² is 0 and its score is far below zero.
fn with_a_useless_category() -> Table {
    use tamis::table::{Categories, Column};
    let rows = 400;
    let mut rng = random::stream(11, 0);
    let labels: Vec<Option<&str>> = (0..rows).map(|i| Some(if i % 2 == 0 { "a" } else { "b" })).collect();
    let mut noise = |shift: f64| -> Column {
        let values = (0..rows).map(|i| rng.random::<f64>() + if i % 2 == 0 { 0.0 } else { shift });
        Column::Numbers(values.collect())
    };
    let mut columns = vec![noise(0.3), noise(-0.2)];
    columns.extend((0..10).map(|_| noise(0.0)));
    columns.push(Categories::of((0..rows).map(|i| Some(["u", "v"][i / 2 % 2]))).into());
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", Target::classes(&labels)).unwrap()
}

#[test]
fn a_category_unrelated_to_the_classes_ranks_last_and_explains_nothing() {
    let table = with_a_useless_category();
    let useless = table.names().len() - 1;
    for name in ["t", "f"] {
        let method = Method::from_settings(name, [("k", "2")]).unwrap();
        let got = method.select(&table.view(), &mut Context::default()).unwrap();
        assert!(got.scores[useless] < -30.0, "{}", got.scores[useless]);
        assert_eq!(got.selected, [0, 1], "{name}");
        assert_eq!(got.ranks[useless] as usize, useless + 1, "{name}");
    }
    for base in ["t", "f", "snbl"] {
        let set = [("base", base), ("bootstraps", "20")];
        let got = Method::from_settings("npfs", set).unwrap().select(&table.view(), &mut Context::default()).unwrap();
        let detail = got.detail.npfs.as_ref().unwrap();
        assert_eq!(detail.explained[useless], 0.0, "{base}");
        assert!(detail.explained[0] > 0.1 && got.selected.starts_with(&[0]), "{base}");
        assert!(got.ranks[useless] > got.ranks[1] && !got.selected.contains(&(useless as u32)), "{base}");
    }
    // runs from elsewhere: the category is chosen as often as the signal, and still explains nothing
    let npfs = Npfs { bootstraps: 20, permutations: Auto::Set(20), ..Npfs::default() };
    let null = vec![vec![1; table.names().len()]; 20];
    let chosen = vec![vec![useless as u32, 0]; 20];
    let got = npfs.decide_runs(&table.view(), chosen, null, &mut Context::default()).unwrap();
    assert_eq!(got.detail.npfs.unwrap().explained[useless], 0.0);
    assert_eq!((got.ranks[0], got.ranks[useless]), (1, 2));
}

#[test]
fn a_kept_feature_stands_at_its_rank_among_the_selected() {
    let mut rng = random::stream(2, 0);
    let mut text = String::from("kept,s1,s2,s3,n1,n2,n3,n4,n5,n6,n7,n8,y\n");
    for i in 0..300 {
        let y = i % 2;
        let mut cells: Vec<String> = (0..12).map(|_| rng.random::<f64>().to_string()).collect();
        for (j, cell) in cells.iter_mut().enumerate().take(4).skip(1) {
            *cell = (rng.random::<f64>() + y as f64 * 0.2 * j as f64).to_string();
        }
        text += &format!("{},{}\n", cells.join(","), ["no", "yes"][y]);
    }
    let mut options = tamis::table::ReadOptions::target("y");
    // the first of the two is selected anyway, the other only because it was asked for
    options.keep = vec!["s1".into(), "kept".into(), "n4".into()];
    let input = tamis::table::Input::from_reader(std::io::Cursor::new(text.into_bytes()), "memory");
    let table = tamis::table::read(input, &options, &mut tamis::Silent).unwrap();
    let settings: [(&str, &[(&str, &str)]); 5] = [
        ("npfs", &[("bootstraps", "20"), ("k", "3")]),
        ("npfs", &[("bootstraps", "20"), ("base", "t"), ("k", "3"), ("null", "binomial")]),
        ("npfs", &[("bootstraps", "20"), ("base", "snbl"), ("null", "stability")]),
        ("snbl", &[]),
        ("t", &[("k", "3")]),
    ];
    for (name, set) in settings {
        let method = Method::from_settings(name, set.iter().copied()).unwrap();
        let got = method.select(&table.view(), &mut Context::default()).unwrap();
        assert!(got.selected.contains(&0) && got.selected.contains(&1), "{name} {set:?}: {:?}", got.selected);
        let ranks: Vec<u32> = got.selected.iter().map(|&i| got.ranks[i as usize]).collect();
        assert!(ranks.is_sorted(), "{name} {set:?}: {ranks:?}");
    }
    let snbl = tamis::Snbl::default();
    let selected = snbl.select(&table.view(), &mut Context::default()).unwrap().selected;
    assert_eq!(snbl.choose(&table.view(), &mut Context::default()).unwrap(), selected);
}

#[test]
fn a_base_that_is_a_matrix_is_refused_by_its_own_name() {
    let message = |error: tamis::Error| error.to_string();
    let refused = message(Method::from_settings("npfs", [("base", "matrix")]).unwrap_err());
    assert!(refused.contains("`base`") && !refused.contains("`null`"), "{refused}");
    let refused = message(tamis::npfs::matrix_test(&[("null", "permutation")]).unwrap_err());
    assert!(refused.contains("`null`"), "{refused}");
}
