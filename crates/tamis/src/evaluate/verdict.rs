//! Which pipeline to trust: pairs compared on one table, all of them over several, and a recommendation.

use crate::base::counted;
use crate::catalogue::Method;
use crate::evaluate::friedman::{Better, bonferroni_dunn, friedman, nemenyi};
use crate::evaluate::paired_comparison::{corrected_paired_t, discordant, paired_t, wilcoxon};
use crate::evaluate::summary::Run;
use serde::{Deserialize, Serialize};

/// Tests between pipelines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Every two pipelines on one table, or over the tables if there are several.
    pub pairs: Vec<Pair>,
    /// All pipelines over several tables.
    pub friedman: Option<Ranks>,
}

/// Two pipelines; p-values are two-sided, null where the test cannot be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pair {
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// Error of the first less that of the second.
    pub difference: f64,
    /// Paired t: over folds, corrected for their overlap, or over tables.
    pub paired_t_p: Option<f64>,
    /// Wilcoxon's signed ranks over folds or tables.
    pub wilcoxon_p: Option<f64>,
    /// The binomial test on rows that one gets right and the other does not (one table, first repeat).
    pub discordant_p: Option<f64>,
}

/// Average ranks over tables, by error; 1 is the best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ranks {
    /// Each pipeline with its average rank.
    pub average_ranks: Vec<(String, f64)>,
    /// Tables that all of them could be used on.
    pub data_sets: u64,
    /// Friedman's χ² and its p-value.
    pub chi_square: f64,
    /// The p-value of χ².
    pub chi_square_p: f64,
    /// Iman and Davenport's F; null if infinite.
    pub f: Option<f64>,
    /// The p-value of F.
    pub f_p: f64,
    /// How far ranks must be apart for any two, at 5 %.
    pub critical_difference_nemenyi: f64,
    /// How far from one that all are compared with, at 5 %.
    pub critical_difference_bonferroni_dunn: f64,
}

/// The pipeline to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recommendation {
    /// Its name.
    pub label: String,
    /// Why, in a sentence.
    pub text: String,
}

/// Compares the runs of one table, or of several.
pub fn compare(runs: &[Run], tables: usize) -> Comparison {
    let labels = labels(runs);
    if tables == 1 {
        let mut pairs = Vec::new();
        for (at, a) in runs.iter().enumerate() {
            for b in &runs[at + 1..] {
                pairs.extend(on_folds(a, b));
            }
        }
        return Comparison { pairs, friedman: None };
    }
    // tables on which every pipeline that was of use anywhere was of use
    let error = |label: &String, table: usize| {
        let run = runs.iter().find(|r| r.input == table && r.label == *label)?;
        run.summary.as_ref().map(|s| s.error)
    };
    let usable: Vec<String> =
        labels.into_iter().filter(|l| (0..tables).filter(|&t| error(l, t).is_some()).count() * 2 > tables).collect();
    let rows: Vec<Vec<f64>> =
        (0..tables).filter_map(|t| usable.iter().map(|l| error(l, t)).collect::<Option<Vec<f64>>>()).collect();
    let mut pairs = Vec::new();
    for a in 0..usable.len() {
        for b in a + 1..usable.len() {
            let column = |at: usize| rows.iter().map(|r| r[at]).collect::<Vec<f64>>();
            let (first, second) = (column(a), column(b));
            let mean = first.iter().zip(&second).map(|(x, y)| x - y).sum::<f64>() / first.len().max(1) as f64;
            pairs.push(Pair {
                a: usable[a].clone(),
                b: usable[b].clone(),
                difference: mean,
                paired_t_p: paired_t(&first, &second).ok().map(|t| t.p),
                wilcoxon_p: wilcoxon(&first, &second).ok().map(|w| w.p),
                discordant_p: None,
            });
        }
    }
    let (k, n) = (usable.len(), rows.len());
    let ranks = || {
        let test = friedman(&rows, Better::Lower).ok()?;
        Some(Ranks {
            average_ranks: usable.iter().cloned().zip(test.average_ranks).collect(),
            data_sets: test.data_sets,
            chi_square: test.chi_square,
            chi_square_p: test.chi_square_p,
            f: test.f,
            f_p: test.f_p,
            critical_difference_nemenyi: nemenyi(k, n, 0.05).ok()?.difference,
            critical_difference_bonferroni_dunn: bonferroni_dunn(k, n, 0.05).ok()?.difference,
        })
    };
    let friedman = if k >= 2 && n >= 2 { ranks() } else { None };
    Comparison { pairs, friedman }
}

