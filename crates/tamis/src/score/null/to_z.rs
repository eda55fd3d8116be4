//! From sums to scores: t, F and rank statistics mapped to z as the real scores were.

use crate::numeric::special::{chi2_to_z, f_to_z, t_to_z_by_series, t_to_z_roughly};
use crate::score::score_from_moments::LARGEST;
use crate::score::{Moderation, Scale, Statistic};

/// How sums become scores.
pub(super) struct Maps {
    pub(super) statistic: Statistic,
    pub(super) scale: Scale,
    /// Whether rows have weights.
    pub(super) weighted: bool,
    /// How the real scores' variances were moderated.
    moderation: Option<Moderation>,
    /// Tables of the one-sided maps met most often.
    tables: Vec<Table>,
}

impl Maps {
    pub(super) fn new(statistic: Statistic, scale: Scale, weighted: bool, moderation: Option<Moderation>) -> Maps {
        Maps { statistic, scale, weighted, moderation, tables: vec![] }
    }

    /// From here on variances are pooled, and values taken as they are.
    pub(super) fn pool(&mut self) {
        self.statistic = match self.statistic {
            Statistic::F | Statistic::Kruskal => Statistic::F,
            Statistic::Pearson | Statistic::Spearman => Statistic::Pearson,
            _ => Statistic::Pooled,
        };
    }

    /// Whether each class has a variance of its own.
    pub(super) fn by_welch(&self) -> bool {
        self.statistic == Statistic::Welch || matches!(self.moderation, Some(Moderation::Welch(_)))
    }

    /// Makes tables for features without missing values, of `n` rows.
    pub(super) fn prepare(&mut self, n: f64, n_classes: usize) {
        if n_classes < 3 {
            return;
        }
        let coded = n_classes as f64 - 1.0;
        let kind = if self.statistic == Statistic::Kruskal { Kind::ChiSquare } else { Kind::F(n - n_classes as f64) };
        let mut kinds = vec![kind];
        kinds.push(Kind::F(n - 1.0 - 2.0 * coded));
        self.tables = kinds.into_iter().map(|kind| Table::new(kind, coded)).collect();
    }

    /// Makes tables for features without missing values whose residuals have these degrees of freedom, where the target's
    /// coding has so many columns, for several classes.
    pub(super) fn prepare_design(&mut self, df: f64, coded: usize, several: bool) {
        if several {
            let kind = |df: f64| match &self.moderation {
                Some(Moderation::Pooled(prior)) => Kind::F(prior.usual_df(df)),
                _ => Kind::F(df),
            };
            self.tables =
                [kind(df), kind(df - coded as f64)].into_iter().map(|kind| Table::new(kind, coded as f64)).collect();
        }
    }

    /// Whether columns are replaced by their ranks.
    pub(super) fn ranked(&self) -> bool {
        matches!(self.statistic, Statistic::MannWhitney | Statistic::Kruskal | Statistic::Spearman)
    }

    fn z(&self, t: f64, df: f64) -> f64 {
        if t.is_nan() || df <= 0.0 {
            return 0.0;
        }
        let z = if self.scale == Scale::Raw { t } else { t_to_z_roughly(t, df) };
        if z.is_finite() { z } else { LARGEST.copysign(t) }
    }

    /// The score of a product with a direction of squared length `size`, out of `squares` in all; the variance of what
    /// is left is moderated as the feature's was.
    pub(super) fn t(&self, product: f64, size: f64, squares: f64, df: f64, feature: usize) -> f64 {
        if !(size > 0.0 && squares > 0.0 && df > 0.0) {
            return 0.0;
        }
        let (variance, df) = self.squeezed((squares - product * product / size).max(0.0) / df, df, feature);
        self.z(product / size.sqrt() / variance.sqrt(), df)
    }

    /// The score of what `coded` directions explain out of `squares`; the variance of what is left is moderated as the
    /// feature's was.
    pub(super) fn f(&self, between: f64, squares: f64, coded: f64, df: f64, feature: usize) -> f64 {
        if !(squares > 0.0 && df > 0.0) {
            return 0.0;
        }
        let (variance, df) = self.squeezed((squares - between).max(0.0) / df, df, feature);
        self.one_sided(Kind::F(df), between.max(0.0) / coded / variance, coded)
    }

    /// A variance and its degrees of freedom, moderated as the real ones were.
    fn squeezed(&self, variance: f64, df: f64, feature: usize) -> (f64, f64) {
        match &self.moderation {
            Some(Moderation::Pooled(prior)) => prior.squeeze_of_null(variance, df, feature),
            _ => (variance, df),
        }
    }

    /// Welch's score as [`welch`], moderated as the feature's was.
    pub(super) fn welch(&self, sums: WelchSums, all: (f64, f64), factor: f64, feature: usize) -> f64 {
        let (t, df) = welch(sums, all, factor, |variance, df, class| match &self.moderation {
            Some(Moderation::Welch(priors)) => priors[class].squeeze(variance, df, feature),
            _ => (variance, df),
        });
        self.z(t, df)
    }

    /// Whether each class has a variance of its own that is not moderated.
    pub(super) fn by_plain_welch(&self) -> bool {
        self.statistic == Statistic::Welch && self.moderation.is_none()
    }

