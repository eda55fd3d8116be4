//! How many effects exceed a limit δ: an interval that holds the true number.
//!
//! It is the profile likelihood, over all priors on a grid of atoms, of the realised number N = #{|μ_i| > δ}. Atoms
//! within ±δ are *inner*, the others *outer*. For a tilt u the outer atoms' densities are divided by e^u (for u < 0 the
//! inner ones' are multiplied by e^u) and the mixture's weights fitted ([`mixture`]); with κ the outer weight and M the
//! maximum,
//!
//! N(u) = nκ, ℓ(u) = M + nκu (u < 0: M + n(1 − κ)|u|), D(u) = 2(ℓ* − ℓ(u)),
//!
//! ℓ* the maximum over all atoms. D is a convex function of N with slope −2u. The interval holds the numbers with
//! D ≤ 4.2306, the 5 % point of ½χ²₁ + ¼χ²₂ (two boundaries, ±δ; one-sided scores: 3.8415, that
//! of χ²₁).
//! Where scores are correlated, D is divided by their overdispersion φ.
//!
//! Cost: about a dozen fits on at most 320 × 120 numbers, whatever the number of scores.

use crate::sparse_means::binned::{BIN, Binned};
use crate::sparse_means::mixture_interior_point;

/// Scores beyond this exceed the limit with certainty and stay out of the fit.
pub(super) const CERTAIN: f64 = 8.0;
/// The largest D inside the interval.
const TWO_SIDED: f64 = 4.2306;
/// The largest D inside the interval where only positive effects count.
const ONE_SIDED: f64 = 3.8415;

/// The profile likelihood of how many effects exceed a limit.
pub(super) struct CountCurve {
    /// Scores that exceed it with certainty.
    far: usize,
    /// Scores in the fit.
    n: f64,
    binned: Binned,
    atoms: Vec<Atom>,
    /// ℓ*, the largest log likelihood over all atoms, each density without its 1/√2π.
    best: f64,
    threshold: f64,
}

/// A value that μ may take.
#[derive(Clone, Copy)]
struct Atom {
    value: f64,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Inner,
    /// Exactly at the limit: inner for a tilt u ≥ 0, outer for u < 0.
    Edge,
    Outer,
}

/// A point of the curve: the number without those that are certain, and D there.
#[derive(Debug, Clone, Copy)]
pub(super) struct CurvePoint {
    tilt: f64,
    pub(super) number: f64,
    pub(super) drop: f64,
}

impl CountCurve {
    /// The curve for ascending finite scores and effects beyond `limit`: |μ| > `limit`, or μ > `limit` where only
    /// positive scores count (`one_sided`).
    pub(super) fn new(sorted: &[f64], limit: f64, one_sided: bool) -> CountCurve {
        let from = if one_sided { 0 } else { sorted.partition_point(|z| *z < -CERTAIN) };
        let to = sorted.partition_point(|z| *z <= CERTAIN);
        let inside = &sorted[from..to];
        let mut curve = CountCurve {
            far: sorted.len() - inside.len(),
            n: inside.len() as f64,
            binned: Binned::new(inside, BIN),
            atoms: atoms(inside, limit, one_sided),
            best: 0.0,
            threshold: if one_sided { ONE_SIDED } else { TWO_SIDED },
        };
        if !inside.is_empty() {
            curve.best = curve.maximum(0.0, |_| true).0;
        }
        curve
    }

    /// The two ends of the interval before rounding, those that are certain included, for scores with overdispersion
    /// `phi`.
    pub(super) fn ends(&self, phi: f64) -> [f64; 2] {
        let (low, high) = rayon::join(|| self.low_end(phi), || self.high_end(phi));
        [low, high]
    }

    /// The lower of [`CountCurve::ends`].
    fn low_end(&self, phi: f64) -> f64 {
        let most = self.threshold * phi;
        let none_needed = self.n == 0.0 || self.drop_without_outer() <= most;
        self.far as f64 + if none_needed { 0.0 } else { self.end(1.0, most) }
    }

