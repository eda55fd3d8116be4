//! Scores from statistics that others have computed: z or t, estimates with standard errors, p-values.

use crate::base::note::{Note, NoteKind, Weight};
use crate::base::remedies::wrong_df;
use crate::base::{Error, OptionName, Place, Result, counted, plural, text};
use crate::numeric::special::{normal_quantile, t_to_z, t_two_sided};
use crate::score::means_and_differences::unit_of_score;
use crate::score::score_from_moments::LARGEST;

/// Scores with what they rest on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GivenScores {
    /// One score per feature, each N(0, 1) if the feature does not matter; NaN where missing.
    pub z: Vec<f64>,
    /// What a score of 1 stands for in each estimate's own unit, where estimates were given.
    pub units: Option<Vec<f64>>,
    /// Whether only positive scores speak for a feature: p-values without signs.
    pub one_sided: bool,
    /// Remarks on the numbers.
    pub notes: Vec<Note>,
}

/// Degrees of freedom of t statistics.
#[derive(Debug, Clone, PartialEq)]
pub enum DegreesOfFreedom {
    /// The same for all.
    Same(f64),
    /// One per feature; NaN where they are not known, which leaves the feature without a score.
    Each(Vec<f64>),
}

impl DegreesOfFreedom {
    fn of(&self, feature: usize) -> f64 {
        match self {
            DegreesOfFreedom::Same(df) => *df,
            DegreesOfFreedom::Each(all) => all[feature],
        }
    }

    /// The first that is no number of degrees of freedom.
    fn check(&self) -> Result<()> {
        let wrong = |df: f64| df <= 0.0 || df == f64::NEG_INFINITY;
        let bad = match self {
            DegreesOfFreedom::Same(df) => (wrong(*df) || df.is_nan()).then_some(*df),
            DegreesOfFreedom::Each(all) => all.iter().copied().find(|df| wrong(*df)),
        };
        match bad {
            None => Ok(()),
            Some(df) => Err(wrong_df(df)),
        }
    }
}

impl GivenScores {
    /// Scores that are z, or t with these degrees of freedom.
    ///
    /// # Errors
    ///
    /// Numbers that are all between 0 and 1 and so look like p-values, and degrees of freedom that are not above 0.
    pub fn of_scores(scores: &[f64], df: Option<&DegreesOfFreedom>) -> Result<GivenScores> {
        let known = || scores.iter().copied().filter(|x| !x.is_nan());
        if known().count() > 1 && known().all(|x| (0.0..=1.0).contains(&x)) {
            let problem = "all scores are between 0 and 1: they look like p-values, which are not standard normal";
            let remedy = text![
                "name their column with ",
                OptionName::PValue,
                ", and one with their signs with ",
                OptionName::Sign
            ];
            return Err(Error::data(Place::default(), problem, remedy));
        }
        let notes = remarks(scores);
        Ok(GivenScores { z: to_z(scores, df)?, units: None, one_sided: false, notes })
    }

    /// Estimates with standard errors: their ratio is z, or t with these degrees of freedom.
    ///
    /// # Errors
    ///
    /// A standard error that is not above 0, and degrees of freedom that are not above 0.
    pub fn of_estimates(
        estimates: &[f64],
        standard_errors: &[f64],
        df: Option<&DegreesOfFreedom>,
    ) -> Result<GivenScores> {
        if let Some(row) = standard_errors.iter().position(|error| *error <= 0.0) {
            let place = Place::default().at_row(row as u64 + 1);
            let problem = format!("the standard error is {}", standard_errors[row]);
            return Err(Error::data(place, problem, "it is above 0, or missing where there is no estimate"));
        }
        let ratios: Vec<f64> = estimates.iter().zip(standard_errors).map(|(b, error)| b / error).collect();
        let notes = remarks(&ratios);
        let given = GivenScores { z: to_z(&ratios, df)?, units: None, one_sided: false, notes };
        Ok(given.in_units_of(estimates, standard_errors.iter().copied()))
    }

