//! `jcfo`: joint classifier and feature optimisation, a sparse classifier that selects features as it learns, with
//! Laplace's priors on the weights of samples and of features.
//!
//! f(x) = b + Σ_j w_j k_θ(x, x_j) with w of either sign and θ ≥ 0. Its state is a mode of
//!
//! Σ ln Φ(y f) − γ₁ Σ|w_j| − γ₂ Σ θ_k − ½·10⁻³ b².
//!
//! With a linear kernel only γ₁γ₂ counts, since the data know only w·θ. Fitting f by products w·θ of size K (the kernel
//! has the scale 1/K) costs 2√(γ₁γ₂Σ|w|Σθ) ∝ √(γ₁γ₂K); that is as steep as what the best of K features of noise gives
//! back, ∝ √(N ln K), where γ₁γ₂ ∝ N ln K / K. The automatic γ₂ is a quarter of that, a figure from simulations.

use super::basis_parameters::{BasisParameters, check, check_stopping, shared};
use super::em::{COST, EmOptions, EmSolver, WeightPrior};
use super::kernel::KernelShape;
use super::one_vs_rest::{self, Learner, TrainingProblems};
use super::run_many::train;
use super::training_run::ProblemRuns;
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Describe, MethodInfo, Progress, Result};
use crate::numeric::linalg::Matrix;
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// Joint classifier and feature optimisation: a kernel classifier that prunes samples and features while it learns,
    /// with Laplace priors.
    ///
    /// The decision function is f(x) = b + Σ_j w_j k_θ(x, x_j) with w_j of either sign and θ_k ≥ 0. The kernel, with s =
    /// 1/K for K features, is k_θ(x, z) = s Σ θ_k x_k z_k (`linear`), exp(−s Σ θ_k (x_k − z_k)²) (`rbf`) or (1 + s Σ θ_k
    /// x_k z_k)^P (`poly`). A row is of class y with probability Φ(y f). Expectation–maximisation climbs to a mode of
    ///
    /// Σ ln Φ(y f) − γ₁ Σ |w_j| − γ₂ Σ θ_k − ½·10⁻³ b².
    ///
    /// A feature is selected if its θ is left. With a linear kernel only the product γ₁γ₂ matters. Several classes are
    /// separated one against the rest, and a feature is selected if any of these machines keeps it.
    ///
    /// Cost: up to hundreds of iterations of rows × bases² and rows × features × bases flops for every class. Iterations
    /// become cheaper as weights are pruned.
    ///
    /// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range;
    /// [`Error::Method`](crate::Error::Method) for a numeric target and for weighted rows;
    /// [`Error::Data`](crate::Error::Data) for a column of categories and for rows of a single class.
    ///
    /// Reference: Krishnapuram, Hartemink, Carin & Figueiredo, *A Bayesian approach to joint feature selection and
    /// classifier design*, IEEE TPAMI 26(9), 2004.
    ///
    /// ```
    /// use tamis::{Context, Selector, machines::Jcfo, simulate::TwoGaussians};
    ///
    /// // two of ten features separate the classes
    /// let drawn = TwoGaussians { rows: 200, features: 10 }.draw(4)?;
    /// let selection = Jcfo::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert!(selection.selected.contains(&0) && selection.selected.contains(&1));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Jcfo {
        ..basis: BasisParameters = BasisParameters::of(KernelShape::Linear);
        gamma1: f64 = 1.0, "1e-6…1e6", "rate γ₁ of the samples' prior; a larger value keeps fewer samples";
        gamma2: Auto<f64> = Auto::Auto, "auto, 1e-6…1e6",
            "rate γ₂ of the features' prior; a larger value keeps fewer features; auto: rows × ln(1 + features) / (4 × \
             features × gamma1)";
        tol: f64 = 1e-3, shared!(tol range), shared!(weights purpose);
        max_iter: usize = 1000, shared!(steps range), "most iterations";
    }
}

