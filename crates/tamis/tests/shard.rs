//! Tables in pieces: the same answer whatever the split, the same bits whatever the order, and bytes that cannot be mistaken.

use proptest::prelude::*;
use std::sync::Arc;
use tamis::base::Auto;
use tamis::base::error::Place;
use tamis::merge::{Batch, Frame, State};
use tamis::score::{self, Scale, Statistic};
use tamis::stream::Stream;
use tamis::table::{self, Categories, Column, Input, ReadOptions, Task, WeightKind};
use tamis::{Context, Progress, Selection, Selector, Snbl, SparseMeans, Table};

/// Rows of a table: numbers, categories, holes, and columns of awkward sizes.
#[derive(Clone)]
struct Rows {
    names: Vec<String>,
    columns: Vec<Column>,
    target: Column,
    weights: Option<(Vec<f64>, WeightKind)>,
}

/// How the target looks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Words,
    TwoNumbers,
    FewWhole,
    Real,
    HugeReal,
}

const FAR: usize = 1;
const N_NUMBERS: usize = 12;

fn draw(kind: Kind, rows: usize, seed: u64, weights: Option<WeightKind>) -> Rows {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let y: Vec<f64> = (0..rows)
        .map(|row| match kind {
            Kind::Words | Kind::TwoNumbers => (row % 2) as f64,
            Kind::FewWhole => (row % 4) as f64,
            Kind::Real => normal(),
            Kind::HugeReal => normal() * 1e200,
        })
        .collect();
    let unit = if kind == Kind::HugeReal { 1e200 } else { 1.0 };
    let mut columns: Vec<Column> = (0..N_NUMBERS)
        .map(|j| {
            let values = y.iter().map(|y| {
                let x = normal() + (j % 4) as f64 * 0.3 * y / unit;
                match j {
                    FAR => x + 1e5,
                    2 => x * 1e180,
                    3 => x * 1e-180,
                    4 if x > 0.5 => f64::NAN,
                    5 => 7.0,
                    6 => f64::NAN,
                    _ => x,
                }
            });
            Column::Numbers(values.collect())
        })
        .collect();
    let texts = (0..rows).map(|row| match row % 7 {
        0 => None,
        r if normal() > 0.3 => Some(["red", "green"][r % 2]),
        r => Some(["blue", "green"][(r + usize::from(y[row] > 0.0)) % 2]),
    });
    columns.push(Column::Categories(Categories::of(texts)));
    let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
    let target = match kind {
        Kind::Words => Column::Categories(Categories::of(
            y.iter().enumerate().map(|(row, y)| (row % 11 != 3).then_some(if *y > 0.0 { "yes" } else { "no" })),
        )),
        _ => Column::Numbers(y),
    };
    let weights = weights.map(|kind| ((0..rows).map(|row| (row % 3) as f64).collect(), kind));
    Rows { names, columns, target, weights }
}

fn pick(column: &Column, rows: &[usize]) -> Column {
    match column {
        Column::Numbers(values) => Column::Numbers(rows.iter().map(|&r| values[r]).collect()),
        Column::Categories(c) => Column::Categories(Categories::of(rows.iter().map(|&r| c.get(r)))),
    }
}

impl Rows {
    fn frame(&self, task: Option<Task>) -> Arc<Frame> {
        let mut options = ReadOptions::target("y");
        options.task = task;
        self.weigh(&mut options);
        Frame::new(self.names.clone(), &options, Snbl::default(), 0).unwrap()
    }

    fn state(&self, frame: &Arc<Frame>, rows: &[usize]) -> State {
        let columns = self.columns.iter().map(|column| pick(column, rows)).collect();
        let weights = self.weights.as_ref().map(|(w, _)| rows.iter().map(|&r| w[r]).collect());
        let mut state = State::new(frame);
        state.update(Batch::new(columns, &pick(&self.target, rows), weights).unwrap()).unwrap();
        state
    }

    fn shards(&self, frame: &Arc<Frame>, count: usize, shuffle: u64) -> Vec<State> {
        let n = self.target.len();
        let mut order: Vec<usize> = (0..n).collect();
        if shuffle > 0 {
            order.sort_by_key(|&row| {
                (row as u64 + 1).wrapping_mul(shuffle | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17
            });
        }
        // uneven shards, some of them empty
        let cut = |i: usize| n * i * i / (count * count);
        (0..count).map(|i| self.state(frame, &order[cut(i)..cut(i + 1)])).collect()
    }

    /// The same rows as a file, read whole.
    fn table(&self, task: Option<Task>) -> Table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole.csv");
        std::fs::write(&path, self.csv(&(0..self.target.len()).collect::<Vec<_>>(), false)).unwrap();
        table::read(Input::open(&path).unwrap(), &self.options(task), &mut Context::default()).unwrap()
    }