    /// The same scores, with the estimates that the statistics are of: their ratio is the standard error, unknown where
    /// either is 0.
    pub fn with_estimates(self, estimates: &[f64], statistics: &[f64]) -> GivenScores {
        let error = |(estimate, statistic): (&f64, &f64)| match estimate / statistic {
            error if error > 0.0 && error.is_finite() => error,
            _ => f64::NAN,
        };
        self.in_units_of(estimates, estimates.iter().zip(statistics).map(error))
    }

    fn in_units_of(mut self, estimates: &[f64], standard_errors: impl Iterator<Item = f64>) -> GivenScores {
        let units =
            estimates.iter().zip(standard_errors).zip(&self.z).map(|((b, error), z)| unit_of_score(*b, error, *z));
        self.units = Some(units.collect());
        self
    }

    /// The same scores, but for those without a p-value: DESeq2 leaves it out where a single sample decides.
    pub fn without_p_values(mut self, p: &[f64]) -> GivenScores {
        let distrusted = |z: f64, p: f64| p.is_nan() && !z.is_nan();
        let count = self.z.iter().zip(p).filter(|(z, p)| distrusted(**z, **p)).count();
        for (z, p) in self.z.iter_mut().zip(p) {
            if distrusted(*z, *p) {
                *z = f64::NAN;
            }
        }
        if count > 0 {
            self.notes.push(Note::new(NoteKind::GivenScores, outliers_words(count)));
        }
        self
    }

    /// Two-sided p-values, with numbers whose signs they have; without these, only large scores speak for a feature.
    ///
    /// # Errors
    ///
    /// Numbers outside 0 and 1.
    pub fn of_p_values(p: &[f64], signs: Option<&[f64]>) -> Result<GivenScores> {
        if let Some(row) = p.iter().position(|p| *p < 0.0 || *p > 1.0) {
            let place = Place::default().at_row(row as u64 + 1);
            let problem = format!("{} is not a p-value", p[row]);
            return Err(Error::data(place, problem, "p-values are between 0 and 1"));
        }
        let zeros = p.iter().filter(|p| **p == 0.0).count();
        let one = |(at, &p): (usize, &f64)| match signs {
            _ if p.is_nan() => f64::NAN,
            None => (-normal_quantile(p)).clamp(-LARGEST, LARGEST),
            Some(signs) if signs[at].is_nan() => f64::NAN,
            Some(signs) => (-normal_quantile(0.5 * p)).min(LARGEST) * signs[at].signum(),
        };
        let mut notes = vec![];
        if zeros > 0 {
            notes.push(Note::new(NoteKind::GivenScores, zeros_words(zeros)));
        }
        if signs.is_none() {
            let text = "p-values without signs: effects are sizes, without a direction";
            notes.push(Note::new(NoteKind::GivenScores, text).weighing(Weight::HowRead));
        }
        if p.iter().filter(|p| !p.is_nan()).all(|p| *p < 0.5) && p.len() > 1 {
            notes.push(filtered());
        }
        let z = p.iter().enumerate().map(one).collect();
        Ok(GivenScores { z, units: None, one_sided: signs.is_none(), notes })
    }
}

/// Features that have lost their p-values.
fn outliers_words(count: usize) -> String {
    let [have, are] = [plural(count, "has", "have"), plural(count, "is", "are")];
    format!("{} {have} a statistic but no p-value, as outliers have, and {are} set aside", counted(count, "feature"))
}

/// P-values that are too small for a number.
fn zeros_words(count: usize) -> String {
    let [are, get] = [plural(count, "is", "are"), plural(count, "gets", "get")];
    format!("{} {are} 0 and {get} the largest score", counted(count, "p-value"))
}

/// t statistics as z, where there are degrees of freedom.
fn to_z(scores: &[f64], df: Option<&DegreesOfFreedom>) -> Result<Vec<f64>> {
    let Some(df) = df else { return Ok(scores.to_vec()) };
    df.check()?;
    let one = |(at, t): (usize, &f64)| match df.of(at) {
        df if df.is_nan() => f64::NAN,
        f64::INFINITY => *t,
        df => t_to_z(*t, df),
    };
    Ok(scores.iter().enumerate().map(one).collect())
}