impl Jcfo {
    fn options(&self, x: &Matrix) -> EmOptions {
        let (n, k) = (x.n_rows() as f64, x.n_columns() as f64);
        let gamma2 = self.gamma2.or(n * k.ln_1p() / (4.0 * k * self.gamma1));
        let features = Some(WeightPrior::Laplace(gamma2));
        EmOptions {
            signed: true,
            ..EmOptions::new(WeightPrior::Laplace(self.gamma1), features, self.tol, self.max_iter)
        }
    }
}

impl Describe for Jcfo {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "jcfo",
            summary: "a sparse classifier that prunes features, with Laplace priors and a probit likelihood",
            number_by: "the mode of the posterior",
            cost: COST,
            reference: "Krishnapuram, Hartemink, Carin & Figueiredo, A Bayesian approach to joint feature selection and \
                        classifier design, IEEE TPAMI 26(9), 2004",
            parameters: Jcfo::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        self.basis.validate()?;
        check("gamma1", self.gamma1, 1e-6, 1e6)?;
        check("gamma2", self.gamma2.or(1.0), 1e-6, 1e6)?;
        check_stopping(self.tol, self.max_iter)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        self.basis.overruled(key)
    }
}

impl Learner for Jcfo {
    fn samplewise(&self) -> bool {
        self.basis.samplewise
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>> {
        Ok(ProblemRuns::of_problems(train(task, &self.basis, &[self.options(task.x)], EmSolver::new, progress)?))
    }
}

impl Selector for Jcfo {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        one_vs_rest::select(self, data, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Method;
    use crate::numeric::random;
    use crate::simulate::TwoGaussians;
    use crate::table::{Table, Target};
    use rand::RngExt;

    fn table(columns: Vec<Vec<f64>>, labels: &[&str]) -> Table {
        let names = (0..columns.len()).map(|k| format!("f{k}")).collect();
        let labels: Vec<Option<&str>> = labels.iter().map(|l| Some(*l)).collect();
        Table::new(names, columns, "y", Target::classes(&labels)).expect("a table")
    }

    /// Columns of noise, and the class that the signs of the first two decide together.
    fn xor(rows: usize, features: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<&'static str>) {
        let mut rng = random::stream(seed, 0);
        let mut column = || (0..rows).map(|_| rng.random::<f64>() * 2.0 - 1.0).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..features).map(|_| column()).collect();
        let label = |i: usize| if columns[0][i] * columns[1][i] > 0.0 { "same" } else { "differ" };
        let labels = (0..rows).map(label).collect();
        (columns, labels)
    }

    fn probabilities(method: &Jcfo, table: &Table) -> Vec<f64> {
        let model = Method::from(method.clone()).fit(&table.view(), &mut Context::default()).expect("fits");
        model.predict(&table.view()).expect("predicts").probabilities[1].clone()
    }

    #[test]
    fn features_of_noise_drop_out() {
        for features in [10, 50] {
            let drawn = TwoGaussians { features, rows: 400 }.draw(4).expect("draws");
            let found = Jcfo::default().select(&drawn.table.view(), &mut Context::default()).expect("selects");
            assert!(found.selected.contains(&0) && found.selected.contains(&1), "{:?}", found.selected);
            assert!(found.selected.len() <= 2 + features / 10, "{:?}", found.selected);
            assert!(found.converged && found.detail.machines[0].samples.len() < 40);
        }
    }

    #[test]
    fn kernels_that_bend_learn_what_only_pairs_decide() {
        for (kernel, at_least) in [(KernelShape::Rbf, 0.85), (KernelShape::Poly, 0.9)] {
            let (columns, labels) = xor(200, 5, 1);
            let (other, truth) = xor(1000, 5, 2);
            let model = Method::from(Jcfo { basis: BasisParameters::of(kernel), ..Jcfo::default() })
                .fit(&table(columns, &labels).view(), &mut Context::default());
            let model = model.expect("fits");
            let other = table(other, &truth);
            let got = model.predict(&other.view()).expect("predicts");
            let right = (0..1000).filter(|&r| model.classes[got.predicted[r]] == truth[r]).count();
            assert!(right as f64 > 1000.0 * at_least, "{kernel:?}: {right}");
            assert!(model.features().contains(&"f0") && model.features().contains(&"f1"), "{:?}", model.features());
        }
    }

