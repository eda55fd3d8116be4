//! Special functions against high-precision values (see fixtures/make_special.py).

use crate::common::{fixture, numbers};
use tamis::numeric::special::{f_to_z, ln_beta, log_ndtr, ndtr, t_to_z};

/// Checks every row of a fixture: all but the last number are arguments.
fn check(name: &str, tolerance: f64, absolute: f64, f: impl Fn(&[f64]) -> f64) {
    let fixtures = fixture("special.json");
    let rows = fixtures[name].as_array().unwrap();
    assert!(rows.len() > 50, "{name}");
    let mut worst = (0.0, String::new());
    for row in rows {
        let row = numbers(row);
        let (arguments, want) = (&row[..row.len() - 1], row[row.len() - 1]);
        let got = f(arguments);
        let error = (got - want).abs() / (want.abs() + absolute / tolerance);
        assert!(error.is_finite(), "{name} {arguments:?}: {got}");
        if error > worst.0 {
            worst = (error, format!("{arguments:?}: {got} for {want}"));
        }
    }
    println!("{name}: worst error {:.1e} at {}", worst.0, worst.1);
    assert!(worst.0 <= tolerance, "{name}: {:.2e} at {}", worst.0, worst.1);
}

#[test]
fn normal_distribution_function() {
    check("ndtr", 1e-12, 0.0, |x| ndtr(x[0]));
}

#[test]
fn log_normal_distribution_function() {
    check("log_ndtr", 1e-12, 0.0, |x| log_ndtr(x[0]));
}

#[test]
fn student_t_to_z() {
    check("t_to_z", 1e-12, 0.0, |x| t_to_z(x[0], x[1]));
}

#[test]
fn f_to_one_sided_z() {
    check("f_to_z", 1e-11, 1e-12, |x| f_to_z(x[0], x[1], x[2]));
}

#[test]
fn log_beta_function() {
    check("ln_beta", 1e-13, 1e-14, |x| ln_beta(x[0], x[1]));
}

#[test]
fn t_to_z_is_odd_and_increasing() {
    for df in [0.5, 1.0, 2.5, 7.0, 30.0, 77.7, 200.0, 1e3, 1e5, 1e7] {
        let mut before = 0.0;
        for i in 1..4000 {
            let t = 0.01 * f64::from(i) * (1.0 + f64::from(i) / 400.0);
            let z = t_to_z(t, df);
            assert!(z > before, "df {df}, t {t}: {z} after {before}");
            assert_eq!(t_to_z(-t, df), -z);
            before = z;
        }
    }
    assert_eq!(t_to_z(0.0, 5.0), 0.0);
    assert!(t_to_z(f64::NAN, 5.0).is_nan());
    assert!(t_to_z(1e300, 1.0).is_finite());
}
