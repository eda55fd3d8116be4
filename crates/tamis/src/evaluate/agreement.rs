//! Predicted classes against the true ones.

use crate::base::Result;
use crate::numeric::measure_checks::{nothing_predicted, refuse, same_length};
use crate::numeric::special::Z_95;
use serde::{Deserialize, Serialize};

/// How often each class was taken for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confusion {
    /// `counts[i][j]`: rows of class i that were predicted to be of class j.
    pub counts: Vec<Vec<u64>>,
}

/// Cohen's kappa: agreement beyond chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Kappa {
    /// (agreement − agreement by chance) / (1 − agreement by chance); 1 is perfect, 0 is chance.
    pub kappa: f64,
    /// Its large-sample variance.
    pub variance: f64,
    /// A 95 % interval; see [`Confusion::kappa`].
    pub interval_95: [f64; 2],
}

impl Confusion {
    /// No rows yet, of that many classes.
    pub fn new(classes: usize) -> Confusion {
        Confusion { counts: vec![vec![0; classes]; classes] }
    }

    /// The true and the predicted class of every row. O(rows).
    pub fn of(classes: usize, truth: &[u32], predicted: &[usize]) -> Result<Confusion> {
        same_length((truth.len(), "classes"), (predicted.len(), "predictions"))?;
        let mut confusion = Confusion::new(classes);
        for (&t, &p) in truth.iter().zip(predicted) {
            confusion.add(t, p)?;
        }
        Ok(confusion)
    }

    /// One more row.
    pub fn add(&mut self, truth: u32, predicted: usize) -> Result<()> {
        let classes = self.counts.len();
        match self.counts.get_mut(truth as usize).and_then(|row| row.get_mut(predicted)) {
            Some(count) => *count += 1,
            None => {
                let problem = format!("a row of class {truth} predicted to be of class {predicted}, of {classes}");
                return refuse(problem, "number the classes from 0");
            }
        }
        Ok(())
    }

