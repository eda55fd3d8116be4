//! Joint moments of a column and a real target, for correlations.

use crate::score::moments::scale_to_one;

/// Rows handled at a time, in the first-level cache.
const BLOCK: usize = 2048;

/// Count, means and sums of squared and crossed deviations of pairs (x, y).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CoMoments {
    /// How many pairs; with weights, their sum.
    pub count: f64,
    /// The mean of x.
    pub mean_x: f64,
    /// The mean of y.
    pub mean_y: f64,
    /// Σ(x − mean)².
    pub xx: f64,
    /// Σ(y − mean)².
    pub yy: f64,
    /// Σ(x − mean)(y − mean).
    pub xy: f64,
}

impl CoMoments {
    /// The joint moments of finite pairs with a weight each.
    fn of(pairs: &[(f64, f64, f64)]) -> CoMoments {
        let Some(&(x0, y0, _)) = pairs.first() else { return CoMoments::default() };
        let (mut n, mut sx, mut sy) = (0.0, 0.0, 0.0);
        for (x, y, w) in pairs {
            n += w;
            sx += w * (x - x0);
            sy += w * (y - y0);
        }
        // relative to the first pair, so that equal values have no spread at all
        let (mean_x, mean_y) = (x0 + sx / n, y0 + sy / n);
        let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
        for (x, y, w) in pairs {
            let (dx, dy) = (x - mean_x, y - mean_y);
            xx += w * dx * dx;
            yy += w * dy * dy;
            xy += w * dx * dy;
        }
        CoMoments { count: n, mean_x, mean_y, xx, yy, xy }
    }

    /// Both sets together.
    pub fn merge(self, other: CoMoments) -> CoMoments {
        if self.count == 0.0 {
            return other;
        }
        if other.count == 0.0 {
            return self;
        }
        let (a, b) = (self.count, other.count);
        let n = a + b;
        let (dx, dy) = (other.mean_x - self.mean_x, other.mean_y - self.mean_y);
        let share = a * b / n;
        CoMoments {
            count: n,
            mean_x: self.mean_x + dx * (b / n),
            mean_y: self.mean_y + dy * (b / n),
            xx: self.xx + other.xx + dx * dx * share,
            yy: self.yy + other.yy + dy * dy * share,
            xy: self.xy + other.xy + dx * dy * share,
        }
    }

    /// The joint moments of finite (x, y, weight), a block at a time.
    pub(crate) fn in_blocks(pairs: &[(f64, f64, f64)]) -> CoMoments {
        pairs.chunks(BLOCK).map(Self::of).fold(CoMoments::default(), Self::merge)
    }

    /// The joint moments of (x, y, weight), x brought near one first where its squares would leave the range of f64.
    pub(crate) fn of_pairs(pairs: &mut [(f64, f64, f64)]) -> CoMoments {
        let plain = Self::in_blocks(pairs);
        if !(1e-270..=1e270).contains(&plain.xx) {
            let size = pairs.iter().map(|p| p.0.abs()).fold(0.0, f64::max);
            if size > 0.0 && !(1e-100..=1e100).contains(&size) {
                let scale = scale_to_one(size);
                pairs.iter_mut().for_each(|p| p.0 *= scale);
                return Self::in_blocks(pairs);
            }
        }
        plain
    }
}
