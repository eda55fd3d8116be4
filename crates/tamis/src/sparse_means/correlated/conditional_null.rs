//! The conditional null: how far a score vector's own centre and width tell about its noise.
//!
//! If features are independent, the centres d_r (medians) of null score vectors vary by π/(2K) and the logarithms of
//! their widths s_r (MAD/0.67449) by 1.36/K. V_d and V_s are the observed variances over these. Where one lies beyond
//! 1 + 2√(2/ν), the vectors share noise, and b = 1 − 1/V_d or a = 1 − 1/V_s is the share of the variance that is common;
//! otherwise it is 0. Every vector is then standardised:
//!
//! z* = (z − b·d)/s^a,
//!
//! with d within the 2.5 % and 97.5 % quantiles of the d_r, and s^a from 1 to the 95 % quantile of the s_r.

use super::Judgement;
use super::null_rows::Row;
use crate::numeric::order_statistics::{ascending, quantile, variance};
use crate::sparse_means::Null;
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// With fewer features centres and widths say too little.
const FEWEST_FEATURES: usize = 50;
/// The variance of ln(MAD) of K normal scores is this over K.
const LOG_WIDTH_VARIANCE: f64 = 1.36;

/// Centre and width of a score vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) centre: f64,
    pub(super) width: f64,
}

/// The shapes of score vectors.
pub(super) fn shapes(rows: &[Row]) -> Vec<Shape> {
    rows.par_iter().map(shape).collect()
}

fn shape(row: &Row) -> Shape {
    let (centre, width) = row.centre_and_width();
    Shape { centre, width }
}

/// The standardisation of a score vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaling {
    pub(super) shift: f64,
    pub(super) divisor: f64,
}

impl Scaling {
    const NONE: Scaling = Scaling { shift: 0.0, divisor: 1.0 };

    pub(super) fn apply(&self, z: f64) -> f64 {
        (z - self.shift) / self.divisor
    }
}

/// The conditional null of a table.
#[derive(Debug, Clone)]
pub(super) struct ConditionalNull {
    /// How far the width counts.
    pub(super) a: f64,
    /// How far the centre counts.
    pub(super) b: f64,
    /// The median width of null scores, if below 1.
    pub(super) w0: f64,
    /// Ratios of variances up to this are chance.
    pub(super) beyond: f64,
    /// Whether null scores taught anything: otherwise the overdispersion is 1 too.
    pub(super) learnt: bool,
    /// The range of centres.
    centres: (f64, f64),
    /// The largest divisor.
    widest: f64,
    /// Every vector is standardised fully by its own centre and width.
    empirical: bool,
}

impl ConditionalNull {
    /// The conditional null of `features` features from the shapes of their null score vectors.
    pub(super) fn learn(shapes: &[Shape], features: usize, judgement: &Judgement) -> ConditionalNull {
        let (rows, k) = (shapes.len() as f64, features as f64);
        let m = judgement.residual_dimension as f64;
        let degrees = (rows - 1.0).min(m * (m + 1.0) / 2.0 - 1.0);
        let empirical = judgement.null == Null::Empirical;
        let mut null = ConditionalNull {
            a: 0.0,
            b: 0.0,
            w0: 1.0,
            beyond: 1.0 + 2.0 * (2.0 / degrees).sqrt(),
            learnt: features >= FEWEST_FEATURES && degrees >= 1.0 && !empirical,
            centres: (0.0, 0.0),
            widest: 1.0,
            empirical,
        };
        if !null.learnt {
            return null;
        }
        let centres: Vec<f64> = shapes.iter().map(|shape| shape.centre).collect();
        let logs: Vec<f64> = shapes.iter().map(|shape| shape.width.ln()).collect();
        let share = |ratio: f64| if ratio > null.beyond { 1.0 - 1.0 / ratio } else { 0.0 };
        let b = share(variance(&centres) / (FRAC_PI_2 / k));
        let a = share(variance(&logs) / (LOG_WIDTH_VARIANCE / k));
        let centres = ascending(centres);
        let widths = ascending(shapes.iter().map(|shape| shape.width).collect());
        let w0 = quantile(&widths, 0.5).min(1.0);
        let by_chance = 0.01 + 3.0 * (LOG_WIDTH_VARIANCE / (rows * k)).sqrt();
        null.w0 = if w0.ln().abs() < by_chance { 1.0 } else { w0 };
        null.centres = (quantile(&centres, 0.025), quantile(&centres, 0.975));
        null.widest = quantile(&widths, 0.95).max(1.0);
        ConditionalNull { a, b, ..null }
    }

    /// The standardisation of a vector of this shape.
    pub(super) fn scaling(&self, shape: Shape) -> Scaling {
        let Shape { centre, width } = shape;
        if self.empirical {
            return Scaling { shift: centre, divisor: if width > 0.0 { width } else { 1.0 } };
        }
        Scaling {
            shift: self.b * centre.clamp(self.centres.0, self.centres.1),
            divisor: width.powf(self.a).clamp(1.0, self.widest),
        }
    }

    /// The standardisation of a vector; its shape is found only as far as it counts.
    pub(super) fn scaling_of(&self, row: &Row) -> Scaling {
        match (self.empirical || self.a > 0.0, self.b > 0.0) {
            (true, _) => self.scaling(shape(row)),
            (false, true) => self.scaling(Shape { centre: row.centre(), width: 1.0 }),
            (false, false) => Scaling::NONE,
        }
    }
}
