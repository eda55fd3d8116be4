//! Every method takes its data through a view: where the numbers lie makes no difference to the answer.

use std::ops::Range;
use std::sync::Arc;
use tamis::score::{self, Scale, Scores, Statistic};
use tamis::table::{Categories, Column, Columns, OwnedSparseLines, Row, SparseLines, Study, Table, Target, View};
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
    all.extend(found.notes.iter().map(|note| note.to_string().len() as u64));
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

/// Numbers as other libraries store them.
enum Stored {
    Rows(Vec<f64>),
    SingleRows(Vec<f32>),
    SingleColumns(Vec<f32>),
    /// The values of each column that are not 0.
    Sparse(OwnedSparseLines),
    /// The values of each row that are not 0.
    SparseRows(OwnedSparseLines),
}

/// A matrix without categories in one of these layouts.
struct Matrix {
    names: Arc<[String]>,
    n_rows: usize,
    stored: Stored,
}

impl Matrix {
    /// The numbers of a table in every layout.
    fn layouts(table: &Table) -> [Matrix; 5] {
        let (n_rows, width) = (table.n_rows(), table.columns().len());
        let value = |row: usize, column: usize| table.columns()[column].numbers().map_or(f64::NAN, |x| x[row]);
        let rows: Vec<f64> = (0..n_rows * width).map(|i| value(i / width, i % width)).collect();
        let single_rows = rows.iter().map(|&x| x as f32).collect();
        let single_columns = (0..n_rows * width).map(|i| value(i % n_rows, i / n_rows) as f32).collect();
        let mut sparse = OwnedSparseLines { starts: vec![0], ..OwnedSparseLines::default() };
        for column in 0..width {
            for (row, x) in (0..n_rows).map(|row| (row, value(row, column))).filter(|(_, x)| *x != 0.0) {
                sparse.places.push(row as u32);
                sparse.values.push(x);
            }
            sparse.starts.push(sparse.values.len());
        }
        let sparse_rows = sparse.lines().transposed(n_rows);
        [
            Stored::Rows(rows),
            Stored::SingleRows(single_rows),
            Stored::SingleColumns(single_columns),
            Stored::Sparse(sparse),
            Stored::SparseRows(sparse_rows),
        ]
        .map(|stored| Matrix { names: Arc::clone(table.names()), n_rows, stored })
    }

    fn value(&self, row: usize, column: usize) -> f64 {
        let width = self.names.len();
        match &self.stored {
            Stored::Rows(x) => x[row * width + column],
            Stored::SingleRows(x) => f64::from(x[row * width + column]),
            Stored::SingleColumns(x) => f64::from(x[column * self.n_rows + row]),
            Stored::Sparse(x) => entry(x.lines(), column, row),
            Stored::SparseRows(x) => entry(x.lines(), row, column),
        }
    }
}

fn entry(lines: SparseLines, line: usize, place: usize) -> f64 {
    let (places, values) = lines.line(line);
    places.iter().position(|&at| at as usize == place).map_or(0.0, |at| values[at])
}

impl Columns for Matrix {
    fn names(&self) -> &Arc<[String]> {
        &self.names
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn singles(&self, column: usize) -> Option<&[f32]> {
        match &self.stored {
            Stored::SingleColumns(x) => Some(&x[column * self.n_rows..][..self.n_rows]),
            _ => None,
        }
    }

    fn row(&self, row: usize) -> Option<Row<'_>> {
        let width = self.names.len();
        match &self.stored {
            Stored::Rows(x) => Some(Row::Doubles(&x[row * width..][..width])),
            Stored::SingleRows(x) => Some(Row::Singles(&x[row * width..][..width])),
            Stored::SingleColumns(_) | Stored::Sparse(_) | Stored::SparseRows(_) => None,
        }
    }

    fn sparse_columns(&self) -> Option<SparseLines<'_>> {
        if let Stored::Sparse(x) = &self.stored { Some(x.lines()) } else { None }
    }

    fn sparse_rows(&self) -> Option<SparseLines<'_>> {
        if let Stored::SparseRows(x) = &self.stored { Some(x.lines()) } else { None }
    }

    fn fill(&self, columns: Range<usize>, rows: Option<&[u32]>, out: &mut [f64]) {
        let all: Vec<u32> = (0..self.n_rows as u32).collect();
        let rows = rows.unwrap_or(&all);
        for (column, out) in columns.zip(out.chunks_exact_mut(rows.len())) {
            out.iter_mut().zip(rows).for_each(|(o, &row)| *o = self.value(row as usize, column));
        }
    }
}

