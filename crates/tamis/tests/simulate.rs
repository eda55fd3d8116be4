//! Simulations: seeded, of any size, with the truth in them.

use tamis::score::{self, Scale, Statistic};
use tamis::simulate::{Drawn, Simulation};
use tamis::{Context, Selector, Snbl};

fn draw(kind: &str, settings: &[(&str, &str)], seed: u64) -> Drawn {
    Simulation::from_settings(kind, settings).unwrap().draw(seed).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_does_not() {
    for name in Simulation::catalogue().iter().map(|info| info.name) {
        let numbers = |seed| match draw(name, &[], seed) {
            Drawn::Table(drawn) => {
                drawn.table.columns().iter().filter_map(|c| c.numbers()).flatten().copied().collect()
            }
            Drawn::Scores { scores, .. } => scores,
        };
        let (a, b, c): (Vec<f64>, Vec<f64>, Vec<f64>) = (numbers(3), numbers(3), numbers(4));
        assert_eq!(a, b, "{name}");
        assert_ne!(a, c, "{name}");
    }
}

#[test]
fn the_catalogue_describes_exactly_the_parameters_there_are() {
    for info in Simulation::catalogue() {
        let (name, simulation, parameters) = (info.name, info.default, info.parameters);
        let value = serde_json::to_value(&simulation).unwrap();
        let mut real: Vec<&str> =
            value.as_object().unwrap().keys().map(String::as_str).filter(|k| *k != "kind").collect();
        let mut described: Vec<&str> = parameters.iter().map(|p| p.name).collect();
        real.sort_unstable();
        described.sort_unstable();
        assert_eq!(real, described, "{name}");
        assert_eq!(value["kind"], name);
    }
}

#[test]
fn planted_features_are_the_ones_that_are_found() {
    for (kind, settings) in [
        ("two-groups", vec![("features", "300"), ("relevant", "10"), ("effect", "[1.5,2.0]")]),
        ("uniform", vec![("rows", "2000"), ("features", "60")]),
        ("two-gaussians", vec![("features", "40")]),
        ("waveform", vec![("noise", "40")]),
    ] {
        let Drawn::Table(drawn) = draw(kind, &settings, 1) else { panic!("a table") };
        let selection = Snbl::default().select(&drawn.table.view(), &mut Context::default()).unwrap();
        let planted = drawn.truth.iter().filter(|t| **t != 0.0).count();
        let found = selection.selected.iter().filter(|i| drawn.truth[**i as usize] != 0.0).count();
        assert!(found * 10 >= planted * 8, "{kind}: {found} of {planted}");
        assert!(selection.selected.len() - found <= 2, "{kind}: {} wrong", selection.selected.len() - found);
    }
}

#[test]
fn a_cube_hides_its_features_from_any_single_score_but_not_from_pairs() {
    // two dimensions labelled by the exclusive or
    let settings = [("dimensions", "2"), ("relevant", "2"), ("features", "20"), ("rows", "1000")];
    let Drawn::Table(drawn) = draw("hypercube", &settings, 2) else { panic!("a table") };
    let z = score::compute(&drawn.table.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap().into_z();
    assert!(z.iter().all(|z| z.abs() < 4.0), "{z:?}");
    let columns: Vec<&[f64]> = drawn.table.columns().iter().filter_map(|c| c.numbers()).collect();
    let cube: Vec<usize> = (0..20).filter(|&j| drawn.truth[j] == 2.0).collect();
    let product: Vec<f64> = columns[cube[0]].iter().zip(columns[cube[1]]).map(|(a, b)| a * b).collect();
    let together = tamis::Table::new(vec!["xy".into()], vec![product], "y", drawn.table.target().clone()).unwrap();
    let z = score::compute(&together.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap().into_z();
    assert!(z[0].abs() > 20.0, "{z:?}");
}

#[test]
fn sparse_means_have_the_fraction_and_shape_asked_for() {
    for shape in
        ["constant", "gaussian", "uniform", "laplace", "bimodal-constant", "bimodal-gaussian", "bimodal-uniform"]
    {
        let settings = [("features", "4000"), ("zeros", "0.75"), ("strength", "5"), ("shape", shape)];
        let Drawn::Scores { scores, truth } = draw("sparse-means", &settings, 3) else { panic!("scores") };
        let effects: Vec<f64> = truth.iter().copied().filter(|t| *t != 0.0).collect();
        assert_eq!(effects.len(), 1000, "{shape}");
        let mean = effects.iter().sum::<f64>() / 1000.0;
        let two_sided = shape.starts_with("bimodal") || shape == "laplace";
        assert!((mean - if two_sided { 0.0 } else { 5.0 }).abs() < 0.6, "{shape}: {mean}");
        let noise: f64 = scores.iter().zip(&truth).map(|(z, m)| (z - m).powi(2)).sum::<f64>() / 4000.0;
        assert!((noise - 1.0).abs() < 0.1, "{shape}: {noise}");
    }
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    for (kind, key, value) in [
        ("uniform", "relevant", "26"),
        ("uniform", "rows", "1"),
        ("uniform", "rows", "-5"),
        ("two-groups", "effect", "[2,1]"),
        ("sparse-means", "zeros", "1.5"),
        ("sparse-means", "shape", "round"),
        ("hypercube", "dimensions", "1"),
        ("hypercube", "features", "99999999999"),
    ] {
        let refused = Simulation::from_settings(kind, &[(key, value)]).and_then(|s| s.draw(0)).unwrap_err();
        assert!(refused.to_string().contains(key) || refused.to_string().contains("GB"), "{refused}");
    }
    assert!(Simulation::from_settings("unifrom", &[]).unwrap_err().to_string().contains("did you mean `uniform`?"));
}
