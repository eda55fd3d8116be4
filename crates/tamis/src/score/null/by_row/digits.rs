//! Numbers as digits on a grid that does not depend on the data, so that sums have the same bits in any order.
//!
//! A number is Σ d_t·2^(17t) with whole digits |d_t| ≤ 2^16, each the nearest to what the higher ones leave: its digits are
//! its own, whatever it is summed with. Of some numbers the highest digits are kept, counted from the highest that any of
//! them has (Demmel & Nguyen 2013). Sums of digits and of their products over a block of rows are whole numbers below 2^53,
//! hence exact in any order, by any product of matrices; sums over blocks are whole numbers of 128 bits.

/// Bits between neighbouring digits.
pub(super) const BITS: i32 = 17;
/// Digits of a number that are kept. Products of two numbers are kept to as many digits, 2⁻⁸⁰ of the largest.
pub(crate) const KEPT: usize = 7;
/// Rows of a block at most: sums of products of digits over them are exact in double precision.
pub(super) const ROWS: usize = 512;
/// The digit of numbers so small that they count as 0.
const LOWEST: i32 = -45;

/// 2^k.
pub(super) fn power(k: i32) -> f64 {
    f64::from_bits(((k + 1023).clamp(1, 2046) as u64) << 52)
}

/// The highest digit that numbers of this size have: the least t with size < 2^(17t + 16). `None` for 0 and NaN.
pub(super) fn top_of(size: f64) -> Option<i32> {
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let top = (exponent + 1 - (BITS - 1) + BITS - 1).div_euclid(BITS);
    (size > 0.0 && top >= LOWEST).then_some(top)
}

/// The digits of some numbers, digit by digit from the highest on.
#[derive(Default)]
pub(super) struct Digits {
    /// The place of the highest; `None` where all numbers are 0.
    pub(super) top: Option<i32>,
    /// Digits, as many as are not all 0 behind the last.
    values: Vec<Vec<f64>>,
    used: usize,
    rest: Vec<f64>,
}

impl Digits {
    /// Takes the digits of numbers; those that are missing have none.
    pub(super) fn set(&mut self, numbers: &[f64]) {
        let size = numbers.iter().fold(0.0_f64, |size, x| if x.abs() > size { x.abs() } else { size });
        self.top = top_of(size);
        self.used = 0;
        let Some(top) = self.top else { return };
        self.rest.clear();
        self.rest.extend(numbers.iter().map(|x| if x.is_nan() { 0.0 } else { *x }));
        while self.used < KEPT {
            if self.values.len() == self.used {
                self.values.push(vec![]);
            }
            let place = BITS * (top - self.used as i32);
            let (unit, per_unit) = (power(place), power(-place));
            let digit = &mut self.values[self.used];
            digit.resize(numbers.len(), 0.0);
            let mut left = false;
            for (digit, rest) in digit.iter_mut().zip(&mut self.rest) {
                *digit = nearest(*rest * per_unit);
                *rest -= *digit * unit;
                left |= *rest != 0.0;
            }
            self.used += 1;
            if !left || place - BITS < BITS * LOWEST {
                return;
            }
        }
    }

    /// Digit number k from the highest on; `None` where it is 0 in all numbers.
    pub(super) fn digit(&self, k: usize) -> Option<&[f64]> {
        (k < self.used).then(|| &self.values[k][..])
    }
}

/// The whole number next to x, of |x| ≤ 2^50.
#[inline(always)]
pub(super) fn nearest(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2^52
    (x + SHIFT) - SHIFT
}

/// A whole number |x| < 2^51 as an integer, without the slow conversion of most machines.
#[inline(always)]
pub(super) fn whole(x: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    ((x + SHIFT).to_bits() as i64).wrapping_sub(SHIFT.to_bits() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_number_are_its_own_and_make_it_up() {
        let numbers = [1.0, -3.7e5, 65_535.999, 65_536.0, 1e-9, 0.1, -2.5e17, 0.0, f64::NAN, 1e-300];
        for x in numbers {
            let (mut alone, mut beside) = (Digits::default(), Digits::default());
            alone.set(&[x]);
            beside.set(&[x, 1e9]);
            let value = |digits: &Digits, upto: i32| -> f64 {
                let Some(top) = digits.top else { return 0.0 };
                let each = (0..KEPT).filter(|k| top - *k as i32 >= upto);
                each.filter_map(|k| Some(digits.digit(k)?[0] * power(BITS * (top - k as i32)))).sum()
            };
            if x.is_finite() {
                assert_eq!(value(&alone, LOWEST), if x.abs() < 1e-200 { 0.0 } else { x });
            }
            let lowest = beside.top.map_or(0, |top| top - KEPT as i32 + 1).max(alone.top.map_or(0, |t| t - 3));
            assert_eq!(value(&alone, lowest), value(&beside, lowest), "{x}");
        }
    }

    #[test]
    fn whole_numbers_are_told_exactly() {
        for x in [0_i64, 1, -1, (1 << 50) - 1, -(1 << 50), 123_456_789] {
            assert_eq!(whole(x as f64), x);
        }
        assert_eq!((nearest(2.4), nearest(-2.6)), (2.0, -3.0));
    }
}
