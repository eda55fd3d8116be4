//! Measures against scipy, scikit-learn and slow formulas (see fixtures/measures.py), and properties they must have.

use crate::common::{fixture, numbers};
use proptest::prelude::*;
use serde_json::Value;
use tamis::evaluate::{self, Better, Confusion, stability as stability_room};
use tamis::numeric::special;

const TOLERANCE: f64 = 1e-11;

#[track_caller]
fn close(got: f64, want: f64, what: &str) {
    let error = (got - want).abs() / want.abs().max(1.0);
    assert!(error <= TOLERANCE, "{what}: {got} for {want}, off by {error:.1e}");
}

/// Small numbers too, to a relative precision.
#[track_caller]
fn relative(got: f64, want: f64, tolerance: f64, what: &str) {
    let error = (got - want).abs() / want.abs();
    assert!(error <= tolerance || got == want, "{what}: {got} for {want}, off by {error:.1e}");
}

#[track_caller]
fn all_close(got: &[f64], want: &Value, what: &str) {
    let want = numbers(want);
    assert_eq!(got.len(), want.len(), "{what}");
    got.iter().zip(want).for_each(|(g, w)| close(*g, w, what));
}

fn cases(name: &str) -> Vec<Value> {
    let cases = fixture("measures.json")[name].as_array().unwrap().clone();
    assert!(cases.len() >= 3, "{name}");
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn integers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect()
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

#[test]
fn tails_and_quantiles_are_scipys() {
    let tails = &fixture("measures.json")["tails"];
    let check = |name: &str, f: &dyn Fn(&[f64]) -> f64| {
        let rows = table(&tails[name]);
        assert!(rows.len() > 5);
        for row in rows {
            let (arguments, want) = row.split_at(row.len() - 1);
            relative(f(arguments), want[0], 1e-10, &format!("{name} {arguments:?}"));
        }
    };
    check("t_two_sided", &|x| special::t_two_sided(x[0], x[1]));
    check("f_upper", &|x| special::f_upper(x[0], x[1], x[2]));
    check("chi2_upper", &|x| special::chi2_upper(x[0], x[1]));
    check("normal_quantile", &|x| special::normal_quantile(x[0]));
    check("t_quantile", &|x| special::t_quantile(x[0], x[1]));
}

#[test]
fn the_studentised_range_is_its_integral() {
    for row in cases("studentised_range") {
        let row = numbers(&row);
        close(special::studentised_range_upper(row[0], row[1] as u32), row[2], &format!("{row:?}"));
    }
    // two means: the range is |Z|√2, also far out where 1 − P would be 0
    for q in [0.5, 3.0, 10.0, 20.0, 40.0] {
        let want = special::normal_two_sided(q * std::f64::consts::FRAC_1_SQRT_2);
        relative(special::studentised_range_upper(q, 2), want, 1e-10, &format!("q = {q}"));
    }
}

#[test]
fn critical_values_are_those_of_the_tables() {
    let critical = &fixture("measures.json")["critical"];
    // the printed Nemenyi values were rounded before they were divided by √2
    for row in table(&critical["nemenyi"]) {
        let q = evaluate::nemenyi(row[0] as usize, 10, row[1]).unwrap().q;
        assert!((q - row[2]).abs() < 8e-4, "{row:?}: {q}");
    }
    for row in table(&critical["bonferroni_dunn"]) {
        let q = evaluate::bonferroni_dunn(row[0] as usize, 10, row[1]).unwrap().q;
        assert!((q - row[2]).abs() < 5e-4, "{row:?}: {q}");
    }
    for row in table(&critical["scipy"]) {
        let q = special::studentised_range_quantile(row[1], row[0] as u32);
        relative(q, row[2], 1e-8, &format!("scipy {row:?}"));
    }
}

#[test]
fn roc_is_scikit_learns_and_its_variance_is_delongs() {
    for case in cases("roc") {
        let scores = numbers(&case["scores"]);
        let positive: Vec<bool> = case["positive"].as_array().unwrap().iter().map(|b| b.as_bool().unwrap()).collect();
        let auc = evaluate::auc_with_interval(&scores, &positive).unwrap();
        close(auc.auc, number(&case["auc"]), "auc");
        assert_eq!(auc.auc, evaluate::auc(&scores, &positive).unwrap());
        relative(auc.variance.unwrap(), number(&case["variance"]), 1e-10, "variance");
        all_close(&auc.interval_95, &case["interval_95"], "interval");
        let points = evaluate::roc_points(&scores, &positive).unwrap();
        let of = |f: fn(&evaluate::RocPoint) -> f64| points.iter().map(f).collect::<Vec<_>>();
        all_close(&of(|p| p.false_positive_rate), &case["fpr"], "fpr");
        all_close(&of(|p| p.true_positive_rate), &case["tpr"], "tpr");
        assert_eq!(points[0].threshold, None);
        let thresholds = numbers(&case["thresholds"]);
        points.iter().zip(thresholds).skip(1).for_each(|(p, t)| close(p.threshold.unwrap(), t, "threshold"));
    }
}

#[test]
fn agreement_and_probabilities_are_scikit_learns() {
    for case in cases("classes") {
        let (truth, probabilities) = (integers(&case["truth"]), table(&case["probabilities"]));
        let predicted: Vec<usize> = integers(&case["predicted"]).into_iter().map(|p| p as usize).collect();
        let confusion = Confusion::of(probabilities.len(), &truth, &predicted).unwrap();
        assert_eq!(serde_json::to_value(&confusion.counts).unwrap(), case["confusion"]);
        close(confusion.error_rate().unwrap(), number(&case["error"]), "error");
        all_close(&confusion.error_95().unwrap(), &case["error_95"], "error interval");
        close(confusion.balanced_error().unwrap(), number(&case["balanced_error"]), "balanced error");
        let kappa = confusion.kappa().unwrap();
        close(kappa.kappa, number(&case["kappa"]), "kappa");
        relative(kappa.variance, number(&case["kappa_variance"]), 1e-10, "variance of kappa");
        all_close(&kappa.interval_95, &case["kappa_95"], "interval of kappa");
        close(evaluate::brier(&probabilities, &truth).unwrap(), number(&case["brier"]), "Brier");
        close(evaluate::log_loss(&probabilities, &truth).unwrap(), number(&case["log_loss"]), "log loss");
        close(evaluate::auc_of_classes(&probabilities, &truth).unwrap(), number(&case["auc"]), "Hand and Till");
        let curves = evaluate::calibration_of_classes(&probabilities, &truth, 7).unwrap();
        for (curve, want) in curves.iter().zip(case["calibration"].as_array().unwrap()) {
            all_close(&curve.iter().map(|b| b.observed).collect::<Vec<_>>(), &want["observed"], "observed");
            let mean: Vec<f64> = curve.iter().map(|b| b.mean_predicted).collect();
            all_close(&mean, &want["mean_predicted"], "mean predicted");
            assert_eq!(curve.iter().map(|b| b.count).sum::<u64>(), truth.len() as u64);
        }
    }
}

#[test]
fn stability_by_counts_is_the_mean_over_pairs() {
    for case in cases("stability") {
        let runs: Vec<Vec<u32>> = case["runs"].as_array().unwrap().iter().map(integers).collect();
        let s = evaluate::stability(&runs, case["features"].as_u64().unwrap() as usize).unwrap();
        let same_size = runs.iter().all(|run| run.len() == runs[0].len());
        assert_eq!(s.kuncheva.is_some(), same_size);
        s.kuncheva.into_iter().for_each(|index| close(index, number(&case["kuncheva"]), "Kuncheva"));
        close(s.jaccard, number(&case["jaccard"]), "Jaccard");
        close(s.pearson, number(&case["pearson"]), "Pearson");
        close(s.nogueira.stability, number(&case["nogueira"]), "Nogueira");
        relative(s.nogueira.variance, number(&case["nogueira_variance"]), 1e-10, "Nogueira's variance");
        all_close(&s.nogueira.interval_95, &case["nogueira_95"], "Nogueira's interval");
    }
}

#[test]
fn paired_tests_are_scipys() {
    let (mut exact, mut approximate) = (0, 0);
    for case in cases("paired") {
        let (first, second) = (numbers(&case["first"]), numbers(&case["second"]));
        let t = evaluate::paired_t(&first, &second).unwrap();
        close(t.t.unwrap(), number(&case["t"]), "t");
        relative(t.p, number(&case["p"]), 1e-10, "p of t");
        all_close(&t.interval_95, &case["interval_95"], "interval of t");
        let corrected = evaluate::corrected_paired_t(&first, &second, number(&case["share"])).unwrap();
        close(corrected.t.unwrap(), number(&case["corrected_t"]), "corrected t");
        relative(corrected.p, number(&case["corrected_p"]), 1e-10, "p of the corrected t");
        let w = evaluate::wilcoxon(&first, &second).unwrap();
        close(w.w_plus.min(w.w_minus), number(&case["w"]), "W");
        relative(w.p, number(&case["w_p"]), 1e-10, &format!("p of W, {w:?}"));
        if w.exact { exact += 1 } else { approximate += 1 }
    }
    assert!(exact >= 3 && approximate >= 2);
}

#[test]
fn the_binomial_test_is_scipys() {
    for row in cases("binomial") {
        let row = numbers(&row);
        relative(evaluate::sign_test(row[0] as u64, row[1] as u64), row[2], 1e-10, &format!("{row:?}"));
    }
    let d = evaluate::discordant(&[true, true, false, true], &[true, false, true, false]).unwrap();
    assert_eq!((d.first_only, d.second_only, d.p), (2, 1, 1.0));
}

#[test]
fn friedman_is_scipys() {
    for case in cases("friedman") {
        let f = evaluate::friedman(&table(&case["values"]), Better::Lower).unwrap();
        all_close(&f.average_ranks, &case["ranks"], "ranks");
        close(f.chi_square, number(&case["chi2"]), "χ²");
        relative(f.chi_square_p, number(&case["p"]), 1e-10, "p of χ²");
        close(f.f.unwrap(), number(&case["f"]), "F");
        relative(f.f_p, number(&case["f_p"]), 1e-10, "p of F");
    }
}

#[test]
fn results_survive_a_file() {
    let auc = evaluate::auc_with_interval(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]).unwrap();
    assert_eq!(serde_json::from_str::<evaluate::Auc>(&serde_json::to_string(&auc).unwrap()).unwrap(), auc);
    let s = evaluate::stability(&[vec![1], vec![1, 2], vec![3]], 9).unwrap();
    assert_eq!(serde_json::from_str::<evaluate::Stability>(&serde_json::to_string(&s).unwrap()).unwrap(), s);
    let f = evaluate::friedman(&[[1.0, 2.0], [1.0, 2.0]], Better::Lower).unwrap();
    assert_eq!(serde_json::from_str::<evaluate::Friedman>(&serde_json::to_string(&f).unwrap()).unwrap(), f);
}

