//! For every column at once the odds of "in S", given the rest of S, and the rates of flipping them.
//!
//! With A = G_SS + I/t = LLᵀ, W = G_·S L⁻ᵀ and γ = L⁻¹g_S: c = g − Gβ = g − Wγ, δ = d + 1/t − Σ W², RSS = f + yy − |γ|².
//! A column that enters adds a column to W, one that leaves turns those behind it by Givens rotations: K·|S| either way.

use super::model::Model;
use crate::numeric::linalg::{exp, ln, widely};

/// Rates are summed by so many columns.
const BLOCK: usize = 128;
/// ln odds are taken to this bound.
const LARGEST: f64 = 500.0;
/// Columns of products that are made together with one that is needed.
const MADE_TOGETHER: usize = 15;
/// The rate at which any column is tried, in all.
const EXPLORE: f64 = 0.1;
/// Steps after which c and δ are made anew.
const REFRESH: usize = 64;

/// S with a share and a variance, and everything that follows from them.
pub(super) struct State {
    pub(super) members: Vec<u32>,
    pub(super) share: usize,
    pub(super) variance: usize,
    t: f64,
    /// W, a column of all features and factors for each member.
    w: Vec<f64>,
    /// L by rows of `stride` numbers.
    l: Vec<f64>,
    stride: usize,
    /// γ, the responses of a member together.
    gamma: Vec<f64>,
    /// c, response by response.
    c: Vec<f64>,
    delta: Vec<f64>,
    /// P(in S)/P(not in S) for every column.
    pub(super) odds: Vec<f64>,
    rates: Vec<f64>,
    blocks: Vec<f64>,
    /// Q, the sum of the rates.
    pub(super) total: f64,
    steps: usize,
    scratch: Vec<f64>,
}

impl State {
    /// The empty set.
    pub(super) fn new(model: &Model, share: usize, variance: usize) -> State {
        let (k, q, s) = (model.len(), model.responses(), model.largest_set + 1);
        let mut state = State {
            members: Vec::with_capacity(s),
            share,
            variance,
            t: 0.0,
            w: vec![],
            l: vec![0.0; s * s],
            stride: s,
            gamma: Vec::with_capacity(s * q),
            c: vec![0.0; k * q],
            delta: vec![0.0; k],
            odds: vec![0.0; k],
            rates: vec![0.0; k],
            blocks: vec![0.0; k.div_ceil(BLOCK)],
            total: 0.0,
            steps: 0,
            scratch: vec![0.0; s],
        };
        state.reset(model, &[], share, variance);
        state
    }

    /// The same with other members, share and variance.
    pub(super) fn reset(&mut self, model: &Model, members: &[u32], share: usize, variance: usize) {
        (self.share, self.variance, self.t) = (share, variance, model.variances[variance]);
        self.members.clear();
        self.gamma.clear();
        let products = model.share(share);
        for (c, g) in self.c.chunks_exact_mut(model.len()).zip(&products.g) {
            c.copy_from_slice(g);
        }
        self.delta.iter_mut().zip(&products.d).for_each(|(delta, d)| *delta = d + 1.0 / self.t);
        self.steps = 0;
        members.iter().for_each(|&j| self.push(model, j, members));
        self.evaluate(model);
    }

    /// Takes a column in, or out.
    pub(super) fn flip(&mut self, model: &Model, j: u32) {
        match self.members.iter().position(|&member| member == j) {
            Some(at) => self.remove(model, at),
            None => self.push(model, j, &[]),
        }
        self.steps += 1;
        if self.steps >= REFRESH {
            self.refresh(model);
        }
        self.evaluate(model);
    }

