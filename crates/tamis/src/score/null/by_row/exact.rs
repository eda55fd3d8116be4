//! Sums that are kept digit by digit: the same bits in any order, and twice the digits of a double once they are read.

use super::digits::{BITS, Digits, KEPT, power, whole};
use crate::numeric::linalg::dot;
use crate::score::moments::two_sum;
use serde::{Deserialize, Serialize};

/// A sum of numbers, or of products of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Exact {
    /// The place of the highest digit; `None` as long as all terms are 0.
    top: Option<i32>,
    levels: [i128; KEPT],
}

/// A number as an unevaluated sum of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Double(pub(crate) f64, pub(crate) f64);

impl Exact {
    /// The highest digit and all levels, for files.
    pub(crate) fn parts(&self) -> (Option<i32>, [i128; KEPT]) {
        (self.top, self.levels)
    }

    /// The sum that has these parts.
    pub(crate) fn of_parts(top: Option<i32>, levels: [i128; KEPT]) -> Exact {
        Exact { top, levels }
    }

    /// Adds the sum of the numbers in a span of rows.
    pub(super) fn add(&mut self, x: &Digits, rows: std::ops::Range<usize>) {
        let Some(top) = x.top else { return };
        let mut levels = [0; KEPT];
        for (k, level) in levels.iter_mut().enumerate() {
            let Some(digit) = x.digit(k) else { break };
            *level = i128::from(whole(digit[rows.clone()].iter().sum()));
        }
        self.merge(&Exact { top: Some(top), levels });
    }

    /// Adds the sum of products in a span of rows.
    pub(super) fn add_products(&mut self, x: &Digits, y: &Digits, rows: std::ops::Range<usize>) {
        let (Some(a), Some(b)) = (x.top, y.top) else { return };
        let mut levels = [0; KEPT];
        for i in 0..KEPT {
            let Some(left) = x.digit(i) else { break };
            for (j, level) in levels[i..].iter_mut().enumerate() {
                let Some(right) = y.digit(j) else { break };
                *level += i128::from(whole(dot(&left[rows.clone()], &right[rows.clone()])));
            }
        }
        self.merge(&Exact { top: Some(a + b), levels });
    }

    /// Adds the sum of squares in a span of rows.
    pub(super) fn add_squares(&mut self, x: &Digits, rows: std::ops::Range<usize>) {
        let Some(top) = x.top else { return };
        let mut levels = [0; KEPT];
        for i in 0..KEPT.div_ceil(2) {
            let Some(left) = x.digit(i) else { break };
            for j in i..KEPT - i {
                let Some(right) = x.digit(j) else { break };
                let sum = i128::from(whole(dot(&left[rows.clone()], &right[rows.clone()])));
                levels[i + j] += if i == j { sum } else { 2 * sum };
            }
        }
        self.merge(&Exact { top: Some(2 * top), levels });
    }

    /// Adds a number.
    pub(crate) fn add_one(&mut self, x: f64) {
        let mut digits = Digits::default();
        digits.set(&[x]);
        self.add(&digits, 0..1);
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: &Exact) {
        let Some(theirs) = other.top else { return };
        let top = self.top.map_or(theirs, |top| top.max(theirs));
        let own = self.top.map_or(KEPT, |own| (top - own) as usize);
        let mut levels = [0; KEPT];
        for (k, level) in self.levels.iter().enumerate() {
            if let Some(at) = levels.get_mut(k + own) {
                *at += level;
            }
        }
        for (k, level) in other.levels.iter().enumerate() {
            if let Some(at) = levels.get_mut(k + (top - theirs) as usize) {
                *at += level;
            }
        }
        *self = Exact { top: Some(top), levels };
    }

    /// What is left of the sum once another, of some of its terms, is taken away.
    pub(crate) fn less(&self, other: &Exact) -> Exact {
        let mut levels = other.levels;
        levels.iter_mut().for_each(|level| *level = -*level);
        let mut left = *self;
        left.merge(&Exact { top: other.top, levels });
        left
    }

    /// The sum times 2^`shift`.
    pub(crate) fn scaled(&self, shift: i32) -> Double {
        let Some(top) = self.top else { return Double(0.0, 0.0) };
        // from the lowest on, what goes beyond a digit is carried, so that cancelling levels cost nothing
        let mut carry = 0_i128;
        let mut digits = [0_i128; KEPT];
        for (digit, level) in digits.iter_mut().zip(&self.levels).rev() {
            let sum = level + carry;
            carry = sum >> BITS;
            *digit = sum - (carry << BITS);
        }
        let mut value = double_of(carry).times_power(BITS);
        for digit in digits {
            value = value.plus(double_of(digit)).times_power(BITS);
        }
        value.times_power(BITS * (top - KEPT as i32) + shift)
    }