/// Scores with ties, and labels of both classes.
fn scored() -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
    prop::collection::vec((-20_i32..20, any::<bool>()), 2..80)
        .prop_filter("both classes", |rows| rows.iter().any(|r| r.1) && rows.iter().any(|r| !r.1))
        .prop_map(|rows| rows.into_iter().map(|(s, p)| (f64::from(s) / 7.0, p)).unzip())
}

fn runs() -> impl Strategy<Value = (usize, Vec<Vec<u32>>)> {
    (1_usize..40).prop_flat_map(|features| {
        let run = prop::collection::vec(0..features as u32, 0..=features);
        (Just(features), prop::collection::vec(run, 1..12))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn auc_depends_on_the_order_only((scores, positive) in scored()) {
        let mapped: Vec<f64> = scores.iter().map(|s| s.exp() * 3.0 - 100.0).collect();
        prop_assert_eq!(
            evaluate::auc_with_interval(&scores, &positive).unwrap(),
            evaluate::auc_with_interval(&mapped, &positive).unwrap()
        );
    }

    #[test]
    fn swapping_the_labels_mirrors_the_auc((scores, positive) in scored()) {
        let swapped: Vec<bool> = positive.iter().map(|p| !p).collect();
        let a = evaluate::auc_with_interval(&scores, &positive).unwrap();
        let b = evaluate::auc_with_interval(&scores, &swapped).unwrap();
        prop_assert!((a.auc + b.auc - 1.0).abs() < 1e-15);
        prop_assert!((a.variance.unwrap_or(0.0) - b.variance.unwrap_or(0.0)).abs() < 1e-14);
        prop_assert!((a.interval_95[0] + b.interval_95[1] - 1.0).abs() < 1e-9);
        prop_assert!((0.0..=a.auc).contains(&a.interval_95[0]) && (a.auc..=1.0).contains(&a.interval_95[1]));
        let both = [scores.iter().map(|s| -s).collect::<Vec<_>>(), scores.clone()];
        let truth: Vec<u32> = positive.iter().map(|p| u32::from(*p)).collect();
        prop_assert!((evaluate::auc_of_classes(&both, &truth).unwrap() - a.auc).abs() < 1e-15);
    }

    #[test]
    fn the_area_under_the_points_is_the_auc((scores, positive) in scored()) {
        let points = evaluate::roc_points(&scores, &positive).unwrap();
        let area: f64 = points
            .windows(2)
            .map(|w| {
                let width = w[1].false_positive_rate - w[0].false_positive_rate;
                0.5 * width * (w[0].true_positive_rate + w[1].true_positive_rate)
            })
            .sum();
        prop_assert!((area - evaluate::auc(&scores, &positive).unwrap()).abs() < 1e-12);
    }

    #[test]
    fn identical_selections_are_perfectly_stable((features, runs) in runs(), copies in 2_usize..6) {
        let s = evaluate::stability(&vec![runs[0].clone(); copies], features).unwrap();
        prop_assert_eq!((s.kuncheva, [s.jaccard, s.pearson, s.nogueira.stability]), (Some(1.0), [1.0; 3]));
    }

    #[test]
    fn stability_is_always_a_number_in_range((features, runs) in runs()) {
        let s = evaluate::stability(&runs, features).unwrap();
        for index in s.kuncheva.into_iter().chain([s.pearson, s.nogueira.stability]) {
            prop_assert!(index <= 1.0 + 1e-12 && index.is_finite(), "{:?}", s);
        }
        prop_assert!((0.0..=1.0).contains(&s.jaccard));
        prop_assert!(s.pearson >= -1.0 - 1e-12);
        prop_assert!(s.nogueira.variance >= 0.0 && s.nogueira.interval_95.iter().all(|x| x.is_finite()));
        prop_assert!(s.nogueira.interval_95[0] <= s.nogueira.stability.max(-1.0) + 1e-12);
        let mut reversed = runs.clone();
        reversed.reverse();
        let again = stability_room::jaccard(&reversed, features).unwrap();
        prop_assert!((s.jaccard - again).abs() < 1e-12, "the order of runs does not count");
    }

    #[test]
    fn kappa_stays_in_its_range(rows in prop::collection::vec((0_u32..4, 0_usize..4), 1..60)) {
        let (truth, predicted): (Vec<u32>, Vec<usize>) = rows.into_iter().unzip();
        let kappa = Confusion::of(4, &truth, &predicted).unwrap().kappa().unwrap();
        let [low, high] = kappa.interval_95;
        prop_assert!(-1.0 <= low && low <= kappa.kappa + 1e-12 && kappa.kappa <= high + 1e-12 && high <= 1.0);
    }

    #[test]
    fn swapping_two_methods_keeps_p(pairs in prop::collection::vec((0_i32..12, 0_i32..12), 2..60)) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).unzip();
        let (ab, ba) = (evaluate::wilcoxon(&a, &b).unwrap(), evaluate::wilcoxon(&b, &a).unwrap());
        prop_assert_eq!((ab.w_plus, ab.w_minus), (ba.w_minus, ba.w_plus));
        prop_assert!((ab.p - ba.p).abs() < 1e-14 && (0.0..=1.0).contains(&ab.p));
        let (ab, ba) = (evaluate::paired_t(&a, &b).unwrap(), evaluate::paired_t(&b, &a).unwrap());
        prop_assert!((ab.p - ba.p).abs() < 1e-14 && (0.0..=1.0).contains(&ab.p));
    }
}
