//! Logistic regression on one variable.

use crate::numeric::logistic::{ln_sigmoid, sigmoid};

/// p = σ(offset + slope·z).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LogisticLine {
    pub(crate) offset: f64,
    pub(crate) slope: f64,
}

/// The line that gives `targets`, probabilities or 0 and 1, the highest likelihood. `None` where there is none: all z are
/// equal, or a threshold on z separates zeros from ones.
///
/// Cost: some ten passes.
pub(crate) fn logistic_line(z: &[f64], targets: &[f64]) -> Option<LogisticLine> {
    const MOST_STEPS: usize = 100;
    let n = z.len() as f64;
    let mean = z.iter().sum::<f64>() / n;
    let spread = (z.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / n).sqrt();
    if spread.is_nan() || spread <= 0.0 {
        return None;
    }
    let scaled: Vec<f64> = z.iter().map(|z| (z - mean) / spread).collect();
    let value = |a: f64, b: f64| -> f64 {
        let one = |(z, t): (&f64, &f64)| t * ln_sigmoid(a + b * z) + (1.0 - t) * ln_sigmoid(-a - b * z);
        scaled.iter().zip(targets).map(one).sum()
    };
    let (mut a, mut b) = (0.0, 0.0);
    let mut now = value(a, b);
    for _ in 0..MOST_STEPS {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (z, t) in scaled.iter().zip(targets) {
            let p = sigmoid(a + b * z);
            let h = p * sigmoid(-a - b * z);
            ga += t - p;
            gb += (t - p) * z;
            haa += h;
            hab += h * z;
            hbb += h * z * z;
        }
        let determinant = haa * hbb - hab * hab;
        if determinant.is_nan() || determinant <= 1e-12 * (haa * hbb).max(1e-300) {
            return None;
        }
        let (da, db) = ((hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant);
        let rise = da * ga + db * gb;
        if rise < 1e-12 * (1.0 + now.abs()) {
            // so steep a line separates all that there is
            let slope = b / spread;
            return (b.abs() < 1e3 && now < -1e-6).then_some(LogisticLine { offset: a - slope * mean, slope });
        }
        let mut size = 1.0;
        while value(a + size * da, b + size * db) < now + 1e-4 * size * rise {
            size *= 0.5;
            if size < 1e-10 {
                return None;
            }
        }
        (a, b) = (a + size * da, b + size * db);
        now = value(a, b);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_behind_probabilities_is_found_and_a_separated_one_is_not() {
        let z: Vec<f64> = (0..200).map(|i| f64::from(i) / 10.0 - 7.0).collect();
        let p: Vec<f64> = z.iter().map(|z| sigmoid(0.4 - 1.3 * z)).collect();
        let line = logistic_line(&z, &p).expect("a line");
        assert!((line.offset - 0.4).abs() < 1e-4 && (line.slope + 1.3).abs() < 1e-4, "{line:?}");
        let sides: Vec<f64> = z.iter().map(|z| f64::from(u8::from(*z > 0.0))).collect();
        assert_eq!(logistic_line(&z, &sides), None);
        assert_eq!(logistic_line(&[1.0, 1.0], &[0.0, 1.0]), None);
    }
}