    fn options(&self, task: Option<Task>) -> ReadOptions {
        let mut options = ReadOptions::target("y");
        options.task = task;
        self.weigh(&mut options);
        options
    }

    fn weigh(&self, options: &mut ReadOptions) {
        options.weight = self.weights.as_ref().map(|_| "w".into());
        options.weight_kind = self.weights.as_ref().map_or(WeightKind::default(), |(_, kind)| *kind);
    }

    fn csv(&self, rows: &[usize], backwards: bool) -> String {
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let mut columns: Vec<&Column> = self.columns.iter().collect();
        if backwards {
            names.reverse();
            columns.reverse();
        }
        let mut text = names.join(",") + ",y" + if self.weights.is_some() { ",w\n" } else { "\n" };
        for &row in rows {
            let cells: Vec<String> = columns.iter().map(|column| column.text(row)).collect();
            text += &cells.join(",");
            text += &format!(",{}", self.target.text(row));
            if let Some((weights, _)) = &self.weights {
                text += &format!(",{}", weights[row]);
            }
            text += "\n";
        }
        text
    }
}

fn check_scores(got: &[f64], want: &[f64], what: &str) {
    for (j, (a, b)) in got.iter().zip(want).enumerate() {
        let tolerance = if j == FAR { 1e-7 } else { 1e-11 };
        let close = (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * b.abs().max(1e-2);
        assert!(close, "{what}: feature {j}: {a} and {b}");
    }
}

const KINDS: [Kind; 5] = [Kind::Words, Kind::TwoNumbers, Kind::FewWhole, Kind::Real, Kind::HugeReal];

#[test]
fn any_split_gives_the_scores_and_the_selection_of_the_whole() {
    for kind in KINDS {
        for weights in [None, Some(WeightKind::Importance), Some(WeightKind::Frequency)] {
            let rows = draw(kind, 900, 7, weights);
            let table = rows.table(None);
            let view = table.view();
            let whole = score::compute(&view, Statistic::Auto, Scale::Z, &mut Context::default()).unwrap();
            let means = SparseMeans { permutations: Auto::Set(0), ..SparseMeans::default() };
            let method = Snbl { means, ..Snbl::default() };
            let selection = method.select(&view, &mut Context::default()).unwrap();
            let frame = rows.frame(None);
            for count in [1, 2, 7, 64] {
                for shuffle in [0, 5] {
                    let what = format!("{kind:?}, weights {weights:?}, {count} shards, shuffled {shuffle}");
                    let state = State::merge_all(rows.shards(&frame, count, shuffle)).unwrap();
                    assert_eq!(state.n_rows(), 900, "{what}");
                    let scores = state.scores(&method).unwrap();
                    check_scores(scores.z(), whole.z(), &what);
                    assert_eq!(scores.notes, whole.notes, "{what}");
                    assert_eq!(scores.statistic, whole.statistic, "{what}");
                    let answer = state.answer(&method, &[], &mut Context::default()).unwrap();
                    assert_eq!(answer.selection.selected, selection.selected, "{what}");
                    assert_eq!(answer.facts.rows as u64, view.n_samples(), "{what}");
                    let rows = |selection: &Selection| {
                        selection.summaries.as_ref().unwrap().features.iter().map(|f| f.rows).collect::<Vec<u32>>()
                    };
                    assert_eq!(rows(&answer.selection), rows(&selection), "{what}");
                }
            }
        }
    }
}

#[test]
fn every_moment_score_can_be_had() {
    for (kind, statistic, task) in [
        (Kind::Words, Statistic::Pooled, None),
        (Kind::Words, Statistic::F, None),
        (Kind::FewWhole, Statistic::F, None),
        (Kind::FewWhole, Statistic::Pearson, Some(Task::Real)),
        (Kind::TwoNumbers, Statistic::Pearson, Some(Task::Real)),
    ] {
        let rows = draw(kind, 400, 3, None);
        let table = rows.table(task);
        let whole = score::compute(&table.view(), statistic, Scale::Z, &mut Context::default()).unwrap();
        let state = State::merge_all(rows.shards(&rows.frame(task), 7, 3)).unwrap();
        let scores = state.scores(&Snbl { score: statistic, ..Snbl::default() }).unwrap();
        check_scores(scores.z(), whole.z(), &format!("{kind:?} {statistic:?}"));
    }
    let rows = draw(Kind::Words, 40, 3, None);
    let ranks = Snbl { score: Statistic::MannWhitney, ..Snbl::default() };
    let refused = State::merge_all(rows.shards(&rows.frame(None), 2, 0)).unwrap().scores(&ranks);
    assert!(refused.unwrap_err().to_string().contains("read the table whole"));
}

#[test]
fn states_of_other_kinds_of_weights_are_not_merged() {
    let shard = |kind| {
        let rows = draw(Kind::Words, 40, 3, Some(kind));
        rows.state(&rows.frame(None), &(0..40).collect::<Vec<_>>())
    };
    let error = State::merge_all(vec![shard(WeightKind::Importance), shard(WeightKind::Frequency)]).unwrap_err();
    assert!(error.to_string().contains("kind of weights"), "{error}");
}

#[test]
fn a_state_without_a_kind_of_weights_has_numbers_of_copies() {
    // as versions before there were kinds wrote it
    let rows = draw(Kind::Words, 40, 3, Some(WeightKind::Frequency));
    let state = rows.state(&rows.frame(None), &(0..40).collect::<Vec<_>>());
    let now = State::from_bytes(&state.to_bytes(), "now").unwrap().scores(&Snbl::default()).unwrap();
    let old = State::from_bytes(&without_kind(&state.to_bytes()), "old").unwrap().scores(&Snbl::default()).unwrap();
    assert_eq!(bits(old.z()), bits(now.z()));
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// The bytes of a state whose head says nothing of weights but their name.
fn without_kind(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[20..bytes.len() - 8];
    let (length, rest) = body.split_first_chunk::<8>().unwrap();
    let (head, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut head: serde_json::Value = serde_json::from_slice(head).unwrap();
    head.as_object_mut().unwrap().remove("weights").unwrap();
    head["frame"].as_object_mut().unwrap().remove("weight_kind").unwrap();
    let head = serde_json::to_vec(&head).unwrap();
    let body = [&(head.len() as u64).to_le_bytes()[..], &head, rest].concat();
    let digest =
        body.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    [&bytes[..12], &(body.len() as u64).to_le_bytes(), &body, &digest.to_le_bytes()].concat()
}

#[test]
fn the_same_shards_in_any_order_give_the_same_bytes() {
    for kind in KINDS {
        let rows = draw(kind, 500, 11, Some(WeightKind::Importance));
        let shards = rows.shards(&rows.frame(None), 7, 9);
        let merged = State::merge_all(shards.clone()).unwrap().to_bytes();
        for turn in 1..7 {
            let mut turned = shards.clone();
            turned.rotate_left(turn);
            turned.swap(0, 3);
            assert_eq!(State::merge_all(turned).unwrap().to_bytes(), merged, "{kind:?}");
        }
    }
}

#[test]
fn bytes_give_the_same_state_back_and_every_cut_is_refused() {
    for kind in KINDS {
        let rows = draw(kind, 60, 5, (kind == Kind::Real).then_some(WeightKind::Importance));
        let state = State::merge_all(rows.shards(&rows.frame(None), 3, 1)).unwrap();
        let bytes = state.to_bytes();
        assert_eq!(State::from_bytes(&bytes, "x.part").unwrap().to_bytes(), bytes);
        for cut in 0..bytes.len() {
            let error = State::from_bytes(&bytes[..cut], "x.part").unwrap_err().to_string();
            assert!(error.starts_with("`x.part`: it is"), "{error}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(State::from_bytes(&longer, "x.part").unwrap_err().to_string().contains("1 extra byte follows its end"));
    }
    let other = b"a,b,y\n1,2,3\n";
    assert!(State::from_bytes(other, "x.csv").unwrap_err().to_string().contains("not the state of a shard"));
}

proptest! {
    #[test]
    fn a_changed_byte_is_noticed_and_nothing_panics(at in 0usize..4000, to in any::<u8>(), mend in any::<bool>()) {
        let rows = draw(Kind::FewWhole, 50, 2, None);
        let mut bytes = rows.state(&rows.frame(None), &(0..50).collect::<Vec<_>>()).to_bytes();
        let at = at % bytes.len();
        let same = bytes[at] == to;
        bytes[at] = to;
        if mend {
            // a digest that fits: what comes behind it must hold by itself
            let n = bytes.len();
            let body = &bytes[20..n - 8];
            let digest = body.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
            bytes[n - 8..].copy_from_slice(&digest.to_le_bytes());
            if let Ok(state) = State::from_bytes(&bytes, "x.part") {
                let _ = state.answer(&Snbl::default(), &[], &mut Context::default());
                let _ = State::merge_all(vec![state.clone(), state]);
            }
        } else {
            prop_assert_eq!(State::from_bytes(&bytes, "x.part").is_ok(), same);
        }
    }

    #[test]
    fn bytes_of_anything_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(State::from_bytes(&bytes, "x.part").is_err());
    }
}

#[test]
fn files_in_pieces_give_the_answer_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    for kind in KINDS {
        let rows = draw(kind, 700, 13, (kind == Kind::TwoNumbers).then_some(WeightKind::Frequency));
        let table = rows.table(None);
        let whole = score::compute(&table.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap();
        let all: Vec<usize> = (0..700).collect();
        let paths: Vec<_> = (0..4).map(|i| folder.path().join(format!("part{i}.csv"))).collect();
        for (i, path) in paths.iter().enumerate() {
            let some = [0..1, 1..1, 1..400, 400..700][i].clone();
            std::fs::write(path, rows.csv(&all[some], i == 2)).unwrap();
        }
        let stream = Stream { options: rows.options(None), method: Snbl::default(), seed: 0, memory: None };
        let state = stream.read(&paths, &mut Context::default()).unwrap();
        assert_eq!(state.n_rows(), 700);
        check_scores(state.scores(&Snbl::default()).unwrap().z(), whole.z(), &format!("{kind:?}"));
    }
}

#[test]
fn large_files_come_in_many_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.csv");
    let rows = draw(Kind::Words, 40_000, 17, None);
    let mut text = rows.csv(&(0..40_000).collect::<Vec<_>>(), false);
    text = text.replacen("green", "\"green\"", 1);
    std::fs::write(&path, &text).unwrap();
    let stream = Stream { options: rows.options(None), method: Snbl::default(), seed: 0, memory: Some(1 << 20) };
    let one = std::slice::from_ref(&path);
    let few = stream.read(one, &mut Context::default()).unwrap();
    let many = Stream { memory: None, ..stream.clone() }.read(one, &mut Context::default()).unwrap();
    assert_eq!(few.to_bytes(), many.to_bytes(), "memory changes how many pieces are read at once, not what they are");
    let table = table::read(Input::open(&path).unwrap(), &rows.options(None), &mut Context::default()).unwrap();
    let whole = score::compute(&table.view(), Statistic::Auto, Scale::Z, &mut Context::default()).unwrap();
    check_scores(many.scores(&Snbl::default()).unwrap().z(), whole.z(), "many pieces");

    // errors tell the row of the file, however far behind
    let bad = text.lines().enumerate().map(|(i, line)| if i == 35_000 { "1,2\n".into() } else { format!("{line}\n") });
    std::fs::write(&path, bad.collect::<String>()).unwrap();
    let error = stream.read(&[path], &mut Context::default()).unwrap_err().to_string();
    assert!(error.contains("row 35000: the row has 2 fields instead of 14"), "{error}");
}

#[test]
fn numbers_are_classes_by_the_rule_for_files_once_all_are_there() {
    let state = |values: &[f64], task| {
        let mut options = ReadOptions::target("y");
        options.task = task;
        let frame = Frame::new(vec!["x".into()], &options, Snbl::default(), 0).unwrap();
        let mut state = State::new(&frame);
        let x = values.iter().enumerate().map(|(i, _)| ((i * 7919) % 1009) as f64).collect();
        state.update(Batch::new(vec![Column::Numbers(x)], &Column::Numbers(values.to_vec()), None).unwrap()).unwrap();
        state
    };
    let used = |states: Vec<State>| State::merge_all(states).unwrap().scores(&Snbl::default()).unwrap().statistic;
    assert_eq!(used(vec![state(&[0.0, 1.0, 0.0], None), state(&[1.0, 1.0], None)]), Statistic::Welch);
    assert_eq!(used(vec![state(&[0.0, 1.0, 0.0], None), state(&[0.5, 1.0], None)]), Statistic::Pearson);
    assert_eq!(used(vec![state(&[0.0, 1.0, 2.0], None), state(&[0.0, 1.0, 2.0], None)]), Statistic::F);
    assert_eq!(used(vec![state(&[0.0, 1.0, 2.0], None), state(&[0.0, 1.0, 3.0], None)]), Statistic::Pearson);
    assert_eq!(used(vec![state(&[0.0, 1.0, 2.0], Some(Task::Real)), state(&[], Some(Task::Real))]), Statistic::Pearson);
    let many: Vec<f64> = (0..30).map(f64::from).collect();
    assert_eq!(used(vec![state(&many, None), state(&many, None)]), Statistic::Pearson);
    let one = State::merge_all(vec![state(&[1.0, 1.0], None)]).unwrap().scores(&Snbl::default());
    assert!(one.unwrap_err().to_string().contains("one value only"));
}

#[test]
fn shards_of_something_else_are_refused() {
    let frame = |names: &[&str], change: &dyn Fn(&mut ReadOptions)| {
        let mut options = ReadOptions::target("y");
        change(&mut options);
        Frame::new(names.iter().map(|n| n.to_string()).collect(), &options, Snbl::default(), 0).unwrap()
    };
    let base = frame(&["a", "b"], &|_| {});
    let refused = |other: Arc<Frame>| {
        let mut state = State::new(&base);
        state.merge(State::new(&other), &Place::file("s.part")).unwrap_err().to_string()
    };
    assert!(refused(frame(&["a", "c"], &|_| {})).contains("there is no column `b`"));
    assert!(refused(frame(&["a", "b", "c"], &|_| {})).contains("column `c`: other pieces"));
    assert!(refused(frame(&["a", "b"], &|o| o.target = "z".into())).contains("the target `z`"));
    assert!(refused(frame(&["a", "b"], &|o| o.task = Some(Task::Real))).contains("the task `real`"));
    assert!(
        refused(frame(&["a", "b"], &|o| o.comparison.positive = Some("1".into()))).contains("the positive class `1`")
    );
    let options = ReadOptions::target("y");
    let names = || vec!["a".to_string(), "b".to_string()];
    assert!(refused(Frame::new(names(), &options, Snbl::default(), 9).unwrap()).contains("the seed 9"));
    let pooled = Snbl { score: Statistic::Pooled, ..Snbl::default() };
    assert!(refused(Frame::new(names(), &options, pooled, 0).unwrap()).contains("score=\"pooled\""));
    let mut state = State::new(&base);
    assert!(state.merge(State::new(&frame(&["b", "a"], &|_| {})), &Place::default()).is_ok(), "order is no matter");
}

#[test]
fn text_and_numbers_in_one_column_are_refused() {
    let frame = Frame::new(vec!["x".into()], &ReadOptions::target("y"), Snbl::default(), 0).unwrap();
    let target = Column::Numbers(vec![0.0, 1.0]);
    let mut state = State::new(&frame);
    state.update(Batch::new(vec![Column::Numbers(vec![1.0, 2.0])], &target, None).unwrap()).unwrap();
    let text = Column::Categories(Categories::of([Some("low"), Some("high")]));
    let error = state.update(Batch::new(vec![text], &target, None).unwrap()).unwrap_err().to_string();
    assert!(error.contains("column `x`: it holds text (`high`)"), "{error}");
}

/// Stops at the first report.
struct Stop;

impl Progress for Stop {
    fn update(&mut self, _: &str, _: u64, _: u64) -> bool {
        false
    }
}

#[test]
fn reading_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let rows = draw(Kind::Words, 20_000, 1, None);
    std::fs::write(&path, rows.csv(&(0..20_000).collect::<Vec<_>>(), false)).unwrap();
    let stream = Stream { options: rows.options(None), method: Snbl::default(), seed: 0, memory: None };
    assert!(matches!(stream.read(&[path], &mut Stop), Err(tamis::Error::Cancelled)));
}

#[test]
fn permutations_are_refused_where_there_are_no_rows_to_permute() {
    let options = ReadOptions::target("y");
    let asked = |permutations: Auto<usize>| {
        let mut method = Snbl::default();
        method.means.permutations = permutations;
        Frame::new(vec!["x".into()], &options, method, 0)
    };
    assert!(asked(Auto::Set(0)).is_ok() && asked(Auto::Auto).is_ok());
    let message = asked(Auto::Set(500)).expect_err("500 permutations").to_string();
    assert!(message.contains("read in pieces") && message.contains("independent"), "{message}");
}
