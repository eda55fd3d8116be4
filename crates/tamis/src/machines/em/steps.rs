//! The steps of an iteration: the expectation of the latent H, and the regressions on it.

use crate::machines::em::options::WeightPrior;
use crate::machines::hessian::hessian;
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::KernelValues;
use crate::machines::log_posterior::Weights;
use crate::numeric::special::log_ndtr;

/// H̄ = f + yφ(f)/Φ(yf), through the logarithm of Φ.
pub(super) fn latent(f: &[f64], y: &[f64]) -> Vec<f64> {
    let half_ln_2_pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
    f.iter().zip(y).map(|(f, y)| f + y * (-0.5 * f * f - half_ln_2_pi - log_ndtr(f * y)).exp()).collect()
}

/// (ΦᵀΦ + the precisions)⁻¹Φᵀ(H̄ − b), on the smaller side, and whether it needed help.
pub(super) fn w_step(
    values: &KernelValues,
    signs: &[f64],
    h: &[f64],
    bias: f64,
    w: &[f64],
    prior: WeightPrior,
) -> Option<(Vec<f64>, bool)> {
    let effect = Jacobian::without_bias(values, signs);
    let precision = prior.precision(w);
    let all: Vec<usize> = (0..w.len()).collect();
    let (target, ones): (Vec<f64>, Vec<f64>) = h.iter().map(|h| (h - bias, 1.0)).unzip();
    let products = effect.products(&target, Some(&ones));
    let curvature = hessian(&effect, &products, &all, &ones, &precision)?;
    let mut moved = products.gradient;
    curvature.solve(&mut moved);
    Some((moved, curvature.jittered))
}

/// Features' weights with the precision that their values give them.
pub(super) fn theta_prior(theta: &[f64], prior: WeightPrior) -> Weights {
    Weights {
        values: theta.to_vec(),
        precision: prior.precision(theta),
        steepness: vec![0.0; theta.len()],
        positive_from: 0,
    }
}
#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::machines::active_set::ActiveSet;
    use crate::machines::fixtures::{self, Fixture, numbers};
    use crate::machines::log_posterior::Likelihood;

    pub(crate) fn near(name: &str, got: &[f64], wanted: &[f64], within: f64) {
        assert_eq!(got.len(), wanted.len(), "{name}");
        for (a, b) in got.iter().zip(wanted) {
            assert!((a - b).abs() < within * (1.0 + b.abs()), "{name}: {a} {b}");
        }
    }

    /// The expectation, the weights' step and the features' objective with its gradient at the fixtures' point.
    #[test]
    fn steps_meet_the_fixtures_at_their_point() {
        let mut met = 0;
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let point = &json["point"];
            let Some(objective) = point["em_theta_obj"].as_f64() else { return };
            met += 1;
            let (w, theta) = (numbers(&point["w"]), numbers(&point["theta"]));
            let h = latent(&numbers(&point["f"]), &y);
            near(&format!("{name} H"), &h, &numbers(&point["em_H"]), 1e-9);
            let active = ActiveSet::new(&x, &y, (0..y.len()).collect(), false);
            let values = active.kernel(kernel, &theta);
            let (step, _) =
                w_step(&values, &active.signs, &h, w[0], &w[1..], WeightPrior::ScaleFree(1.0)).expect("solves");
            near(&format!("{name} w"), &step, &numbers(&point["em_w_step_kap1"]), 1e-8);
            let weights = Weights {
                values: theta.clone(),
                precision: numbers(&point["beta"]),
                steepness: vec![0.0; theta.len()],
                positive_from: 0,
            };
            let effect = active.by_features(kernel, &values, &w[1..]);
            let mut f = Jacobian::without_bias(&values, &active.signs).times(&w[1..]);
            f.iter_mut().for_each(|f| *f += w[0]);
            let at = Likelihood::of_targets(f, &h);
            let quadratic: f64 = theta.iter().zip(&weights.precision).map(|(t, b)| 0.5 * b * t * t).sum();
            near(&format!("{name} objective"), &[quadratic - at.log], &[objective], 1e-9);
            let gradient: Vec<f64> = at.products(&effect, &weights, false).gradient.into_iter().map(|g| -g).collect();
            near(&format!("{name} gradient"), &gradient, &numbers(&point["em_theta_grad"]), 1e-8);
        });
        assert!(met > 0);
    }
}