    /// `members`: those that enter with it.
    fn push(&mut self, model: &Model, j: u32, members: &[u32]) {
        let (k, q, s) = (model.len(), model.responses(), self.members.len());
        let products = model.kept_products(self.share, j as usize, || self.likely(members));
        // L r = G_Sj
        let mut left = products[j as usize] + 1.0 / self.t;
        for i in 0..s {
            let (above, row) = self.l.split_at_mut(s * self.stride);
            let own = &above[i * self.stride..];
            let known: f64 = (0..i).map(|at| own[at] * row[at]).sum();
            row[i] = (products[self.members[i] as usize] - known) / own[i];
            left -= row[i] * row[i];
        }
        let diagonal = left.max(1e-12).sqrt();
        self.l[s * self.stride + s] = diagonal;
        let row = &self.l[s * self.stride..s * self.stride + s];
        if self.w.len() < (s + 1) * k {
            self.w.resize((2 * s + 8) * k, 0.0);
        }
        let (before, new) = self.w.split_at_mut(s * k);
        let new = &mut new[..k];
        combine(&products, before, row, 1.0 / diagonal, new);
        for r in 0..q {
            let known: f64 = row.iter().enumerate().map(|(at, l)| l * self.gamma[at * q + r]).sum();
            let g = model.share(self.share).g[r][j as usize];
            self.gamma.push((g - known) / diagonal);
        }
        let gamma = &self.gamma[s * q..];
        take_off(new, gamma, -1.0, &mut self.c, &mut self.delta);
        self.members.push(j);
    }

    /// Columns whose products will be asked for: members, or else the likeliest ones outside S.
    fn likely(&self, members: &[u32]) -> Vec<u32> {
        if !members.is_empty() {
            return members.to_vec();
        }
        let mut best: Vec<u32> = vec![];
        let mut least = 0.0;
        for (j, &odds) in (0..).zip(&self.odds) {
            if odds > least {
                best.push(j);
                if best.len() >= 2 * MADE_TOGETHER {
                    best.select_nth_unstable_by(MADE_TOGETHER, |&a, &b| {
                        self.odds[b as usize].total_cmp(&self.odds[a as usize])
                    });
                    best.truncate(MADE_TOGETHER);
                    least = best.iter().map(|&j| self.odds[j as usize]).fold(f64::INFINITY, f64::min);
                }
            }
        }
        best.sort_by(|&a, &b| self.odds[b as usize].total_cmp(&self.odds[a as usize]));
        best.truncate(MADE_TOGETHER);
        best
    }

    fn remove(&mut self, model: &Model, at: usize) {
        let (k, q, s) = (model.len(), model.responses(), self.members.len());
        self.members.remove(at);
        let stride = self.stride;
        for row in at + 1..s {
            self.l.copy_within(row * stride..row * stride + row + 1, (row - 1) * stride);
        }
        for p in at..s - 1 {
            let (a, b) = (self.l[p * stride + p], self.l[p * stride + p + 1]);
            let r = a.hypot(b);
            let (cosine, sine) = (a / r, b / r);
            for row in p..s - 1 {
                let l = &mut self.l[row * stride + p..row * stride + p + 2];
                (l[0], l[1]) = (cosine * l[0] + sine * l[1], cosine * l[1] - sine * l[0]);
            }
            for response in 0..q {
                let (x, y) = (self.gamma[p * q + response], self.gamma[(p + 1) * q + response]);
                self.gamma[p * q + response] = cosine * x + sine * y;
                self.gamma[(p + 1) * q + response] = cosine * y - sine * x;
            }
            let (first, second) = self.w[p * k..(p + 2) * k].split_at_mut(k);
            turn(first, second, cosine, sine);
        }
        let last = s - 1;
        let w = &self.w[last * k..(last + 1) * k];
        take_off(w, &self.gamma[last * q..], 1.0, &mut self.c, &mut self.delta);
        self.gamma.truncate(last * q);
    }