    #[test]
    fn other_names_of_the_classes_mirror_the_probabilities() {
        for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
            let (columns, labels) = xor(80, 4, 3);
            let flipped: Vec<&str> = labels.iter().map(|l| if *l == "same" { "differ" } else { "same" }).collect();
            let method =
                Jcfo { basis: BasisParameters::of(kernel), gamma1: 0.3, gamma2: Auto::Set(0.3), ..Jcfo::default() };
            let (p, q) = (
                probabilities(&method, &table(columns.clone(), &labels)),
                probabilities(&method, &table(columns, &flipped)),
            );
            assert!(p.iter().any(|p| (p - 0.5).abs() > 0.01), "{kernel:?}");
            assert!(p.iter().zip(&q).all(|(p, q)| (p + q - 1.0).abs() < 1e-6), "{kernel:?}");
        }
    }

    #[test]
    fn neither_the_order_nor_the_units_of_features_matter() {
        for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
            let (columns, labels) = xor(80, 4, 5);
            let method =
                Jcfo { basis: BasisParameters::of(kernel), gamma1: 0.3, gamma2: Auto::Set(0.3), ..Jcfo::default() };
            let wanted = probabilities(&method, &table(columns.clone(), &labels));
            let turned: Vec<Vec<f64>> = columns.iter().rev().cloned().collect();
            let scaled = columns.iter().zip([1e-3, 7.0, 1.0, 1e5]);
            let scaled = scaled.map(|(c, by)| c.iter().map(|x| 3.0 + by * x).collect()).collect();
            for (how, columns) in [("order", turned), ("units", scaled)] {
                let got = probabilities(&method, &table(columns, &labels));
                let apart = got.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-5, "{kernel:?}, {how}: {apart}");
            }
        }
    }

    /// So strict that every weight is pruned: each row gets the shares of the classes.
    #[test]
    fn where_nothing_is_worth_its_weight_a_note_says_so() {
        for kernel in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
            let (columns, labels) = xor(60, 3, 6);
            let table = table(columns, &labels);
            let method =
                Jcfo { basis: BasisParameters::of(kernel), gamma1: 1e4, gamma2: Auto::Set(1e4), ..Jcfo::default() };
            let model = Method::from(method.clone()).fit(&table.view(), &mut Context::default()).expect("fits");
            assert!(
                model.notes.iter().any(|n| n.to_string().contains("all weights were pruned")),
                "{kernel:?}: {:?}",
                model.notes
            );
            let share = labels.iter().filter(|l| **l == "same").count() as f64 / 60.0;
            let p = probabilities(&method, &table);
            assert!(p.iter().all(|p| (p - share).abs() < 1e-3), "{kernel:?}: {share} {p:?}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused_by_name() {
        let (columns, labels) = xor(20, 2, 7);
        let table = table(columns, &labels);
        let wrong = [
            (Jcfo { gamma1: 0.0, ..Jcfo::default() }, "gamma1"),
            (Jcfo { gamma2: Auto::Set(f64::NAN), ..Jcfo::default() }, "gamma2"),
            (Jcfo { basis: BasisParameters { degree: 0, ..BasisParameters::default() }, ..Jcfo::default() }, "degree"),
            (
                Jcfo {
                    basis: BasisParameters { bases: Auto::Set(1), ..BasisParameters::default() },
                    ..Jcfo::default()
                },
                "bases",
            ),
            (Jcfo { tol: 1.0, ..Jcfo::default() }, "tol"),
            (Jcfo { max_iter: 0, ..Jcfo::default() }, "max_iter"),
        ];
        for (method, name) in wrong {
            let error =
                Method::from(method).fit(&table.view(), &mut Context::default()).expect_err("out of range").to_string();
            assert!(error.contains(name) && error.contains("it takes"), "{error}");
        }
    }
}
