//! Bootstraps of `jmi` and `cmim` that choose their number of features themselves.

use crate::base::{Context, Result};
use crate::codes::CodedTable;
use crate::information::Criterion;
use crate::information::auto_number::{Compare, ORDERS, rank_compared};
use crate::numeric::random::permutation;
use rayon::prelude::*;

/// Row orders of bootstraps have numbers beyond those of permuted targets.
const FIRST: u64 = 1 << 20;

/// The features that a criterion chooses with `k=auto` under every one of `weights` with every one of `targets`, by
/// position among the codes; all targets of the first weights come first.
pub(super) fn choose_own(
    codes: &CodedTable,
    criterion: Criterion,
    (weights, targets): (&[Vec<u32>], &[Vec<u8>]),
    seed: u64,
) -> Result<Vec<Vec<u32>>> {
    let jobs: Vec<(usize, usize)> = (0..weights.len()).flat_map(|b| (0..targets.len()).map(move |t| (b, t))).collect();
    let one = |&(b, t): &(usize, usize)| {
        let mut sample = codes.repeated(&weights[b])?;
        let times = weights[b].iter().zip(&targets[t]);
        sample.target = times.flat_map(|(n, class)| std::iter::repeat_n(*class, *n as usize)).collect();
        let orders: Vec<Vec<u32>> = (0..ORDERS as u64).map(|r| permutation(seed, FIRST + r, sample.n_rows())).collect();
        // only whether a step passes matters here, not how clearly
        let how = (criterion, Compare::UntilSettled);
        let found = rank_compared(&sample, how, &orders, &[], &mut Context::default())?;
        Ok(found.ranking.order.iter().map(|&at| at as u32).collect())
    };
    jobs.par_iter().map(one).collect()
}