/// Remarks on scores that cannot all be standard normal where features do not matter.
fn remarks(scores: &[f64]) -> Vec<Note> {
    /// With fewer scores nothing stands out.
    const ENOUGH: usize = 20;
    let known: Vec<f64> = scores.iter().copied().filter(|x| !x.is_nan()).collect();
    let mut notes = vec![];
    if known.len() < ENOUGH {
        return notes;
    }
    if known.iter().all(|x| *x >= 0.0) {
        let text = "no score is below 0: if these are sizes, or F or χ² statistics, give p-values and signs";
        notes.push(Note::new(NoteKind::GivenScores, text).weighing(Weight::ChangesAnswer));
    }
    if known.iter().all(|x| x.abs() > 0.5) {
        notes.push(filtered());
    } else if let Some(note) = unlike_normal(&known) {
        notes.push(note);
    }
    notes
}

/// A remark on scores whose middle half is not where that of standard normal ones is: an estimate, or log odds.
fn unlike_normal(known: &[f64]) -> Option<Note> {
    const CENTRE: f64 = 1.0;
    const SPREAD: std::ops::Range<f64> = 0.6..3.0;
    let mut sorted = known.to_vec();
    let mut quartile = |share: usize| {
        let at = (sorted.len() - 1) * share / 4;
        *sorted.select_nth_unstable_by(at, f64::total_cmp).1
    };
    let (low, centre, high) = (quartile(1), quartile(2), quartile(3));
    let spread = (high - low) / 1.349;
    let usual = centre.abs() < CENTRE && SPREAD.contains(&spread);
    let text = format!(
        "these do not look like z scores: their centre is {centre:.1} and their spread {spread:.1}, while most scores are \
         around 0 with a spread of 1 where few features matter; is it the right column?"
    );
    (!usual).then(|| Note::new(NoteKind::GivenScores, text).weighing(Weight::ChangesAnswer))
}

fn filtered() -> Note {
    let text = "no score is near 0: if only the best features are listed, noise looks like signal; give all of them";
    Note::new(NoteKind::GivenScores, text).weighing(Weight::ChangesAnswer)
}

/// The degrees of freedom with which t statistics have these two-sided p-values; `None` where rows disagree.
pub fn degrees_of_freedom(t: &[f64], p: &[f64]) -> Option<f64> {
    /// p-values that tell degrees of freedom well.
    const TELLING: std::ops::Range<f64> = 1e-8..0.2;
    let mut found: Vec<f64> =
        t.iter().zip(p).filter(|(t, p)| TELLING.contains(*p) && t.is_finite()).map(|(t, p)| solve(*t, *p)).collect();
    if found.is_empty() {
        return None;
    }
    found.sort_by(f64::total_cmp);
    let (low, middle, high) = (found[found.len() / 10], found[found.len() / 2], found[found.len() * 9 / 10]);
    let same = high.is_infinite() && low > 1e5 || (high - low) <= 0.02 * middle.max(1.0);
    same.then_some(middle)
}