fn labels(runs: &[Run]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for run in runs {
        if !labels.contains(&run.label) {
            labels.push(run.label.clone());
        }
    }
    labels
}

fn on_folds(a: &Run, b: &Run) -> Option<Pair> {
    let (sa, sb) = (a.summary.as_ref()?, b.summary.as_ref()?);
    let errors = |run: &Run| run.folds.iter().map(|f| f.error).collect::<Vec<f64>>();
    let (first, second) = (errors(a), errors(b));
    let share = a.folds.iter().map(|f| f.n_test as f64 / f.n_train.max(1) as f64).sum::<f64>() / first.len() as f64;
    let right = |run: &Run| -> Vec<bool> {
        let folds = run.folds.iter().filter(|f| f.repeat == 0);
        folds.flat_map(|f| f.rows.truth.iter().zip(&f.rows.predicted).map(|(t, p)| *t as usize == *p)).collect()
    };
    let single = a.folds.iter().all(|f| f.n_test == 1);
    Some(Pair {
        a: a.label.clone(),
        b: b.label.clone(),
        difference: sa.error - sb.error,
        // folds of one row are rows: the binomial test is theirs
        paired_t_p: if single { None } else { corrected_paired_t(&first, &second, share).ok().map(|t| t.p) },
        wilcoxon_p: if single { None } else { wilcoxon(&first, &second).ok().map(|w| w.p) },
        discordant_p: discordant(&right(a), &right(b)).ok().map(|d| d.p),
    })
}

/// Whether a vector machine classifies.
fn is_machine(run: &Run) -> bool {
    use Method::{Jcfo, Pcvm, PfcvmEm, PfcvmLp, Rvm};
    matches!(run.classifier, Jcfo(_) | Pcvm(_) | PfcvmEm(_) | PfcvmLp(_) | Rvm(_))
}

/// Whether a run is simpler than a machine: its classifier is, and so is what chooses the features.
fn is_plain(run: &Run) -> bool {
    !is_machine(run) && !matches!(run.method, Some(Method::Needed(_)))
}

