//! The evidence of every share h and variance t, given S.

use super::model::{Model, SHARES};

/// Variances that are looked at together.
const LANES: usize = 8;

/// G_SS and g_S of every share, kept as members come and go.
pub(super) struct Evidence {
    members: Vec<u32>,
    stride: usize,
    /// G_SS of every share, by rows of `stride`; lower half.
    gram: Vec<f64>,
    /// g_S of every share, the responses of a member together.
    g: Vec<f64>,
    factor: Factor,
    /// ln P + evidence of every share and variance, the variances of a share together.
    pub(super) logs: Vec<f64>,
}

impl Evidence {
    pub(super) fn new(model: &Model) -> Evidence {
        let stride = model.largest_set + 1;
        Evidence {
            members: Vec::with_capacity(stride),
            stride,
            gram: vec![0.0; SHARES.len() * stride * stride],
            g: vec![0.0; SHARES.len() * stride * model.responses()],
            factor: Factor { rows: vec![[0.0; LANES]; start(stride + 1)], solved: vec![[0.0; LANES]; stride] },
            logs: vec![0.0; SHARES.len() * model.variances.len()],
        }
    }

    /// Takes a column in, or out.
    pub(super) fn flip(&mut self, model: &Model, j: u32) {
        match self.members.iter().position(|&member| member == j) {
            Some(at) => self.remove(model, at),
            None => self.push(model, j),
        }
    }

    fn push(&mut self, model: &Model, j: u32) {
        let (s, stride, q) = (self.members.len(), self.stride, model.responses());
        self.members.push(j);
        for share in 0..SHARES.len() {
            let row = &mut self.gram[(share * stride + s) * stride..][..s + 1];
            for (out, &i) in row.iter_mut().zip(&self.members) {
                *out = model.inner_product(share, i as usize, j as usize);
            }
            for response in 0..q {
                self.g[(share * stride + s) * q + response] = model.response_product(share, j as usize, response);
            }
        }
    }

    fn remove(&mut self, model: &Model, at: usize) {
        let (s, stride, q) = (self.members.len(), self.stride, model.responses());
        self.members.remove(at);
        for share in 0..SHARES.len() {
            let gram = &mut self.gram[share * stride * stride..(share + 1) * stride * stride];
            for row in at + 1..s {
                gram.copy_within(row * stride..row * stride + at, (row - 1) * stride);
                gram.copy_within(row * stride + at + 1..row * stride + row + 1, (row - 1) * stride + at);
            }
            self.g[share * stride * q..].copy_within((at + 1) * q..s * q, at * q);
        }
    }

    /// ln P(h) − q/2·(ln det V + ln det(I + t·G_SS) + n·ln RSS) for all shares and variances.
    ///
    /// Cost: |S|³/6 for every share and eight variances.
    pub(super) fn evaluate(&mut self, model: &Model) {
        let (s, stride, q, variances) = (self.members.len(), self.stride, model.responses(), &model.variances);
        let half = 0.5 * q as f64;
        for share in 0..SHARES.len() {
            let gram = &self.gram[share * stride * stride..];
            let g = &self.g[share * stride * q..][..s * q];
            for (at, some) in variances.chunks(LANES).enumerate() {
                let mut t = [some[0]; LANES];
                t[..some.len()].copy_from_slice(some);
                let [log_det, explained] = self.factor.solve(gram, stride, s, g, &t);
                for (lane, t) in some.iter().enumerate() {
                    let rss = (model.floor + model.yy(share) - explained[lane]).max(1e-300);
                    let det = model.log_det(share) + log_det[lane] + s as f64 * t.ln();
                    self.logs[share * variances.len() + at * LANES + lane] =
                        model.log_shares[share] - half * (det + model.observations * rss.ln());
                }
            }
        }
    }
}

/// A Cholesky factor for eight variances, its rows one after the other, and room for L⁻¹g.
struct Factor {
    rows: Vec<[f64; LANES]>,
    solved: Vec<[f64; LANES]>,
}

impl Factor {
    /// ln det(G + I/t) and |L⁻¹g|², with G by rows of `stride`, lower half.
    fn solve(&mut self, gram: &[f64], stride: usize, s: usize, g: &[f64], t: &[f64; LANES]) -> [[f64; LANES]; 2] {
        let [mut product, mut log_det, mut explained] = [[1.0; LANES], [0.0; LANES], [0.0; LANES]];
        for i in 0..s {
            let (before, own) = self.rows.split_at_mut(start(i));
            for j in 0..i {
                let other = &before[start(j)..start(j + 1)];
                let left = less_products([gram[i * stride + j]; LANES], &own[..j], &other[..j]);
                own[j] = std::array::from_fn(|lane| left[lane] / other[j][lane]);
            }
            let diagonal = t.map(|t| gram[i * stride + i] + 1.0 / t);
            let left = less_products(diagonal, &own[..i], &own[..i]).map(|x| x.max(1e-12));
            own[i] = left.map(f64::sqrt);
            product.iter_mut().zip(left).for_each(|(product, x)| *product *= x);
            // a logarithm of several pivots together
            if i % 8 == 7 || i + 1 == s {
                log_det.iter_mut().zip(&product).for_each(|(log, product)| *log += product.ln());
                product = [1.0; LANES];
            }
        }
        let q = g.len() / s.max(1);
        for response in 0..q {
            for i in 0..s {
                let row = &self.rows[start(i)..start(i + 1)];
                let left = less_products([g[i * q + response]; LANES], &row[..i], &self.solved[..i]);
                let solved: [f64; LANES] = std::array::from_fn(|lane| left[lane] / row[i][lane]);
                explained.iter_mut().zip(solved).for_each(|(sum, x)| *sum += x * x);
                self.solved[i] = solved;
            }
        }
        [log_det, explained]
    }
}

/// Where a row of the factor starts.
fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

/// `from` − Σ a·b, lane by lane.
fn less_products(from: [f64; LANES], a: &[[f64; LANES]], b: &[[f64; LANES]]) -> [f64; LANES] {
    let mut left = from;
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            left[lane] -= a[lane] * b[lane];
        }
    }
    left
}
