//! Fixtures for the tests of this module: a table, a kernel, and their expected values.

use crate::machines::kernel::{Kernel, KernelShape};
use crate::numeric::linalg::Matrix;
use serde_json::Value;

/// One file of fixtures.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) kernel: Kernel,
    pub(crate) x: Matrix,
    pub(crate) y: Vec<f64>,
    pub(crate) json: Value,
}

pub(crate) fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
}

pub(crate) fn matrix(v: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = v.as_array().expect("rows").iter().map(numbers).collect();
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// Calls `test` with each fixture.
pub(crate) fn each(mut test: impl FnMut(Fixture)) {
    for (_, json) in crate::fixtures::oracle("vector_machine") {
        let kernel = Kernel {
            shape: match json["kernel"]["kind"].as_str().expect("a kind") {
                "rbf" => KernelShape::Rbf,
                "linear" => KernelShape::Linear,
                _ => KernelShape::Poly,
            },
            degree: json["kernel"]["P"].as_u64().expect("P") as u32,
            scale: json["kernel"]["s"].as_f64().expect("s"),
        };
        let name = json["name"].as_str().expect("a name").to_string();
        test(Fixture { name, kernel, x: matrix(&json["X"]), y: numbers(&json["y"]), json });
    }
}
