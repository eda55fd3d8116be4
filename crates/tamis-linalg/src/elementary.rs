//! Exponentials and logarithms without branches, so that loops over them vectorise; no fused operations, so that every
//! machine has the same bits.

/// eˣ for |x| ≤ 708, by 2ⁿeʳ with |r| ≤ ½ ln 2 and a Taylor sum; what lies outside is taken to the bound. The error is below
/// 2 units in the last place.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    const LARGEST: f64 = 708.0;
    const TO_INTEGER: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²: adding it leaves the nearest whole number in the low bits
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8; // ln 2 in 32 bits, so that n·ln 2 is exact
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let x = x.clamp(-LARGEST, LARGEST);
    let shifted = x * std::f64::consts::LOG2_E + TO_INTEGER;
    let n = shifted - TO_INTEGER;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut sum = 1.0 / 6_227_020_800.0;
    for factorial in
        [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0]
    {
        sum = sum * r + 1.0 / factorial;
    }
    sum * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}

/// ln x of a positive normal number, by x = 2ⁿ(1 + f) and the series of artanh(f/(2 + f)). The error is below 2 units in
/// the last place of max(|ln x|, 1).
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    let bits = x.to_bits();
    let mantissa = f64::from_bits((bits & !EXPONENT) | ONE);
    // the exponent in the low bits of 2⁵² is a number once 2⁵² is taken off
    let exponent = f64::from_bits((bits >> 52) | TWO_52) - f64::from_bits(TWO_52) - 1023.0;
    let above = mantissa > std::f64::consts::SQRT_2;
    let m = if above { 0.5 * mantissa } else { mantissa };
    let n = if above { exponent + 1.0 } else { exponent };
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut sum = 1.0 / 23.0;
    for odd in [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * z + 1.0 / odd;
    }
    n * std::f64::consts::LN_2 + 2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_ln_are_exact_to_a_few_units() {
        for i in -70_000..70_000 {
            let x = f64::from(i) * 0.010_03;
            let (got, want) = (exp(x), x.clamp(-708.0, 708.0).exp());
            assert!((got - want).abs() <= 4.5e-16 * want, "exp({x}): {got} {want}");
            let y = (f64::from(i) * 1e-3).exp();
            assert!((ln(y) - y.ln()).abs() <= 4.5e-16 * y.ln().abs().max(1.0), "ln({y}): {} {}", ln(y), y.ln());
        }
        assert_eq!((exp(0.0), ln(1.0)), (1.0, 0.0));
    }
}