    /// The upper of [`CountCurve::ends`].
    pub(super) fn high_end(&self, phi: f64) -> f64 {
        self.far as f64 + if self.n == 0.0 { 0.0 } else { self.end(-1.0, self.threshold * phi) }
    }

    /// D₀ = 2(ℓ* − the largest log likelihood of inner atoms alone).
    fn drop_without_outer(&self) -> f64 {
        2.0 * (self.best - self.maximum(0.0, |place| place != Place::Outer).0)
    }

    /// The point of the curve at a tilt, which is not 0.
    pub(super) fn at(&self, tilt: f64) -> CurvePoint {
        let (maximum, outer) = self.maximum(tilt, |_| true);
        let untilted = if tilt < 0.0 { 1.0 - outer } else { outer };
        let drop = 2.0 * (self.best - maximum - self.n * untilted * tilt.abs());
        CurvePoint { tilt, number: self.n * outer, drop }
    }

    /// The largest tilted log likelihood over the atoms at the places `used`, and the weight of the outer ones there.
    fn maximum(&self, tilt: f64, used: impl Fn(Place) -> bool) -> (f64, f64) {
        let is_outer = |place: Place| place == Place::Outer || (place == Place::Edge && tilt < 0.0);
        let atoms: Vec<(f64, f64)> = (self.atoms.iter())
            .filter(|atom| used(atom.place))
            .map(|atom| (atom.value, if is_outer(atom.place) { -tilt.max(0.0) } else { tilt.min(0.0) }))
            .collect();
        let Binned { x, count } = &self.binned;
        let fitted = mixture_interior_point::fit(count, atoms.len(), |b, j| {
            let (value, shift) = atoms[j];
            shift - 0.5 * (x[b] - value).powi(2)
        });
        let maximum = count.iter().zip(&fitted.log_density).map(|(c, l)| c * l).sum();
        let places = self.atoms.iter().filter(|atom| used(atom.place));
        let outer = places.zip(&fitted.weights).filter(|(atom, _)| is_outer(atom.place)).map(|(_, w)| w).sum();
        (maximum, outer)
    }

    /// The number at which D reaches `most` on the side of the tilts with this sign.
    ///
    /// D is convex in N: between two points of the curve the chord is above it and the tangents, of slope −2u, are below.
    /// The search ends when chord and tangents reach `most` at nearly one number; where the curve has a straight piece (a
    /// jump of N at one tilt) the chord is the curve.
    fn end(&self, sign: f64, most: f64) -> f64 {
        const CLOSE: f64 = 0.002;
        const MOST_POINTS: usize = 60;
        let (mut within, mut beyond) = match self.bracket(sign, most) {
            Ok(bracket) => bracket,
            Err(last) => return last.number,
        };
        for trial in 0..MOST_POINTS {
            let on_chord = chord(&within, &beyond, most);
            let apart = [&within, &beyond].map(|point| (tangent(point, most) - on_chord).abs());
            if apart[0].min(apart[1]) < CLOSE || (within.number - beyond.number).abs() < CLOSE {
                break;
            }
            let tilt = if trial % 2 == 0 { by_root(&within, &beyond, most) } else { slope(&within, &beyond) };
            let (near, far) = (within.tilt.abs().min(beyond.tilt.abs()), within.tilt.abs().max(beyond.tilt.abs()));
            let tilt = if tilt > near && tilt < far { tilt } else { 0.5 * (near + far) };
            if tilt <= near || tilt >= far {
                break; // neighbouring doubles: N jumps here, and the chord is the curve
            }
            let point = self.at(sign * tilt);
            if point.drop < most { within = point } else { beyond = point }
        }
        chord(&within, &beyond, most)
    }