    /// Makes c and δ anew, before rounding adds up.
    fn refresh(&mut self, model: &Model) {
        let (k, q) = (model.len(), model.responses());
        let products = model.share(self.share);
        for (c, g) in self.c.chunks_exact_mut(k).zip(&products.g) {
            c.copy_from_slice(g);
        }
        self.delta.iter_mut().zip(&products.d).for_each(|(delta, d)| *delta = d + 1.0 / self.t);
        for at in 0..self.members.len() {
            let w = &self.w[at * k..(at + 1) * k];
            take_off(w, &self.gamma[at * q..(at + 1) * q], -1.0, &mut self.c, &mut self.delta);
        }
        self.steps = 0;
    }

    /// The odds and rates of all columns.
    fn evaluate(&mut self, model: &Model) {
        let (k, q, s) = (model.len(), model.responses(), self.members.len());
        let explained: f64 = self.gamma.iter().map(|x| x * x).sum();
        let rss = (model.floor + model.yy(self.share) - explained).max(1e-300);
        let half = 0.5 * q as f64 * model.observations;
        let constants = Constants {
            rss,
            half,
            t: self.t,
            size: (s + 1) as f64,
            responses: q,
            explore: EXPLORE / k as f64,
            full: s >= model.largest_set,
        };
        odds_outside(&self.c, &self.delta, &model.prior, &constants, &mut self.odds, &mut self.rates);
        for i in 0..s {
            let (precision, strength) = self.inside(i, q);
            let j = self.members[i] as usize;
            let log = (s as f64).ln() + model.prior[j].ln()
                - 0.5 * q as f64 * (self.t / precision).ln()
                - half * (rss / (rss + strength / precision)).ln();
            let odds = log.clamp(-LARGEST, LARGEST).exp();
            self.odds[j] = odds;
            self.rates[j] = 1.0 + (1.0 + 1.0 / odds) * constants.explore;
        }
        for (sum, rates) in self.blocks.iter_mut().zip(self.rates.chunks(BLOCK)) {
            *sum = rates.iter().sum();
        }
        self.total = self.blocks.iter().sum();
    }

    /// B_ii and |β_i|² of a member: with x = L⁻¹e_i they are |x|² and |xᵀγ|².
    fn inside(&mut self, i: usize, q: usize) -> (f64, f64) {
        let (s, stride) = (self.members.len(), self.stride);
        let x = &mut self.scratch[..s];
        x[i] = 1.0 / self.l[i * stride + i];
        let mut square = x[i] * x[i];
        for row in i + 1..s {
            let l = &self.l[row * stride..row * stride + row + 1];
            let known: f64 = (i..row).map(|at| l[at] * x[at]).sum();
            x[row] = -known / l[row];
            square += x[row] * x[row];
        }
        let beta = |response: usize| (i..s).map(|at| x[at] * self.gamma[at * q + response]).sum::<f64>();
        (square, (0..q).map(|response| beta(response).powi(2)).sum())
    }

    /// The column at a share `u` of the rates' sum.
    pub(super) fn pick(&self, u: f64) -> u32 {
        let mut left = u * self.total;
        let mut block = 0;
        while block + 1 < self.blocks.len() && left >= self.blocks[block] {
            left -= self.blocks[block];
            block += 1;
        }
        let mut at = block * BLOCK;
        let end = (at + BLOCK).min(self.rates.len());
        while at + 1 < end && left >= self.rates[at] {
            left -= self.rates[at];
            at += 1;
        }
        // rounding may lead to a column that cannot flip
        let possible = (0..=at).rev().chain(at + 1..self.rates.len()).find(|&j| self.rates[j] > 0.0);
        possible.unwrap_or(at) as u32
    }
}

struct Constants {
    rss: f64,
    /// qn/2.
    half: f64,
    t: f64,
    /// |S| + 1.
    size: f64,
    responses: usize,
    explore: f64,
    full: bool,
}