    /// Maps many t of these degrees of freedom to z.
    pub(super) fn map_to_z(&self, values: &mut [f64], df: &[f64]) {
        if self.scale == Scale::Raw {
            return values.iter_mut().zip(df).for_each(|(value, df)| *value = self.z(*value, *df));
        }
        let mut z = vec![0.0; values.len()];
        t_to_z_by_series(values, df, &mut z);
        for ((value, df), z) in values.iter_mut().zip(df).zip(z) {
            *value = if z.is_nan() { self.z(*value, *df) } else { z };
        }
    }

    /// The score of several classes: F, or Kruskal and Wallis' H where values are ranks.
    pub(super) fn several(&self, between: f64, (squares, n): (f64, f64), coded: f64, tied: f64, feature: usize) -> f64 {
        if self.statistic == Statistic::Kruskal {
            let h = 12.0 / (n * (n + 1.0)) * between / (1.0 - tied / (n * n * n - n));
            return self.one_sided(Kind::ChiSquare, h, coded);
        }
        self.f(between, squares, coded, n - 1.0 - coded, feature)
    }

    fn one_sided(&self, kind: Kind, statistic: f64, coded: f64) -> f64 {
        if statistic.is_nan() {
            return 0.0;
        }
        let table = self.tables.iter().find(|table| table.kind == kind && table.coded == coded);
        let z = table.and_then(|table| table.at(statistic)).unwrap_or_else(|| kind.z(statistic, coded));
        z.clamp(-LARGEST, LARGEST)
    }
}

/// Sums over one of two null classes; the values of both have sum 0.
#[derive(Clone, Copy)]
pub(super) struct WelchSums {
    pub(super) sum: f64,
    pub(super) square: f64,
    pub(super) count: f64,
}

/// Welch's t, times `factor`, and its degrees of freedom from the sums over one class and the weight and squares of all
/// values; (0, 1) where there is none. `squeezed` moderates a variance and its degrees of freedom by class.
#[inline(always)]
pub(super) fn welch(
    WelchSums { sum, square, count }: WelchSums,
    (n, squares): (f64, f64),
    factor: f64,
    squeezed: impl Fn(f64, f64, usize) -> (f64, f64),
) -> (f64, f64) {
    let other = n - count;
    let deviations = |square: f64, count: f64| {
        let left = square - sum * sum / count;
        if left > 1e-13 * squares { left } else { 0.0 }
    };
    let (one, one_df) = squeezed(deviations(square, count) / (count - 1.0), count - 1.0, 1);
    let (two, two_df) = squeezed(deviations(squares - square, other) / (other - 1.0), other - 1.0, 0);
    let (one, two) = (one / count, two / other);
    let t = (sum / count + sum / other) / (one + two).sqrt() * factor;
    let (a, b) = (one / (one + two), two / (one + two));
    let df = 1.0 / (a * a / one_df + b * b / two_df);
    let known = (count > 1.0) & (other > 1.0) & (squares > 0.0);
    (if known { t } else { 0.0 }, if known { df } else { 1.0 })
}

/// A one-sided distribution whose first degrees of freedom are known elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// With these second degrees of freedom.
    F(f64),
    ChiSquare,
}

impl Kind {
    fn z(self, statistic: f64, coded: f64) -> f64 {
        match self {
            Kind::F(df) => f_to_z(statistic, coded, df),
            Kind::ChiSquare => chi2_to_z(statistic, coded),
        }
    }
}

/// The map from a statistic to z at equal steps of its cube root, of which z is nearly a straight line (Wilson &
/// Hilferty 1931).
struct Table {
    kind: Kind,
    coded: f64,
    from: f64,
    step: f64,
    values: Vec<f64>,
}

/// Steps of a table; between them cubic interpolation is good to 1e-8.
const STEPS: usize = 4096;

impl Table {
    fn new(kind: Kind, coded: f64) -> Table {
        let root_at = |wanted: f64| {
            let (mut low, mut high) = (0.0_f64, 1e6_f64);
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if kind.z(middle.powi(3), coded) < wanted { low = middle } else { high = middle }
            }
            high
        };
        let (from, to) = (root_at(-3.0), root_at(9.0));
        let step = (to - from) / STEPS as f64;
        let values = (0..=STEPS).map(|i| kind.z((from + step * i as f64).powi(3), coded)).collect();
        Table { kind, coded, from, step, values }
    }

    /// z by four-point interpolation; `None` beyond the table.
    fn at(&self, statistic: f64) -> Option<f64> {
        let place = (statistic.cbrt() - self.from) / self.step;
        let at = place.floor();
        if !(at >= 1.0 && at < (STEPS - 2) as f64) {
            return None;
        }
        let (i, t) = (at as usize, place - at);
        let [a, b, c, d] = [self.values[i - 1], self.values[i], self.values[i + 1], self.values[i + 2]];
        let (u, v, w) = (t + 1.0, t - 1.0, t - 2.0);
        Some(-a * t * v * w / 6.0 + b * u * v * w / 2.0 - c * u * t * w / 2.0 + d * u * t * v / 6.0)
    }
}
