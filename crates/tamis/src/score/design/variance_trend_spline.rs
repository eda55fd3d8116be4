//! A natural cubic spline fitted by least squares: a smooth curve through many points, straight beyond its outer knots.

use crate::numeric::linalg::{Matrix, dot};

/// A fitted curve.
#[derive(Debug, Clone)]
pub(super) struct NaturalSpline {
    /// Ascending and different, brought to 0 … 1.
    knots: Vec<f64>,
    from: f64,
    range: f64,
    coefficients: Vec<f64>,
}

impl NaturalSpline {
    /// The curve of `y` over `x`, with 1 to 4 degrees of freedom by the number of points; knots at equal quantiles.
    pub(super) fn fit(x: &[f64], y: &[f64]) -> NaturalSpline {
        let n = x.len();
        NaturalSpline::of_degrees(x, y, 1 + usize::from(n >= 3) + usize::from(n >= 6) + usize::from(n >= 30))
    }

    /// The curve with so many degrees of freedom, or as many as there are different `x`.
    pub(super) fn of_degrees(x: &[f64], y: &[f64], wanted: usize) -> NaturalSpline {
        let n = x.len();
        let mut sorted = x.to_vec();
        sorted.sort_by(f64::total_cmp);
        let distinct = 1 + sorted.windows(2).filter(|pair| pair[0] < pair[1]).count();
        let degrees = wanted.min(distinct);
        let quantile = |i: usize| {
            let place = i as f64 / (degrees - 1) as f64 * (n - 1) as f64;
            let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            low + (place - place.floor()) * (high - low)
        };
        let mut knots: Vec<f64> = if degrees < 2 { vec![] } else { (0..degrees).map(quantile).collect() };
        knots.dedup();
        let (from, range) = match (knots.first(), knots.last()) {
            (Some(&first), Some(&last)) if last > first => (first, last - first),
            _ => (0.0, 1.0),
        };
        knots.iter_mut().for_each(|knot| *knot = (*knot - from) / range);
        let mut spline = NaturalSpline { knots, from, range, coefficients: vec![] };
        spline.coefficients = spline.least_squares(x, y);
        spline
    }

    /// The numbers that were fitted: the dimension of the curves.
    pub(super) fn degrees(&self) -> usize {
        self.knots.len().max(1)
    }

    /// The curve's height.
    pub(super) fn at(&self, x: f64) -> f64 {
        dot(&self.basis(x), &self.coefficients)
    }

    /// 1, x, and a curve for every knot but two (Hastie, Tibshirani & Friedman 2009, eq. 5.4).
    fn basis(&self, x: f64) -> Vec<f64> {
        let mut basis = vec![1.0];
        if self.knots.len() < 2 {
            return basis;
        }
        let x = (x - self.from) / self.range;
        basis.push(x);
        let (last, before) = (self.knots[self.knots.len() - 1], self.knots[self.knots.len() - 2]);
        let cube = |knot: f64| (x - knot).max(0.0).powi(3);
        let slope = |knot: f64| (cube(knot) - cube(last)) / (last - knot);
        basis.extend(self.knots[..self.knots.len() - 2].iter().map(|&knot| slope(knot) - slope(before)));
        basis
    }

    /// Coefficients by Gram and Schmidt's orthogonalisation, twice over.
    fn least_squares(&self, x: &[f64], y: &[f64]) -> Vec<f64> {
        let rows: Vec<Vec<f64>> = x.iter().map(|&x| self.basis(x)).collect();
        let width = self.degrees();
        let mut q = Matrix::from_fn(x.len(), width, |i, j| rows[i][j]);
        let mut r = Matrix::zeros(width, width);
        let mut shares = vec![0.0; width];
        let mut left = y.to_vec();
        for j in 0..width {
            let mut column = q.column(j).to_vec();
            for _ in 0..2 {
                for i in 0..j {
                    let share = dot(q.column(i), &column);
                    column.iter_mut().zip(q.column(i)).for_each(|(c, q)| *c -= share * q);
                    r.column_mut(j)[i] += share;
                }
            }
            let length = dot(&column, &column).sqrt();
            r.column_mut(j)[j] = length;
            column.iter_mut().for_each(|c| *c /= length);
            shares[j] = dot(&column, &left);
            left.iter_mut().zip(&column).for_each(|(y, c)| *y -= shares[j] * c);
            q.column_mut(j).copy_from_slice(&column);
        }
        for j in (0..width).rev() {
            shares[j] /= r.column(j)[j];
            let found = shares[j];
            (0..j).for_each(|i| shares[i] -= r.column(j)[i] * found);
        }
        shares
    }
}
