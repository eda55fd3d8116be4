//! Every method takes its data through a view: where the numbers lie makes no difference to the answer.

use std::ops::Range;
use std::sync::Arc;
use tamis::table::{Categories, Column, Columns, Study, Table, Target, View};
use tamis::{Context, Method, Selector};

/// Numbers row by row, as numpy keeps them, beside columns of categories.
struct ByRows {
    names: Arc<[String]>,
    numbers: Vec<f64>,
    width: usize,
    categories: Vec<Option<Categories>>,
}

impl ByRows {
    fn of(table: &Table) -> ByRows {
        let (width, rows) = (table.columns().len(), table.n_rows());
        let value = |row: usize, column: usize| table.columns()[column].numbers().map_or(f64::NAN, |x| x[row]);
        let numbers = (0..rows).flat_map(|row| (0..width).map(move |column| value(row, column))).collect();
        let categories = |column: &Column| match column {
            Column::Categories(categories) => Some(categories.clone()),
            Column::Numbers(_) => None,
        };
        let categories = table.columns().iter().map(categories).collect();
        ByRows { names: Arc::clone(table.names()), numbers, width, categories }
    }
}

impl Columns for ByRows {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.numbers.len() / self.width
    }

    fn categories(&self, column: usize) -> Option<&Categories> {
        self.categories[column].as_ref()
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        let all: Vec<u32> = (0..self.n_rows() as u32).collect();
        let rows = rows.unwrap_or(&all);
        for (column, out) in columns.zip(out.chunks_exact_mut(rows.len())) {
            out.iter_mut().zip(rows).for_each(|(o, &row)| *o = self.numbers[row as usize * self.width + column]);
        }
    }
}

/// Columns of which some tell the target, one has gaps, one never varies and, if asked for, one is text.
fn table(text: bool, target: Target) -> Table {
    let rows = target.len();
    let wave = |j: usize| -> Vec<f64> {
        let signal = |row: usize| target.code(row).map_or(row as f64 / rows as f64, |code| code as f64);
        let noise = |row: usize| ((row * (2 * j + 3) + j * j) as f64 * 0.7547).sin();
        let share = if j < 3 { 1.5 } else { 0.0 };
        (0..rows).map(|row| noise(row) + share * signal(row)).collect()
    };
    let mut columns: Vec<Column> = (0..70).map(|j| Column::Numbers(wave(j))).collect();
    if let Column::Numbers(values) = &mut columns[4] {
        values[2] = f64::NAN;
    }
    columns[6] = Column::Numbers(vec![1.0; rows]);
    if text {
        columns[5] = Column::Categories(Categories::of((0..rows).map(|row| Some(["a", "b", "c"][row % 3]))));
    }
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    Table::new(names, columns, "y", target).expect("a table")
}

/// The bits of everything a selection says.
fn bits(method: &Method, view: &View) -> Result<Vec<u64>, String> {
    let found = method.select(view, &mut Context::default()).map_err(|error| error.to_string())?;
    let numbers = |values: Option<&[f64]>| values.unwrap_or_default().iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let mut all = numbers(Some(&found.scores));
    all.extend(numbers(found.probabilities.as_deref()));
    all.extend(found.selected.iter().map(|&i| u64::from(i)));
    all.extend(found.notes.iter().map(|note| note.message.len() as u64));
    Ok(all)
}

#[test]
fn every_method_answers_alike_wherever_the_numbers_lie() {
    let labels: Vec<Option<String>> = (0..44).map(|row| Some(format!("c{}", (row * 7) % 2))).collect();
    let real = Target::Real { values: (0..44).map(|row| f64::from(row) * 0.37).collect() };
    for (text, target) in [(false, Target::classes(&labels)), (true, Target::classes(&labels)), (true, real)] {
        let table = table(text, target.clone());
        let elsewhere = ByRows::of(&table);
        let study = Study::new("y", target, None).expect("a study");
        let moved = View::new(&elsewhere, &study).expect("a view");
        let some: Vec<u32> = (0..44).filter(|row| row % 5 != 1).collect();
        for info in Method::catalogue() {
            let Ok(mut method) = Method::find(info.name) else { continue };
            if let Method::Npfs(npfs) = &mut method {
                npfs.bootstraps = 20;
                npfs.permutations = tamis::base::Auto::Set(2);
            }
            assert_eq!(bits(&method, &table.view()), bits(&method, &moved), "{}", info.name);
            let (here, there) = (table.view().of_these_rows(&some), moved.of_these_rows(&some));
            assert_eq!(bits(&method, &here.expect("rows")), bits(&method, &there.expect("rows")), "{}", info.name);
        }
    }
}
