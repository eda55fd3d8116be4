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
use crate::sparse_means::mixture_interior_point::Likelihoods;

/// Scores beyond this exceed the limit with certainty and stay out of the fit.
pub(super) const CERTAIN: f64 = 8.0;
/// The largest D inside the interval.
const TWO_SIDED: f64 = 4.2306;
/// The largest D inside the interval where only positive effects count.
const ONE_SIDED: f64 = 3.8415;

/// Scores whose effects are counted.
#[derive(Debug, Clone)]
pub(super) struct CountedScores {
    /// Scores that exceed every limit with certainty.
    far: usize,
    /// Scores in the fit.
    n: usize,
    /// The first and the last of them.
    range: [f64; 2],
    binned: Binned,
    /// Only positive effects count.
    one_sided: bool,
}

impl CountedScores {
    /// Of ascending finite scores; only positive ones count if `one_sided`.
    pub(super) fn new(sorted: &[f64], one_sided: bool) -> CountedScores {
        let from = if one_sided { 0 } else { sorted.partition_point(|z| *z < -CERTAIN) };
        let to = sorted.partition_point(|z| *z <= CERTAIN);
        let inside = &sorted[from..to];
        CountedScores {
            far: sorted.len() - inside.len(),
            n: inside.len(),
            range: [inside.first(), inside.last()].map(|z| z.copied().unwrap_or(0.0)),
            binned: Binned::new(inside, BIN),
            one_sided,
        }
    }
}

/// The profile likelihood of how many effects exceed a limit.
pub(super) struct CountCurve<'a> {
    scores: &'a CountedScores,
    atoms: Vec<Atom>,
    /// Of the nodes with weight under every atom, each density without its 1/√2π.
    likelihoods: Likelihoods,
    /// ℓ*, the largest log likelihood over all atoms.
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