    /// The sum.
    pub(crate) fn value(&self) -> f64 {
        let Double(high, low) = self.scaled(0);
        high + low
    }
}

/// A whole number below 2^106.
fn double_of(whole: i128) -> Double {
    let high = whole as f64;
    Double(high, (whole - high as i128) as f64)
}

impl Double {
    pub(crate) fn plus(self, other: Double) -> Double {
        let (sum, error) = two_sum(self.0, other.0);
        let (sum, rest) = two_sum(sum, error + self.1 + other.1);
        Double(sum, rest)
    }

    pub(crate) fn minus(self, other: Double) -> Double {
        self.plus(Double(-other.0, -other.1))
    }

    pub(crate) fn times(self, other: Double) -> Double {
        let product = self.0 * other.0;
        let error = self.0.mul_add(other.0, -product) + (self.0 * other.1 + self.1 * other.0);
        let (high, low) = two_sum(product, error);
        Double(high, low)
    }

    pub(crate) fn over(self, other: Double) -> Double {
        let first = self.0 / other.0;
        let left = self.minus(other.times(Double(first, 0.0)));
        let (high, low) = two_sum(first, (left.0 + left.1) / other.0);
        Double(high, low)
    }

    pub(crate) fn value(self) -> f64 {
        self.0 + self.1
    }

    /// Times 2^k, in steps that stay in the range of f64.
    fn times_power(self, mut k: i32) -> Double {
        let Double(mut high, mut low) = self;
        while k != 0 {
            let step = k.clamp(-900, 900);
            (high, low) = (high * power(step), low * power(step));
            k -= step;
        }
        Double(high, low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;

    fn sums(numbers: &[f64], cuts: &[usize]) -> (Exact, Exact) {
        let (mut sum, mut squares) = (Exact::default(), Exact::default());
        let mut from = 0;
        for &to in cuts.iter().chain([&numbers.len()]) {
            let mut digits = Digits::default();
            digits.set(&numbers[from..to]);
            sum.add(&digits, 0..to - from);
            squares.add_squares(&digits, 0..to - from);
            from = to;
        }
        (sum, squares)
    }

    #[test]
    fn any_cut_and_order_gives_the_same_sums() {
        let mut rng = random::stream(3, 0);
        let mut numbers: Vec<f64> =
            (0..400).map(|i| random::standard_normal(&mut rng) * 10.0_f64.powi([0, 8, -7, 1, -20][i % 5])).collect();
        let whole = sums(&numbers, &[]);
        assert_eq!(whole, sums(&numbers, &[1, 2, 50, 51, 399]));
        let mut parts = sums(&numbers[..100], &[]).0;
        let mut others = sums(&numbers[100..], &[7]).0;
        others.merge(&parts);
        parts = others;
        assert_eq!(parts, whole.0);
        numbers.reverse();
        assert_eq!(whole, sums(&numbers, &[200]));
    }

    #[test]
    fn variances_far_from_zero_and_constants_are_right() {
        let numbers: Vec<f64> = (0..1000).map(|i| 1e7 + f64::from(i % 10) * 0.25).collect();
        let (sum, squares) = sums(&numbers, &[3, 512]);
        let n = Double(1000.0, 0.0);
        let m2 = squares.scaled(0).minus(sum.scaled(0).times(sum.scaled(0)).over(n)).value();
        assert!((m2 / (1000.0 * 8.25 * 0.0625) - 1.0).abs() < 1e-9, "{m2}");
        let (sum, squares) = sums(&[0.1; 300], &[100]);
        let m2 = squares.scaled(0).minus(sum.scaled(0).times(sum.scaled(0)).over(Double(300.0, 0.0))).value();
        assert!(m2.abs() < 1e-22, "{m2}");
    }

    #[test]
    fn products_are_those_of_ordinary_sums() {
        let mut rng = random::stream(4, 0);
        let draw = |rng: &mut _| (0..300).map(|_| 5.0 + random::standard_normal(rng)).collect::<Vec<f64>>();
        let (x, y) = (draw(&mut rng), draw(&mut rng));
        let [mut a, mut b] = [Digits::default(), Digits::default()];
        a.set(&x);
        b.set(&y);
        let mut sum = Exact::default();
        sum.add_products(&a, &b, 0..300);
        let wanted: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        assert!((sum.value() / wanted - 1.0).abs() < 1e-13);
        assert!(sum.less(&sum).value() == 0.0);
    }
}
