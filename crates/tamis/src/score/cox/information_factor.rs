//! A factored information matrix; columns that depend on earlier ones are passed over.

/// A pivot below this share of its diagonal entry is rounding error.
const DEPENDENT: f64 = 1e-10;

/// The factors L·D·Lᵀ of an information matrix. A column that depends on those before it has the pivot 0 and gets the
/// coefficient 0.
#[derive(Debug, Clone, Default)]
pub(super) struct InformationFactor {
    /// The rows of L, left of its diagonal of ones.
    lower: Vec<Vec<f64>>,
    pivots: Vec<f64>,
}

impl InformationFactor {
    /// Factors a symmetric matrix, of which only the lower triangle is read. Cost: O(p³).
    pub(super) fn new(matrix: &[Vec<f64>]) -> InformationFactor {
        let mut factor = InformationFactor::default();
        for (i, row) in matrix.iter().enumerate() {
            let scaled = factor.forward(&row[..i]);
            let lower = factor.divided(&scaled);
            let left = row[i] - lower.iter().zip(&scaled).map(|(l, s)| l * s).sum::<f64>();
            factor.pivots.push(if left > DEPENDENT * row[i] { left } else { 0.0 });
            factor.lower.push(lower);
        }
        factor
    }

    /// L⁻¹·b for as many entries as b has.
    fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut solved: Vec<f64> = Vec::with_capacity(b.len());
        for (entry, lower) in b.iter().zip(&self.lower) {
            solved.push(entry - lower.iter().zip(&solved).map(|(l, s)| l * s).sum::<f64>());
        }
        solved
    }

    /// D⁻¹·b, 0 where a column depends on others.
    fn divided(&self, b: &[f64]) -> Vec<f64> {
        b.iter().zip(&self.pivots).map(|(b, pivot)| if *pivot > 0.0 { b / pivot } else { 0.0 }).collect()
    }

    /// The solution of matrix·x = b.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = self.divided(&self.forward(b));
        for i in (0..x.len()).rev() {
            for j in 0..i {
                x[j] -= self.lower[i][j] * x[i];
            }
        }
        x
    }

    /// bᵀ·matrix⁻¹·b.
    pub(super) fn quadratic(&self, b: &[f64]) -> f64 {
        let forward = self.forward(b);
        forward.iter().zip(self.divided(&forward)).map(|(f, d)| f * d).sum()
    }

    /// The information of the last column about its own coefficient once those of all others are estimated.
    pub(super) fn last_pivot(&self) -> f64 {
        self.pivots.last().copied().unwrap_or(0.0)
    }

    /// How many columns from number `from` on do not depend on earlier ones.
    pub(super) fn rank_from(&self, from: usize) -> usize {
        self.pivots.iter().skip(from).filter(|pivot| **pivot > 0.0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_satisfy_the_equations() {
        let matrix = vec![vec![4.0, 0.0, 0.0], vec![2.0, 5.0, 0.0], vec![-1.0, 0.5, 3.0]];
        let b = [1.0, -2.0, 0.5];
        let x = InformationFactor::new(&matrix).solve(&b);
        for i in 0..3 {
            let entry = |j: usize| if j <= i { matrix[i][j] } else { matrix[j][i] };
            let left: f64 = (0..3).map(|j| entry(j) * x[j]).sum();
            assert!((left - b[i]).abs() < 1e-12, "{i}: {left}");
        }
        let quadratic: f64 = b.iter().zip(&x).map(|(b, x)| b * x).sum();
        assert!((InformationFactor::new(&matrix).quadratic(&b) - quadratic).abs() < 1e-12);
    }

    #[test]
    fn a_column_twice_counts_once() {
        let matrix = vec![vec![2.0, 0.0, 0.0], vec![2.0, 2.0, 0.0], vec![1.0, 1.0, 3.0]];
        let factor = InformationFactor::new(&matrix);
        assert_eq!((factor.rank_from(0), factor.rank_from(1)), (2, 1));
        let x = factor.solve(&[1.0, 1.0, 2.0]);
        assert_eq!(x[1], 0.0);
        assert!((2.0 * x[0] + x[2] - 1.0).abs() < 1e-12 && (x[0] + 3.0 * x[2] - 2.0).abs() < 1e-12);
    }
}
