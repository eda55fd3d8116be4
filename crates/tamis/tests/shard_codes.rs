//! Tables in pieces for methods that count levels or rank values: the answer of the whole, in memory, in a file, spread over
//! workers, or close to it where a sample or bins must do.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::base::note::NoteKind;
use tamis::numeric::random;
use tamis::stream::{CodedBlock, CodedStream, Codings, Counts, Edges, Stream};
use tamis::table::{self, Input, ReadOptions};
use tamis::{Context, Method, Selection, Selector, Snbl};

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// How the target looks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Two,
    Three,
    Real,
}

struct Case {
    _folder: tempfile::TempDir,
    whole: PathBuf,
    reversed: PathBuf,
    parts: Vec<PathBuf>,
    options: ReadOptions,
}

/// A table of numbers, whole numbers, categories, holes and a constant, as one file and as three with the columns of the
/// last one in another order.
fn draw(kind: Kind, rows: usize, weighted: bool) -> Case {
    let mut rng = random::stream(11, rows as u64);
    let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
    let mut rng = random::stream(12, rows as u64);
    let names = ["a", "b", "c", "whole", "word", "same", "d", "e", "f", "holes", "y", "w"];
    let mut lines: Vec<Vec<String>> = vec![];
    for row in 0..rows {
        let y = match kind {
            Kind::Two => (row % 2) as f64,
            Kind::Three => (row % 3) as f64,
            Kind::Real => normal(),
        };
        let mut line: Vec<String> = (0..3).map(|j| format!("{:.4}", normal() + 0.4 * f64::from(j) * y)).collect();
        line.push(format!("{}", (normal() * 2.0 + y).round()));
        line.push(["red", "green", "blue"][(row * 7 + usize::from(y > 0.5)) % 3].into());
        line.push("1".into());
        line.extend((0..3).map(|_| format!("{:.4}", normal())));
        let hole = rng.random::<f64>() < 0.1;
        line.push(if hole { String::new() } else { format!("{:.4}", normal() + 0.3 * y) });
        let missing = row == 5;
        line.push(match kind {
            _ if missing => String::new(),
            Kind::Two => ["no", "yes"][row % 2].into(),
            Kind::Three => format!("{y}"),
            Kind::Real => format!("{y:.5}"),
        });
        line.push(format!("{}", row % 4));
        lines.push(line);
    }
    let folder = tempfile::tempdir().unwrap();
    let order: Vec<usize> = (0..names.len()).rev().collect();
    let plain: Vec<usize> = (0..names.len()).collect();
    let write = |name: &str, rows: &[Vec<String>], order: &[usize]| {
        let line =
            |cells: &dyn Fn(usize) -> String| order.iter().map(|&j| cells(j)).collect::<Vec<_>>().join(",") + "\n";
        let mut text = line(&|j| names[j].into());
        rows.iter().for_each(|row| text.push_str(&line(&|j| row[j].clone())));
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let whole = write("whole.csv", &lines, &plain);
    let reversed = write("reversed.csv", &lines, &order);
    let third = rows / 3;
    let parts = vec![
        write("1.csv", &lines[..third], &plain),
        write("2.csv", &lines[third..third + 7], &plain),
        write("3.csv", &lines[third + 7..], &order),
    ];
    let mut options = ReadOptions::target("y");
    match weighted {
        true => options.weight = Some("w".into()),
        false => options.drop = vec!["w".into()],
    }
    Case { _folder: folder, whole, reversed, parts, options }
}

impl Case {
    fn stream(&self, memory: Option<u64>) -> Stream {
        Stream { options: self.options.clone(), method: Snbl::default(), seed: 3, memory }
    }

    fn of_whole(&self, method: &Method) -> Selection {
        self.of_file(&self.whole, method)
    }

    /// Of the whole table with its columns in the order of the shard that led.
    fn led_by(&self, names: &[String], method: &Method) -> Selection {
        let whole = self.of_whole(method);
        if *whole.names == *names { whole } else { self.of_file(&self.reversed, method) }
    }

    fn of_file(&self, path: &Path, method: &Method) -> Selection {
        let table = table::read(Input::open(path).unwrap(), &self.options, &mut Context::default()).unwrap();
        method.select(&table.view(), &mut Context::seeded(3)).unwrap()
    }
}

fn method(name: &str, settings: &[(&str, &str)]) -> Method {
    Method::from_settings(name, settings.iter().copied()).unwrap()
}

fn same(got: &Selection, want: &Selection, what: &str) {
    assert_eq!(got.names, want.names, "{what}");
    assert_eq!(got.selected, want.selected, "{what}");
    assert_eq!(got.ranks, want.ranks, "{what}");
    for (g, w) in got.scores.iter().zip(&want.scores) {
        assert!(g == w || (g.is_nan() && w.is_nan()), "{what}: {g} {w}");
    }
    assert_eq!(got.q_values, want.q_values, "{what}");
    assert_eq!(got.detail.npfs, want.detail.npfs, "{what}");
    assert_eq!(got.method, want.method, "{what}");
}

#[test]
fn filters_and_npfs_give_the_answer_of_the_whole() {
    for (kind, weighted) in [(Kind::Two, false), (Kind::Three, true), (Kind::Real, false), (Kind::Real, true)] {
        let case = draw(kind, 400, weighted);
        for discretise in ["width", "frequency"] {
            let settings = [("discretise", discretise), ("bins", "6")];
            let few = [("discretise", discretise), ("bins", "6"), ("bootstraps", "12"), ("k", "3")];
            for method in ["jmi", "mrmr", "mim", "cmim", "disr", "jmim"]
                .map(|name| method(name, &settings))
                .into_iter()
                .chain([method("npfs", &few)])
            {
                let what = format!("{kind:?} {discretise} {}", method.name());
                let want = case.of_whole(&method);
                // in memory; and, for filters, in a file
                let memories = if method.name() == "npfs" { vec![None] } else { vec![None, Some(1000)] };
                for memory in memories {
                    let got =
                        case.stream(memory).select_coded(&case.parts, &method, &[], &mut Context::default()).unwrap();
                    same(&got.selection, &want, &format!("{what} {memory:?}"));
                    assert_eq!(got.facts.rows, if weighted { 299 } else { 399 });
                }
            }
        }
    }
}

#[test]
fn values_as_levels_and_kept_features() {
    let case = draw(Kind::Two, 300, false);
    let mut only = case.stream(None);
    only.options.drop.extend(["a", "b", "c", "d", "e", "f", "holes"].map(String::from));
    let by_value = method("mim", &[("discretise", "categories"), ("k", "1")]);
    let table = table::read(Input::open(&case.whole).unwrap(), &only.options, &mut Context::default()).unwrap();
    let want = by_value.select(&table.view(), &mut Context::default()).unwrap();
    same(&only.select_coded(&case.parts, &by_value, &[], &mut Context::default()).unwrap().selection, &want, "values");

    let error =
        case.stream(None).select_coded(&case.parts, &by_value, &[], &mut Context::default()).unwrap_err().to_string();
    assert!(error.contains("at most 255 are possible"), "{error}");
    let mdl = method("mim", &[("discretise", "mdl")]);
    let error =
        case.stream(None).select_coded(&case.parts, &mdl, &[], &mut Context::default()).unwrap_err().to_string();
    assert!(error.contains("it needs all rows at once"), "{error}");

    let kept = case.stream(None).select_coded(
        &case.parts,
        &method("jmi", &[("k", "2")]),
        &["f".into()],
        &mut Context::default(),
    );
    assert_eq!(kept.unwrap().selection.selected_names().next(), Some("f"));
}

#[test]
fn npfs_beyond_the_memory_takes_a_sample_and_says_so() {
    let case = draw(Kind::Two, 900, false);
    let npfs = method("npfs", &[("bootstraps", "10"), ("k", "3")]);
    let got = case.stream(Some(5000)).select_coded(&case.parts, &npfs, &[], &mut Context::default()).unwrap().selection;
    let note = got.notes.iter().find(|note| note.kind == NoteKind::RowSample).unwrap();
    let rows: usize = note.to_string().split(' ').nth(3).unwrap().parse().unwrap();
    assert!((420..580).contains(&rows), "{note}");
    let again =
        case.stream(Some(5000)).select_coded(&case.parts, &npfs, &[], &mut Context::default()).unwrap().selection;
    same(&again, &got, "the same sample");
}

/// The codings of merged states, the same in any order and from bytes.
fn merge_codings(states: &[Vec<u8>], bins: usize) -> Codings {
    let merged = |order: [usize; 3]| {
        let states = order.iter().map(|&i| Edges::from_bytes(&states[i], "state").unwrap()).collect();
        Edges::merge_all(states).unwrap().codings(bins).unwrap()
    };
    let codings = merged([0, 1, 2]);
    assert_eq!(codings.to_bytes(), merged([2, 0, 1]).to_bytes());
    assert_eq!(Codings::from_bytes(&codings.to_bytes(), "codings").unwrap(), codings);
    codings
}

/// What workers do, each with one file.
#[test]
fn workers_give_the_answer_of_the_whole() {
    for weighted in [false, true] {
        let case = draw(Kind::Three, 400, weighted);
        let stream = case.stream(None);
        let filter = method("jmi", &[("k", "3")]);
        let (discretise, bins) = filter.coding().unwrap();
        let look = |path: &PathBuf| {
            let mut edges = None;
            stream.look(&mut edges, discretise, Input::open(path).unwrap(), &mut Context::default()).unwrap();
            edges.unwrap().to_bytes()
        };
        let states: Vec<Vec<u8>> = case.parts.iter().map(look).collect();
        let codings = Arc::new(merge_codings(&states, bins));
        let columns = codings.size().1;
        let blocks: Vec<CodedBlock> = case
            .parts
            .iter()
            .map(|path| {
                let block = stream.encode(&codings, Input::open(path).unwrap(), &mut Context::default()).unwrap();
                let again = CodedBlock::from_bytes(&block.to_bytes(), columns, "block").unwrap();
                assert_eq!(again, block);
                again
            })
            .collect();
        let coded = CodedStream::join(&codings, blocks.clone(), u64::MAX).unwrap();
        let coded = CodedStream::from_bytes(&coded.to_bytes(), "codes").unwrap();
        let got = coded.select(&filter, &[], &mut Context::default()).unwrap().selection;
        same(&got, &case.led_by(&got.names, &filter), "filter");

        // the codes are those of the filter
        let bins = [("discretise", "width"), ("bins", "10")];
        let runs = [("bootstraps", "9"), ("k", "2"), ("early_stop", "true"), ("null", "binomial")];
        for settings in [[&bins[..], &runs[..2]].concat(), [&bins[..], &runs[..]].concat()] {
            let npfs = method("npfs", &settings);
            let Method::Npfs(inner) = &npfs else { unreachable!() };
            let some = |range| coded.run_some(inner, range, &mut Context::default()).unwrap();
            let parts = vec![some(4..7), some(7..9), some(0..4)];
            let got = coded.join_runs(inner, parts.clone(), &[]).unwrap();
            same(&got.selection, &case.led_by(&got.selection.names, &npfs), "npfs");
            let error = coded.join_runs(inner, parts[..2].to_vec(), &[]).unwrap_err().to_string();
            assert!(error.contains("missing"), "{error}");
        }

        // a partition that is lost or there twice is no smaller or larger table
        for wrong in [vec![blocks[0].clone(), blocks[2].clone()], vec![blocks[0].clone(); 3]] {
            assert!(CodedStream::join(&codings, wrong, u64::MAX).is_err());
        }
        let sample: Vec<CodedBlock> =
            blocks.iter().zip(0..).map(|(block, at)| block.clone().sampled(0.5, 3, at, 0)).collect();
        let coded = CodedStream::join(&codings, sample, u64::MAX).unwrap();
        let notes = coded.select(&filter, &[], &mut Context::default()).unwrap().selection.notes;
        assert!(notes.iter().any(|note| note.kind == NoteKind::RowSample));
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let case = draw(Kind::Two, 60, true);
    let stream = case.stream(None);
    let mut edges = None;
    let coding = method("mim", &[("discretise", "frequency")]).coding().unwrap();
    stream.look(&mut edges, coding.0, Input::open(&case.whole).unwrap(), &mut Context::default()).unwrap();
    let edges = edges.unwrap();
    let codings = Arc::new(edges.codings(coding.1).unwrap());
    let block = stream.encode(&codings, Input::open(&case.whole).unwrap(), &mut Context::default()).unwrap();
    let coded = CodedStream::join(&codings, vec![block.clone()], u64::MAX).unwrap();
    let counts = Counts::new(&codings);
    assert_eq!(Counts::from_bytes(&counts.to_bytes(), "counts").unwrap(), counts);
    type Check<'a> = Box<dyn Fn(&[u8]) -> bool + 'a>;
    let all: [(Vec<u8>, Check); 5] = [
        (edges.to_bytes(), Box::new(|b| Edges::from_bytes(b, "x").is_ok())),
        (codings.to_bytes(), Box::new(|b| Codings::from_bytes(b, "x").is_ok())),
        (block.to_bytes(), Box::new(|b| CodedBlock::from_bytes(b, codings.size().1, "x").is_ok())),
        (coded.to_bytes(), Box::new(|b| CodedStream::from_bytes(b, "x").is_ok())),
        (counts.to_bytes(), Box::new(|b| Counts::from_bytes(b, "x").is_ok())),
    ];
    for (i, (bytes, read)) in all.iter().enumerate() {
        assert!(read(bytes), "{i}");
        for cut in (0..bytes.len()).step_by(7) {
            assert!(!read(&bytes[..cut]), "{i} cut at {cut}");
        }
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 1;
        assert!(!read(&damaged), "{i}");
        for (j, (other, _)) in all.iter().enumerate() {
            assert_eq!(read(other), i == j, "{i} is not {j}");
        }
    }
}

#[test]
fn scores_of_ranks_come_close_to_those_of_the_whole() {
    for (kind, score, rows, tolerance) in [
        (Kind::Two, "mann-whitney", 700, 1e-9),
        (Kind::Three, "kruskal", 700, 1e-9),
        (Kind::Two, "mann-whitney", 30_000, 2e-3),
        (Kind::Three, "kruskal", 30_000, 2e-3),
    ] {
        let case = draw(kind, rows, false);
        let snbl = method("snbl", &[("score", score)]);
        let want = case.of_whole(&snbl);
        let Method::Snbl(inner) = snbl else { unreachable!() };
        let stream = Stream { method: inner, ..case.stream(None) };
        let got = stream.select_ranked(&case.parts, &[], &mut Context::default()).unwrap().selection;
        for ((g, w), name) in got.scores.iter().zip(&want.scores).zip(got.names.iter()) {
            assert!(g.is_nan() && w.is_nan() || (g - w).abs() <= tolerance * w.abs().max(1.0), "{name}: {g} {w}");
        }
        assert_eq!(got.selected, want.selected);
        assert_eq!(rows > 4096, got.notes.iter().any(|note| note.kind == NoteKind::BinnedRanks));
    }
    let case = draw(Kind::Real, 100, false);
    let Method::Snbl(inner) = method("snbl", &[("score", "kruskal")]) else { unreachable!() };
    let stream = Stream { method: inner, ..case.stream(None) };
    assert!(stream.select_ranked(&case.parts, &[], &mut Context::default()).is_err(), "a number has no classes");
}