/// On one table: of the pipelines whose AUC (whose error, where there is no AUC) is within one standard error of the
/// best, the one with the fewest features. Over several: the one with the best average rank.
pub fn recommend(runs: &[Run], comparison: &Comparison, tables: usize) -> Option<Recommendation> {
    if tables > 1 {
        let ranks = comparison.friedman.as_ref()?;
        let (label, rank) = ranks.average_ranks.iter().min_by(|a, b| a.1.total_cmp(&b.1))?.clone();
        let text = format!(
            "over {} `{label}` has the best average rank by error, {rank:.2} of {}; differences of {:.2} \
             or more are significant",
            counted(ranks.data_sets, "table"),
            ranks.average_ranks.len(),
            ranks.critical_difference_bonferroni_dunn
        );
        return Some(Recommendation { label, text });
    }
    let usable: Vec<&Run> = runs.iter().filter(|r| r.summary.is_some()).collect();
    let by_auc = usable.iter().all(|r| r.summary.as_ref().is_some_and(|s| s.auc.is_some()));
    // larger is better
    let merit = |run: &Run| {
        run.summary.as_ref().map_or(f64::NEG_INFINITY, |s| if by_auc { s.auc.unwrap_or(0.0) } else { -s.error })
    };
    let se = |run: &Run| {
        let summary = run.summary.as_ref();
        if by_auc && summary.is_some_and(|s| s.auc_95.is_some()) {
            return run.auc_se();
        }
        summary.map_or(0.0, |s| s.error_se)
    };
    let best = usable.iter().max_by(|a, b| merit(a).total_cmp(&merit(b)))?;
    let floor = merit(best) - se(best);
    let features = |run: &Run| run.summary.as_ref().map_or(f64::INFINITY, |s| s.n_selected);
    let chosen = usable
        .iter()
        .filter(|run| merit(run) >= floor)
        .min_by(|a, b| features(a).total_cmp(&features(b)).then(merit(b).total_cmp(&merit(a))))?;
    let mut text = words_of(chosen)?;
    if chosen.label != best.label {
        text.push_str(&format!("; the best is `{}`", best.label));
    }
    if is_machine(chosen) {
        let plain = usable.iter().filter(|run| is_plain(run) && merit(run) >= floor);
        match plain.max_by(|a, b| merit(a).total_cmp(&merit(b))) {
            Some(plain) if plain.label == best.label => text.push_str(", a plain classifier"),
            Some(plain) => text.push_str(&format!(
                "; a plain classifier is as good: `{}` is within that standard error too, and simpler",
                plain.label
            )),
            None if usable.len() > 1 => text.push_str("; no plain classifier comes within that standard error"),
            None => {}
        }
    }
    Some(Recommendation { label: chosen.label.clone(), text })
}

/// What the smallest set within one standard error of the best is like.
fn words_of(chosen: &Run) -> Option<String> {
    let summary = chosen.summary.as_ref()?;
    let count = summary.n_selected;
    let mut text = format!(
        "recommended: `{}`, the fewest features ({}) within one standard error of the best",
        chosen.label,
        if count.fract() == 0.0 { format!("{count:.0}") } else { format!("{count:.1}") }
    );
    if let Some(auc) = summary.auc {
        text.push_str(&format!("; AUC {auc:.3}"));
        if let Some([low, high]) = summary.auc_95 {
            text.push_str(&format!(" [{low:.3}, {high:.3}]"));
        }
    }
    let mark = if summary.auc.is_some() { "," } else { ";" };
    text.push_str(&format!("{mark} error {:.1} %", 100.0 * summary.error));
    if let Some(stability) = &summary.stability {
        text.push_str(&format!(", stability {:.2}", stability.nogueira.stability));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::summary::Summary;

    fn run(name: &str, auc: f64, n_selected: f64) -> Run {
        let summary = Summary {
            error: 0.1,
            error_se: 0.01,
            auc: Some(auc),
            auc_95: Some([auc - 0.1, auc + 0.1]),
            kappa: None,
            kappa_95: None,
            brier: 0.1,
            log_loss: 0.3,
            calibration_slope: None,
            n_selected,
            n_selected_sd: 0.0,
            stability: None,
            seconds: 0.0,
        };
        Run {
            input: 0,
            label: name.into(),
            method: None,
            classifier: Method::find(name).expect("a method"),
            failed: None,
            folds: vec![],
            summary: Some(summary),
            roc: vec![],
            calibration: vec![],
            frequency: vec![],
        }
    }

    #[test]
    fn the_best_is_not_called_as_good_as_itself() {
        let said = |runs: &[Run]| recommend(runs, &Comparison::default(), 1).expect("a recommendation").text;
        let best_is_plain = said(&[run("pfcvm-lp", 0.90, 1.0), run("logistic", 0.92, 50.0)]);
        assert!(
            best_is_plain.starts_with("recommended: `pfcvm-lp`, the fewest features (1) within"),
            "{best_is_plain}"
        );
        assert!(best_is_plain.ends_with("; the best is `logistic`, a plain classifier"), "{best_is_plain}");
        let best_is_chosen = said(&[run("pfcvm-lp", 0.92, 2.0), run("logistic", 0.91, 50.0)]);
        assert!(best_is_chosen.contains("a plain classifier is as good: `logistic`"), "{best_is_chosen}");
    }
}