/// Odds (|S| + 1)·π·(tδ)^(−q/2)·(1 − |c|²/(δ·RSS))^(−qn/2) and rates of columns outside S.
fn odds_outside(c: &[f64], delta: &[f64], prior: &[f64], constants: &Constants, odds: &mut [f64], rates: &mut [f64]) {
    widely!((c: &'a [f64], delta: &'a [f64], prior: &'a [f64], constants: &'a Constants, odds: &'a mut [f64],
        rates: &'a mut [f64]) -> () {
        let Constants { rss, half, t, size, responses, explore, full } = *constants;
        let k = odds.len();
        let (delta, prior, rates) = (&delta[..k], &prior[..k], &mut rates[..k]);
        // |c|², in the place of the odds
        odds.copy_from_slice(&c[..k]);
        for x in odds.iter_mut() {
            *x *= *x;
        }
        for c in c.chunks_exact(k).skip(1) {
            for j in 0..k {
                odds[j] += c[j] * c[j];
            }
        }
        // 1 − gain, and (tδ)^(−½) in the place of the rates; loops without a loop inside vectorise
        for j in 0..k {
            let delta = if delta[j] > 1e-10 { delta[j] } else { 1e-10 };
            let left = 1.0 - odds[j] / (delta * rss);
            odds[j] = if left > 1e-12 { left } else { 1e-12 };
            rates[j] = 1.0 / (t * delta).sqrt();
        }
        for _ in 1..responses {
            for j in 0..k {
                let delta = if delta[j] > 1e-10 { delta[j] } else { 1e-10 };
                rates[j] *= 1.0 / (t * delta).sqrt();
            }
        }
        let largest = 500f64.exp();
        let open = if full { 0.0 } else { 1.0 };
        for j in 0..k {
            let exponent = -half * ln(odds[j]);
            let exponent = if exponent < 700.0 { exponent } else { 700.0 };
            let found = size * prior[j] * rates[j] * exp(exponent);
            let found = if found < largest { found } else { largest };
            odds[j] = found;
            rates[j] = open * (found + (1.0 + found) * explore);
        }
    });
}

/// `out` = (a − Σ W_i r_i)·scale.
fn combine(a: &[f64], w: &[f64], r: &[f64], scale: f64, out: &mut [f64]) {
    widely!((a: &'a [f64], w: &'a [f64], r: &'a [f64], scale: f64, out: &'a mut [f64]) -> () {
        let k = out.len();
        out.copy_from_slice(&a[..k]);
        let mut columns = w.chunks_exact(2 * k);
        let mut pairs = r.chunks_exact(2);
        for (two, r) in columns.by_ref().zip(pairs.by_ref()) {
            let (first, second) = two.split_at(k);
            for j in 0..k {
                out[j] -= first[j] * r[0] + second[j] * r[1];
            }
        }
        if let [r] = pairs.remainder() {
            let last = &columns.remainder()[..k];
            for j in 0..k {
                out[j] -= last[j] * r;
            }
        }
        for x in out.iter_mut() {
            *x *= scale;
        }
    });
}

/// c += sign·W γ for every response, δ += sign·W².
fn take_off(w: &[f64], gamma: &[f64], sign: f64, c: &mut [f64], delta: &mut [f64]) {
    widely!((w: &'a [f64], gamma: &'a [f64], sign: f64, c: &'a mut [f64], delta: &'a mut [f64]) -> () {
        let k = delta.len();
        let w = &w[..k];
        for j in 0..k {
            delta[j] += sign * w[j] * w[j];
        }
        for (c, gamma) in c.chunks_exact_mut(k).zip(gamma) {
            let step = sign * gamma;
            for j in 0..k {
                c[j] += step * w[j];
            }
        }
    });
}

/// A Givens rotation of two columns.
fn turn(first: &mut [f64], second: &mut [f64], cosine: f64, sine: f64) {
    widely!((first: &'a mut [f64], second: &'a mut [f64], cosine: f64, sine: f64) -> () {
        let k = first.len();
        let second = &mut second[..k];
        for j in 0..k {
            let (x, y) = (first[j], second[j]);
            first[j] = cosine * x + sine * y;
            second[j] = cosine * y - sine * x;
        }
    });
}