    /// Two points of the curve with D below `most` and not below it; or, if even the largest tilt stays below, its point.
    fn bracket(&self, sign: f64, most: f64) -> Result<(CurvePoint, CurvePoint), CurvePoint> {
        const TILTS: [f64; 9] = [0.1, 0.25, 0.625, 1.5625, 3.9, 9.8, 24.0, 61.0, 100.0];
        let mut within = None;
        let mut last = self.at(sign * TILTS[0]);
        for tilt in &TILTS[1..] {
            if last.drop >= most {
                break;
            }
            within = Some(last);
            last = self.at(sign * tilt);
        }
        if last.drop < most {
            return Err(last);
        }
        let mut beyond = last;
        while within.is_none() {
            // At u = 0 D is 0 but N is not unique, so that end is no point: go towards it until D is below `most`.
            let share = 0.95 * (most / beyond.drop).sqrt();
            let point = self.at(beyond.tilt * share.clamp(0.05, 0.9));
            if point.drop < most || point.tilt.abs() < 1e-12 { within = Some(point) } else { beyond = point }
        }
        Ok((within.unwrap_or(beyond), beyond))
    }
}

/// The atoms for scores between the first and last of `inside`.
fn atoms(inside: &[f64], limit: f64, one_sided: bool) -> Vec<Atom> {
    /// Above so many scores the atoms near zero are denser.
    const MANY: usize = 50_000;
    const DENSE_UP_TO: f64 = 4.0;
    const TENTH: f64 = 0.1;
    let place = |value: f64| match (value - limit) / TENTH {
        d if d > 0.5 => Place::Outer,
        d if d < -0.5 => Place::Inner,
        _ => Place::Edge,
    };
    let (low, high) = (inside.first().copied().unwrap_or(0.0), inside.last().copied().unwrap_or(0.0));
    let side = |farthest: f64| {
        let step = |value: f64| if inside.len() > MANY && value < DENSE_UP_TO - 0.5 * TENTH { 1 } else { 2 };
        let mut tenths = 0;
        let mut side = vec![];
        loop {
            let value = f64::from(tenths) * TENTH;
            side.push(Atom { value, place: place(value) });
            if value >= farthest && value > limit - 0.5 * TENTH {
                return side;
            }
            tenths += step(value);
        }
    };
    let right = side(high);
    if one_sided {
        return right;
    }
    let left = side(-low).into_iter().skip(1).rev().map(|atom| Atom { value: -atom.value, ..atom });
    left.chain(right).collect()
}

/// Where the chord between two points reaches D = `most`.
fn chord(within: &CurvePoint, beyond: &CurvePoint, most: f64) -> f64 {
    let rise = beyond.drop - within.drop;
    let share = if rise > 0.0 { ((most - within.drop) / rise).clamp(0.0, 1.0) } else { 0.5 };
    within.number + share * (beyond.number - within.number)
}

/// Where the tangent at a point reaches D = `most`.
fn tangent(point: &CurvePoint, most: f64) -> f64 {
    point.number - (most - point.drop) / (2.0 * point.tilt)
}

/// The size of the tilt at which D would be `most` if √D were linear in it, as it is for a parabola.
fn by_root(within: &CurvePoint, beyond: &CurvePoint, most: f64) -> f64 {
    let [a, b] = [within, beyond].map(|point| point.drop.max(0.0).sqrt());
    let share = (most.sqrt() - a) / (b - a);
    within.tilt.abs() + share * (beyond.tilt.abs() - within.tilt.abs())
}

/// The size of the tilt that the chord has as a slope: where the curve is straight, its one tilt.
fn slope(within: &CurvePoint, beyond: &CurvePoint) -> f64 {
    0.5 * ((beyond.drop - within.drop) / (beyond.number - within.number)).abs()
}

/// The whole numbers between two ends: a hundredth is forgiven.
pub(super) fn rounded([low, high]: [f64; 2]) -> [u64; 2] {
    [(low - 0.01).ceil().max(0.0) as u64, (high + 0.01).floor().max(0.0) as u64]
}

#[cfg(test)]
#[path = "count_interval_tests.rs"]
mod tests;