/// A table whose numbers single precision holds exactly: many zeros, gaps, a constant, a column without zeros far from 0,
/// one of large numbers, and one whose first values lie far from the others.
fn awkward(rows: usize, width: usize, classes: usize) -> Table {
    let value = |row: usize, column: usize| match (column, row) {
        (3, 5) | (4, 0..3) => f64::NAN,
        (5, _) => 2.5,
        (6, _) => 0.0,
        (7, _) => 1000.0 + (row as f64).sin(),
        (8, _) => 1e38 * (row as f64).sin(),
        (9, 0..3) => 1e6,
        _ if column % 2 == 1 && !(row + column).is_multiple_of(6) => 0.0,
        _ => ((row * (2 * column + 3)) as f64 * 0.7547).sin(),
    };
    let column = |column: usize| (0..rows).map(|row| f64::from(value(row, column) as f32)).collect::<Vec<f64>>();
    let target = match classes {
        0 => Target::Real { values: (0..rows).map(|row| (row as f64 * 0.37).cos()).collect() },
        _ => Target::classes(&(0..rows).map(|row| Some(format!("c{}", row * 7 % 5 % classes))).collect::<Vec<_>>()),
    };
    Table::new((0..width).map(|j| format!("f{j}")).collect(), (0..width).map(column).collect(), "y", target)
        .expect("a table")
}

fn scores(view: &View, statistic: Statistic, threads: usize) -> Result<Scores, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let found = pool.install(|| score::compute(view, statistic, Scale::Z, &mut Context::default()));
    found.map_err(|error| error.to_string())
}

#[test]
fn scores_have_the_same_bits_in_every_layout() {
    for (rows, classes) in [(37, 2), (2051, 2), (37, 3), (37, 0)] {
        let table = awkward(rows, 150, classes);
        let study = Study::new("y", table.target().clone(), None).expect("a study");
        let some: Vec<u32> = (0..rows as u32).filter(|row| row % 5 != 1).collect();
        for matrix in &Matrix::layouts(&table)[..] {
            let moved = View::new(matrix, &study).expect("a view");
            let (here, there) = (table.view().of_these_rows(&some), moved.of_these_rows(&some));
            let parts = [(table.view(), moved.clone()), (here.expect("rows"), there.expect("rows"))];
            for ((here, there), threads) in parts.iter().zip([1, 2]) {
                for statistic in [Statistic::Auto, if classes == 2 { Statistic::Pooled } else { Statistic::Auto }] {
                    let wanted = scores(here, statistic, 1).expect("scores");
                    let found = scores(there, statistic, threads).expect("scores");
                    let is_sparse = matches!(matrix.stored, Stored::Sparse(_) | Stored::SparseRows(_));
                    let is_summed_sparse = is_sparse && here.rows().len() == rows;
                    for (a, b) in found.z().iter().zip(wanted.z()) {
                        // a score near 0 is a small difference of means
                        let close = is_summed_sparse && (a - b).abs() <= 1e-12 * b.abs().max(1.0);
                        assert!(close || a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "{a} {b}");
                    }
                    let said = |scores: &Scores| scores.notes.iter().map(|n| n.to_string()).collect::<Vec<_>>();
                    assert_eq!((said(&found), found.rows), (said(&wanted), wanted.rows));
                }
            }
        }
    }
}

fn make_infinite(lines: &mut OwnedSparseLines, line: usize, place: u32) {
    let stored = lines.starts[line]..lines.starts[line + 1];
    let at = stored.clone().find(|&at| lines.places[at] == place).expect("an entry");
    lines.values[at] = f64::INFINITY;
}

#[test]
fn an_infinite_number_is_refused_in_every_layout() {
    let table = awkward(37, 70, 2);
    let study = Study::new("y", table.target().clone(), None).expect("a study");
    let mut matrices = Matrix::layouts(&table);
    for matrix in &mut matrices {
        match &mut matrix.stored {
            Stored::Rows(x) => x[20 * 70 + 66] = f64::INFINITY,
            Stored::SingleRows(x) => x[20 * 70 + 66] = f32::INFINITY,
            Stored::SingleColumns(x) => x[66 * 37 + 20] = f32::INFINITY,
            Stored::Sparse(x) => make_infinite(x, 66, 20),
            Stored::SparseRows(x) => make_infinite(x, 20, 66),
        }
        let view = View::new(&*matrix, &study).expect("a view");
        for statistic in [Statistic::Welch, Statistic::F] {
            let problem = scores(&view, statistic, 1).expect_err("an infinite number");
            assert!(problem.contains("f66") && problem.contains("21") && problem.contains("infinite"), "{problem}");
        }
    }
}
