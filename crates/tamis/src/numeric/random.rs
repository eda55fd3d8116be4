//! Random numbers that are the same on every machine and with any number of threads.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// The generator for replicate number `stream` under `seed`: streams never overlap, so replicates
/// may run in any order on any thread.
pub fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Permutations have streams beyond those of anything else.
const PERMUTATIONS: u64 = 1 << 40;

/// An order of `rows` rows for permutation number `r`: the target of row i becomes that of row `order[i]`.
pub fn permutation(seed: u64, r: u64, rows: usize) -> Vec<u32> {
    let mut rng = stream(seed, PERMUTATIONS + r);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    for at in (1..rows).rev() {
        order.swap(at, rng.random_range(0..=at));
    }
    order
}

/// Spreads the bits of a number over all of it (Steele, Lea & Flood 2014).
pub(crate) fn splitmix64(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A standard normal number.
pub(crate) fn standard_normal(rng: &mut impl rand::Rng) -> f64 {
    StandardNormal.sample(rng)
}