/// The degrees of freedom with which |t| has this two-sided p-value.
fn solve(t: f64, p: f64) -> f64 {
    const MOST: f64 = 1e7;
    if t_two_sided(t, MOST) >= p {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.1_f64.ln(), MOST.ln());
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if t_two_sided(t, middle.exp()) > p { low = middle } else { high = middle }
    }
    (0.5 * (low + high)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_counted_in_the_singular_and_the_plural() {
        let zeros = [0, 1, 2].map(zeros_words);
        assert_eq!(
            zeros[1..],
            ["1 p-value is 0 and gets the largest score", "2 p-values are 0 and get the largest score"]
        );
        assert_eq!(outliers_words(1), "1 feature has a statistic but no p-value, as outliers have, and is set aside");
        assert_eq!(
            outliers_words(2),
            "2 features have a statistic but no p-value, as outliers have, and are set aside"
        );
    }

    #[test]
    fn p_values_and_signs_give_back_the_scores() {
        let z = [0.3, -1.2, 2.5, -7.0, 30.0];
        let p: Vec<f64> = z.iter().map(|z| crate::numeric::special::normal_two_sided(*z)).collect();
        let found = GivenScores::of_p_values(&p, Some(&z)).expect("p-values");
        for (a, b) in found.z.iter().zip(z) {
            assert!((a - b).abs() < 1e-9 * b.abs(), "{a} for {b}");
        }
        let unsigned = GivenScores::of_p_values(&[0.5, 0.0, 1.0, f64::NAN], None).expect("p-values");
        assert!(unsigned.one_sided && unsigned.z[0].abs() < 1e-12 && unsigned.z[1] == LARGEST);
        assert!(unsigned.z[2] == -LARGEST && unsigned.z[3].is_nan());
        assert!(GivenScores::of_p_values(&[0.2, 1.2], None).is_err());
    }

    #[test]
    fn estimates_are_divided_by_their_errors() {
        let df = DegreesOfFreedom::Each(vec![10.0, f64::INFINITY, f64::NAN]);
        let found = GivenScores::of_estimates(&[2.0, 3.0, 1.0], &[1.0, 1.5, 1.0], Some(&df)).expect("estimates");
        assert_eq!(found.z[0], t_to_z(2.0, 10.0));
        assert!(found.z[1] == 2.0 && found.z[2].is_nan());
        assert!(GivenScores::of_estimates(&[1.0], &[0.0], None).is_err());
        assert!(GivenScores::of_estimates(&[1.0], &[1.0], Some(&DegreesOfFreedom::Same(-1.0))).is_err());
    }

    #[test]
    fn a_unit_is_unknown_where_estimate_and_statistic_do_not_tell_it() {
        let given = GivenScores::of_scores(&[4.0, 0.0, 0.0, -2.0], None).expect("scores");
        let units = given.with_estimates(&[2.0, 0.0, 1.0, 3.0], &[4.0, 0.0, 0.0, -2.0]).units.expect("units");
        assert_eq!(units[0], 0.5);
        assert!(units[1..].iter().all(|unit| unit.is_nan()), "{units:?}");
    }

    #[test]
    fn a_score_in_units_is_the_estimate_and_near_nothing_a_unit_is_the_standard_error() {
        let (estimates, errors) = ([8.0, -3.0, 0.5, 1e-9, 0.0], [1.0, 0.5, 0.25, 2.0, 2.0]);
        let df = DegreesOfFreedom::Same(4.0);
        let found = GivenScores::of_estimates(&estimates, &errors, Some(&df)).expect("estimates");
        let units = found.units.expect("units");
        for at in 0..3 {
            assert!((units[at] * found.z[at] - estimates[at]).abs() < 1e-12, "{at}");
        }
        assert!((units[0] - 2.5).abs() < 0.05, "t = 8 is z = 3.2: {}", units[0]);
        assert_eq!(units[3..], errors[3..]);
    }

    #[test]
    fn p_values_are_not_taken_for_scores() {
        assert!(GivenScores::of_scores(&[0.1, 0.9, 0.5], None).is_err());
        assert!(GivenScores::of_scores(&[0.1, -0.9, 0.5], None).is_ok());
        let filtered: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 2.0 } else { -3.0 }).collect();
        assert_eq!(GivenScores::of_scores(&filtered, None).expect("scores").notes.len(), 1);
    }

    #[test]
    fn degrees_of_freedom_follow_from_t_and_p() {
        let t: Vec<f64> = (1..60).map(|i| f64::from(i) * 0.1 - 3.0).collect();
        for df in [3.7, 38.0, 500.0] {
            let p: Vec<f64> = t.iter().map(|t| t_two_sided(*t, df)).collect();
            let found = degrees_of_freedom(&t, &p).expect("the same in all rows");
            assert!((found - df).abs() < 1e-6 * df, "{found} for {df}");
        }
        let mixed: Vec<f64> = t.iter().enumerate().map(|(i, t)| t_two_sided(*t, 3.0 + (i % 7) as f64)).collect();
        assert_eq!(degrees_of_freedom(&t, &mixed), None);
    }
}
