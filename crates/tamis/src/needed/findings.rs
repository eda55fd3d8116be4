//! Sets of interchangeable columns of which at least one is in S.

use super::model::Model;
use super::sampler::Visits;

/// Columns this much correlated with a lead can take its place.
const ALIKE: f64 = 0.8;
/// A set grows until it has this probability, or as much as its neighbourhood gives.
const TIGHT: f64 = 0.95;
/// Sets of at least this probability are sure: of these the smallest is taken first.
const SURE: f64 = 0.9;
/// Sets less probable are not looked at.
const LEAST: f64 = 0.5;
/// A set of more columns is a block, not a finding.
const LARGEST: usize = 50;
/// Leads that are tried at a time, and the least inclusion probability of one.
const LEADS: usize = 40;
const LEAST_LEAD: f64 = 0.01;
/// Chains whose probabilities differ by more disagree.
const DISAGREE: f64 = 0.2;

/// A set of columns, the most probable first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundSet {
    pub(super) members: Vec<u32>,
    /// That at least one is in S.
    pub(super) probability: f64,
    /// The least size of a correlation with the lead.
    pub(super) correlation: f64,
    /// The probability is that of the chain with the least, because chains differ.
    pub(super) disputed: bool,
}

/// The sets of all chains, columns only.
struct Sets<'a> {
    visits: &'a [Visits],
    features: usize,
}

impl Sets<'_> {
    /// For every rank, by chain, the weight of the sets whose best-ranked member has it; `ranks` has the rank of every column.
    fn best_ranked(&self, ranks: &[u32], n: usize) -> Vec<Vec<f64>> {
        let of_chain = |visits: &Visits| {
            let mut weights = vec![0.0; n];
            for (set, weight) in visits.sets().zip(&visits.weights) {
                let columns = set.iter().filter(|&&j| (j as usize) < self.features);
                let best = columns.map(|&j| ranks[j as usize]).min().filter(|&rank| rank != u32::MAX);
                if let Some(rank) = best {
                    weights[rank as usize] += weight;
                }
            }
            weights
        };
        self.visits.iter().map(of_chain).collect()
    }
}

/// Disjoint sets around leads, as many, the most probable first, as keep the mean probability of a false one at `fdr`.
pub(super) fn findings(model: &Model, inclusion: &[f64], visits: &[Visits], fdr: f64) -> Vec<FoundSet> {
    let sets = Sets { visits, features: model.features };
    let mut free = vec![true; model.features];
    let mut found = vec![];
    while let Some(set) = next_set(model, inclusion, &sets, &free) {
        set.members.iter().for_each(|&j| free[j as usize] = false);
        found.push(set);
    }
    found.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let mut false_ones = 0.0;
    let within = |(n, set): (usize, &FoundSet)| {
        false_ones += 1.0 - set.probability;
        false_ones <= fdr * (n + 1) as f64
    };
    let named = found.iter().enumerate().map(within).filter(|within| *within).count();
    found.truncate(named);
    found
}

/// The best set of free columns: the smallest of the sure ones, else the most probable.
fn next_set(model: &Model, inclusion: &[f64], sets: &Sets, free: &[bool]) -> Option<FoundSet> {
    let mut leads: Vec<u32> =
        (0..model.features as u32).filter(|&j| free[j as usize] && inclusion[j as usize] >= LEAST_LEAD).collect();
    leads.sort_by(|&a, &b| inclusion[b as usize].total_cmp(&inclusion[a as usize]));
    leads.truncate(LEADS);
    let tried = leads.into_iter().filter_map(|lead| set_around(model, inclusion, sets, free, lead));
    let key = |set: &FoundSet| {
        let sure = set.probability >= SURE;
        (!sure, if sure { set.members.len() } else { 0 }, -set.probability)
    };
    let better = |a: FoundSet, b: FoundSet| {
        let ([a_unsure, b_unsure], [a_size, b_size]) = ([key(&a).0, key(&b).0], [key(&a).1, key(&b).1]);
        let order = a_unsure.cmp(&b_unsure).then(a_size.cmp(&b_size)).then(key(&a).2.total_cmp(&key(&b).2));
        if order.is_le() { a } else { b }
    };
    tried.reduce(better)
}

fn set_around(model: &Model, inclusion: &[f64], sets: &Sets, free: &[bool], lead: u32) -> Option<FoundSet> {
    let products = model.kept_products(0, lead as usize, Vec::new);
    let alike = |&j: &u32| free[j as usize] && (j == lead || products[j as usize].abs() >= ALIKE);
    let mut near: Vec<u32> = (0..model.features as u32).filter(alike).collect();
    // the probability that a set holds one of them is at most the sum of theirs
    if near.iter().map(|&j| inclusion[j as usize]).sum::<f64>() < 0.9 * LEAST {
        return None;
    }
    near.sort_by(|&a, &b| inclusion[b as usize].total_cmp(&inclusion[a as usize]));
    let mut ranks = vec![u32::MAX; model.features];
    near.iter().zip(0..).for_each(|(&j, rank)| ranks[j as usize] = rank);
    let by_chain = sets.best_ranked(&ranks, near.len());
    let chains = by_chain.len() as f64;
    let mut sums = vec![0.0; by_chain.len()];
    let grown: Vec<f64> = (0..near.len())
        .map(|rank| {
            sums.iter_mut().zip(&by_chain).for_each(|(sum, weights)| *sum += weights[rank]);
            sums.iter().sum::<f64>() / chains
        })
        .collect();
    let most = grown.last().copied().filter(|most| *most >= LEAST)?;
    let goal = TIGHT.min(most);
    let size = grown.iter().position(|p| *p >= goal - 1e-9)? + 1;
    if size > LARGEST {
        return None;
    }
    let of_chain: Vec<f64> = by_chain.iter().map(|weights| weights[..size].iter().sum()).collect();
    let [least, largest] = [f64::min, f64::max].map(|pick| of_chain.iter().copied().reduce(pick).unwrap_or(0.0));
    let disputed = largest - least > DISAGREE;
    near.truncate(size);
    let first = near[0] as usize;
    let correlation = near[1..].iter().map(|&j| model.correlation(first, j as usize).abs()).fold(1.0, f64::min);
    let probability = if disputed { least } else { grown[size - 1] };
    Some(FoundSet { members: near, probability: probability.min(1.0), correlation, disputed })
}