    /// How many rows.
    pub fn n_rows(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// How many rows were predicted right.
    pub fn right(&self) -> u64 {
        (0..self.counts.len()).map(|i| self.counts[i][i]).sum()
    }

    /// The share of rows that were predicted wrong. Refuses no rows.
    pub fn error_rate(&self) -> Result<f64> {
        Ok((self.some_rows()? - self.right()) as f64 / self.n_rows() as f64)
    }

    /// Wilson's 95 % interval for the error rate.
    pub fn error_95(&self) -> Result<[f64; 2]> {
        let rows = self.some_rows()?;
        Ok(wilson(rows - self.right(), rows))
    }

    /// The mean over classes of the share of their rows predicted wrong; classes without rows are left out.
    pub fn balanced_error(&self) -> Result<f64> {
        self.some_rows()?;
        let shares: Vec<f64> = (0..self.counts.len())
            .map(|i| (self.counts[i].iter().sum::<u64>(), self.counts[i][i]))
            .filter(|(rows, _)| *rows > 0)
            .map(|(rows, right)| (rows - right) as f64 / rows as f64)
            .collect();
        Ok(shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// Cohen's kappa with the variance of Fleiss, Cohen and Everitt, and κ ± 1.96 s cut to [−1, 1].
    ///
    /// With p the table's shares, a agreement, e agreement by chance:
    /// n(1−e)⁴ s² = Σᵢ pᵢᵢ[(1−e) − (pᵢ. + p.ᵢ)(1−a)]² + (1−a)² Σᵢ≠ⱼ pᵢⱼ(p.ᵢ + pⱼ.)² − (ae − 2e + a)².
    ///
    /// That variance is 0 when every row is right: the interval is then Wilson's for the agreement, carried to the
    /// scale of kappa. If truth and prediction are one and the same class everywhere, chance explains all: κ = 0,
    /// interval [−1, 1].
    ///
    /// Reference: J. L. Fleiss, J. Cohen, B. S. Everitt (1969), Psychological Bulletin 72.
    pub fn kappa(&self) -> Result<Kappa> {
        let rows = self.some_rows()?;
        let (k, n) = (self.counts.len(), rows as f64);
        let p = |i: usize, j: usize| self.counts[i][j] as f64 / n;
        let row: Vec<f64> = (0..k).map(|i| self.counts[i].iter().sum::<u64>() as f64 / n).collect();
        let column: Vec<f64> = (0..k).map(|j| self.counts.iter().map(|r| r[j]).sum::<u64>() as f64 / n).collect();
        let a = self.right() as f64 / n;
        let e: f64 = row.iter().zip(&column).map(|(r, c)| r * c).sum();
        if row.iter().zip(&column).any(|(r, c)| *r == 1.0 && *c == 1.0) {
            return Ok(Kappa { kappa: 0.0, variance: 0.0, interval_95: [-1.0, 1.0] });
        }
        let kappa = (a - e) / (1.0 - e);
        let mut sum = -(a * e - 2.0 * e + a).powi(2);
        for i in 0..k {
            for j in 0..k {
                sum += if i == j {
                    p(i, i) * ((1.0 - e) - (row[i] + column[i]) * (1.0 - a)).powi(2)
                } else {
                    (1.0 - a).powi(2) * p(i, j) * (column[i] + row[j]).powi(2)
                };
            }
        }
        let variance = if sum > 1e-14 { sum / (n * (1.0 - e).powi(4)) } else { 0.0 };
        let ends = if variance > 0.0 {
            let half = Z_95 * variance.sqrt();
            [kappa - half, kappa + half]
        } else {
            wilson(self.right(), rows).map(|a| (a - e) / (1.0 - e))
        };
        Ok(Kappa { kappa, variance, interval_95: ends.map(|x| x.clamp(-1.0, 1.0)) })
    }

    fn some_rows(&self) -> Result<u64> {
        match self.n_rows() {
            0 => nothing_predicted(),
            rows => Ok(rows),
        }
    }
}

/// Wilson's 95 % interval for a share, `count` of `of`; [0, 1] of nothing.
pub fn wilson(count: u64, of: u64) -> [f64; 2] {
    if of == 0 {
        return [0.0, 1.0];
    }
    let (n, z2) = (of as f64, Z_95 * Z_95);
    let share = count as f64 / n;
    let centre = (share + 0.5 * z2 / n) / (1.0 + z2 / n);
    let half = Z_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + 0.25 * z2 / (n * n)).sqrt();
    [if count == 0 { 0.0 } else { centre - half }, if count == of { 1.0 } else { centre + half }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_at_its_ends_still_has_an_interval() {
        let right = Confusion { counts: vec![vec![10, 0], vec![0, 10]] }.kappa().expect("rows");
        assert_eq!((right.kappa, right.variance, right.interval_95[1]), (1.0, 0.0, 1.0));
        assert!(right.interval_95[0] > 0.5 && right.interval_95[0] < 0.9, "{right:?}");
        let wrong = Confusion { counts: vec![vec![0, 10], vec![10, 0]] }.kappa().expect("rows");
        assert_eq!((wrong.kappa, wrong.interval_95[0]), (-1.0, -1.0));
        assert!(wrong.interval_95[1] < -0.5 && wrong.interval_95[1] > -1.0, "{wrong:?}");
        let nothing = Confusion { counts: vec![vec![10, 0], vec![0, 0]] }.kappa().expect("rows");
        assert_eq!((nothing.kappa, nothing.interval_95), (0.0, [-1.0, 1.0]));
    }

    #[test]
    fn what_cannot_be_counted_is_said() {
        assert!(Confusion::of(2, &[0, 2], &[0, 1]).is_err());
        assert!(Confusion::of(2, &[0, 1], &[0]).is_err());
        assert!(Confusion::new(3).error_rate().is_err());
    }
}