impl<'a> CountCurve<'a> {
    /// The curve for effects beyond `limit`: |μ| > `limit`, or μ > `limit` where only positive ones count.
    pub(super) fn new(scores: &'a CountedScores, limit: f64) -> CountCurve<'a> {
        let atoms = atoms(scores, limit);
        let x = &scores.binned.x;
        let density = |b: usize, j: usize| -0.5 * (x[b] - atoms[j].value).powi(2);
        let mut curve = CountCurve {
            likelihoods: Likelihoods::new(x.len(), atoms.len(), density),
            scores,
            atoms,
            best: 0.0,
            threshold: if scores.one_sided { ONE_SIDED } else { TWO_SIDED },
        };
        if scores.n > 0 {
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
        let none_needed = self.scores.n == 0 || self.drop_without_outer() <= most;
        self.scores.far as f64 + if none_needed { 0.0 } else { self.end(1.0, most) }
    }

    /// The upper of [`CountCurve::ends`].
    pub(super) fn high_end(&self, phi: f64) -> f64 {
        self.scores.far as f64 + if self.scores.n == 0 { 0.0 } else { self.end(-1.0, self.threshold * phi) }
    }

    /// D₀ = 2(ℓ* − the largest log likelihood of inner atoms alone).
    fn drop_without_outer(&self) -> f64 {
        2.0 * (self.best - self.maximum(0.0, |place| place != Place::Outer).0)
    }

    /// The point of the curve at a tilt, which is not 0.
    pub(super) fn at(&self, tilt: f64) -> CurvePoint {
        let (maximum, outer) = self.maximum(tilt, |_| true);
        let untilted = if tilt < 0.0 { 1.0 - outer } else { outer };
        let drop = 2.0 * (self.best - maximum - self.scores.n as f64 * untilted * tilt.abs());
        CurvePoint { tilt, number: self.scores.n as f64 * outer, drop }
    }

    /// The largest tilted log likelihood over the atoms at the places `used`, and the weight of the outer ones there.
    fn maximum(&self, tilt: f64, used: impl Fn(Place) -> bool) -> (f64, f64) {
        let is_outer = |place: Place| place == Place::Outer || (place == Place::Edge && tilt < 0.0);
        let tilted: Vec<(usize, f64)> = (self.atoms.iter().enumerate())
            .filter(|(_, atom)| used(atom.place))
            .map(|(j, atom)| (j, if is_outer(atom.place) { -tilt.max(0.0) } else { tilt.min(0.0) }))
            .collect();
        let count = &self.scores.binned.count;
        let fitted = self.likelihoods.shifted(&tilted).fit(count);
        let maximum = count.iter().zip(&fitted.log_density).map(|(c, l)| c * l).sum();
        let places = self.atoms.iter().filter(|atom| used(atom.place));
        let outer = places.zip(&fitted.weights).filter(|(atom, _)| is_outer(atom.place)).map(|(_, w)| w).sum();
        (maximum, outer)
    }

    /// The number at which D reaches `most` on the side of the tilts with this sign.
    ///
    /// D is convex in N with slope −2u: between two points of the curve the chord is above it, the tangents are below, and
    /// the cubic with the points' values and slopes is close. The search ends when two of them reach `most` at nearly one
    /// number; where the curve has a straight piece (a jump of N at one tilt) all of them are the curve.
    fn end(&self, sign: f64, most: f64) -> f64 {
        const MOST_POINTS: usize = 60;
        let (mut within, mut beyond) = match self.bracket(sign, most) {
            Ok(bracket) => bracket,
            Err(last) => return last.number,
        };
        let close = (1e-6 * within.number).max(0.002);
        for trial in 0..MOST_POINTS {
            let on_chord = chord(&within, &beyond, most);
            let apart = [&within, &beyond].map(|point| (tangent(point, most) - on_chord).abs());
            if apart[0].min(apart[1]) < close || (within.number - beyond.number).abs() < close {
                break;
            }
            let (on_cubic, tilt) = cubic(&within, &beyond, most);
            let nearer = if most - within.drop < beyond.drop - most { &within } else { &beyond };
            if (tangent(nearer, most) - on_cubic).abs() < 0.25 * close {
                return on_cubic;
            }
            let tilt = if trial % 3 < 2 { tilt } else { slope(&within, &beyond) };
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
    ///
    /// Near its end D is about a parabola, so that √D tells how far to go. At u = 0 D is 0 but N is not unique, so that end
    /// is no point.
    fn bracket(&self, sign: f64, most: f64) -> Result<(CurvePoint, CurvePoint), CurvePoint> {
        const LARGEST: f64 = 100.0;
        const SMALLEST: f64 = 1e-12;
        let (mut within, mut beyond) = (None, None);
        let mut tilt = 0.1 * (2000.0 / self.scores.n.max(2000) as f64).sqrt(); // near most ends
        loop {
            let point = self.at(sign * tilt);
            let to_end = (most / point.drop.max(f64::MIN_POSITIVE)).sqrt();
            if point.drop < most || tilt < SMALLEST {
                if beyond.is_none() && tilt >= LARGEST {
                    return Err(point);
                }
                within = Some(point);
                tilt = (tilt * (1.1 * to_end).clamp(1.2, 5.0)).min(LARGEST);
            } else {
                beyond = Some(point);
                tilt *= (0.95 * to_end).clamp(0.05, 0.9);
            }
            if let (Some(within), Some(beyond)) = (within, beyond) {
                return Ok((within, beyond));
            }
        }
    }
}

/// The atoms for scores in their range.
fn atoms(scores: &CountedScores, limit: f64) -> Vec<Atom> {
    /// Above so many scores the atoms near zero are denser.
    const MANY: usize = 50_000;
    const DENSE_UP_TO: f64 = 4.0;
    const TENTH: f64 = 0.1;
    let place = |value: f64| match (value - limit) / TENTH {
        d if d > 0.5 => Place::Outer,
        d if d < -0.5 => Place::Inner,
        _ => Place::Edge,
    };
    let [low, high] = scores.range;
    let side = |farthest: f64| {
        let step = |value: f64| if scores.n > MANY && value < DENSE_UP_TO - 0.5 * TENTH { 1 } else { 2 };
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
    if scores.one_sided {
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

/// Where the cubic with the values and slopes of two points reaches D = `most`, and the size of the tilt there.
fn cubic(within: &CurvePoint, beyond: &CurvePoint, most: f64) -> (f64, f64) {
    let width = beyond.number - within.number;
    let [start, end] = [within, beyond].map(|point| -2.0 * point.tilt * width);
    let rise = beyond.drop - within.drop;
    // D = within.drop + start·t + b·t² + a·t³ for t from 0 to 1
    let (a, b) = (start + end - 2.0 * rise, 3.0 * rise - 2.0 * start - end);
    let value = |t: f64| within.drop + t * (start + t * (b + t * a));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if value(middle) < most { low = middle } else { high = middle }
    }
    let slope = start + low * (2.0 * b + low * 3.0 * a);
    (within.number + low * width, (0.5 * slope / width).abs())
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
