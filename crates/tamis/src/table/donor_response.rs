//! Whether donors respond differently to two classes, more than their rows explain.
//!
//! Per feature the differences between a donor's class means, weighted by their numbers of rows, have a mean square over
//! donors; by the mean square within donor and class it is F with known degrees of freedom if all donors respond alike. The
//! median of F over features by that distribution's median is the ratio.

use crate::numeric::special::{Fisher, Tail};
use crate::table::{Target, View};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What the values say about the response of donors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DonorResponse {
    /// The median F, in units of its median if donors respond alike.
    Ratio(f64),
    /// There are fewer than three donors with both classes, or no repeated rows.
    Unknown,
}

/// The rows of a donor in either class.
type Cells = Vec<[Vec<usize>; 2]>;

impl DonorResponse {
    /// Of a view with blocks and two classes; counts are taken as log counts per million. Features with missing values are
    /// left out.
    pub(super) fn of(data: &View, counted: bool) -> DonorResponse {
        let (Some((_, blocks)), Target::Classes { codes, positive, .. }) = (data.blocks(), data.target()) else {
            return DonorResponse::Unknown;
        };
        let mut cells: BTreeMap<u32, [Vec<usize>; 2]> = BTreeMap::new();
        for (at, &row) in data.rows().iter().enumerate() {
            let class = usize::from(codes[row as usize] == *positive);
            cells.entry(blocks.codes()[row as usize]).or_default()[class].push(at);
        }
        let cells: Cells = cells.into_values().collect();
        let Some(degrees) = degrees(&cells) else { return DonorResponse::Unknown };
        let sizes = counted.then(|| library_sizes(data));
        let one = |feature: usize| {
            let numbers = data.numbers(feature)?;
            let mut values: Vec<f64> = data.rows().iter().map(|&row| numbers[row as usize]).collect();
            if let Some(sizes) = &sizes {
                values.iter_mut().zip(sizes).for_each(|(x, size)| *x = ((*x + 0.5) / (size + 1.0)).log2());
            }
            f_of(&values, &cells, degrees)
        };
        let mut found: Vec<f64> = (0..data.n_features()).into_par_iter().filter_map(one).collect();
        if found.is_empty() {
            return DonorResponse::Unknown;
        }
        found.sort_unstable_by(f64::total_cmp);
        let middle = 0.5 * (found[(found.len() - 1) / 2] + found[found.len() / 2]);
        let [d1, d2] = degrees;
        DonorResponse::Ratio(middle / Fisher { d1, d2 }.point(Tail::Upper, 0.5_f64.ln()))
    }
}

/// The degrees of freedom of F; `None` where donors with both classes, or repeated rows, are too few.
fn degrees(cells: &Cells) -> Option<[f64; 2]> {
    let both = cells.iter().filter(|cell| cell.iter().all(|rows| !rows.is_empty())).count();
    let filled = cells.iter().flatten().filter(|rows| !rows.is_empty());
    let within: usize = filled.map(|rows| rows.len() - 1).sum();
    (both >= 3 && within >= 1).then_some([both as f64 - 1.0, within as f64])
}

/// F of a feature; `None` where a value is missing, or rows within donor and class do not vary.
fn f_of(values: &[f64], cells: &Cells, [between_df, within_df]: [f64; 2]) -> Option<f64> {
    let mean = |rows: &[usize]| rows.iter().map(|&at| values[at]).sum::<f64>() / rows.len() as f64;
    let mut within = 0.0;
    let mut differences = vec![];
    for [reference, positive] in cells {
        for rows in [reference, positive].into_iter().filter(|rows| !rows.is_empty()) {
            let middle = mean(rows);
            within += rows.iter().map(|&at| (values[at] - middle).powi(2)).sum::<f64>();
        }
        if !reference.is_empty() && !positive.is_empty() {
            let weight = 1.0 / (1.0 / reference.len() as f64 + 1.0 / positive.len() as f64);
            differences.push((mean(positive) - mean(reference), weight));
        }
    }
    let (sum, weights) = differences.iter().fold((0.0, 0.0), |(sum, weights), (d, w)| (sum + d * w, weights + w));
    let between: f64 = differences.iter().map(|(d, w)| w * (d - sum / weights).powi(2)).sum();
    let f = between / between_df / (within / within_df);
    f.is_finite().then_some(f)
}

/// The sum of every row of the view.
fn library_sizes(data: &View) -> Vec<f64> {
    let mut sizes = vec![0.0; data.rows().len()];
    for feature in 0..data.n_features() {
        let Some(numbers) = data.numbers(feature) else { continue };
        sizes.iter_mut().zip(data.rows()).for_each(|(size, &row)| {
            let count = numbers[row as usize];
            *size += if count.is_nan() { 0.0 } else { count };
        });
    }
    sizes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::table::{Categories, Column, Table};

    #[test]
    fn the_ratio_agrees_with_the_reference() {
        let path = format!("{}/tests/fixtures/oracle/designs2/donor_cells.json", env!("CARGO_MANIFEST_DIR"));
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let texts = |v: &serde_json::Value| v.as_array().unwrap().iter().map(|x| Some(x.to_string())).collect();
        for case in file["cases"].as_array().unwrap() {
            let numbers = |v: &serde_json::Value| -> Vec<f64> {
                v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
            };
            let columns: Vec<Column> = case["x"].as_array().unwrap().iter().map(|x| numbers(x).into()).collect();
            let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
            let labels: Vec<Option<String>> = texts(&case["condition"]);
            let donors: Vec<Option<String>> = texts(&case["donor"]);
            let table = Table::new(names, columns, "group", Target::classes(&labels)).unwrap();
            let table = table.with_blocks("donor", Categories::of(donors)).unwrap();
            let DonorResponse::Ratio(ratio) = DonorResponse::of(&table.view(), false) else { panic!("a ratio") };
            let wanted = case["ratio"].as_f64().unwrap();
            assert!((ratio - wanted).abs() <= 1e-10 * wanted.max(1.0), "{ratio} {wanted}");
            assert_eq!(ratio > 1.15, case["average"].as_bool().unwrap());
        }
    }
}
