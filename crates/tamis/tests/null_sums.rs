//! Tables read in pieces are judged like whole ones: null targets summed over the rows show how features are correlated.

use rand_distr::{Distribution, StandardNormal};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tamis::base::Auto;
use tamis::base::note::NoteKind;
use tamis::numeric::random;
use tamis::selection::detail::NoiseDetail;
use tamis::stream::Stream;
use tamis::table::{self, Input, ReadOptions};
use tamis::{Context, Method, Selection, Selector, Snbl};

/// A table in blocks of correlated features.
struct Shape {
    rows: usize,
    features: usize,
    /// Features of a block.
    block: usize,
    /// The correlation within blocks.
    rho: f64,
    /// Features that differ by 1.5 standard deviations.
    planted: usize,
}

/// The lines of a table of two classes, or of a numeric target.
fn lines(shape: &Shape, numeric: bool, seed: u64) -> Vec<String> {
    let mut rng = random::stream(seed, 1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let names: Vec<String> = (0..shape.features).map(|j| format!("f{j}")).collect();
    let mut lines = vec![format!("{},y", names.join(","))];
    for row in 0..shape.rows {
        let y = if numeric { normal() } else { f64::from(u8::from(row % 5 < 2)) };
        let mut line = String::new();
        let mut common = 0.0;
        for j in 0..shape.features {
            if j % shape.block == 0 {
                common = normal();
            }
            let x = shape.rho.sqrt() * common + (1.0 - shape.rho).sqrt() * normal();
            let effect =
                if j * shape.planted / shape.features != (j + 1) * shape.planted / shape.features { 1.5 } else { 0.0 };
            write!(line, "{:.6},", x + effect * y).unwrap();
        }
        lines.push(format!("{line}{y}"));
    }
    lines
}

struct Files {
    folder: tempfile::TempDir,
    lines: Vec<String>,
}

impl Files {
    fn new(lines: Vec<String>) -> Files {
        Files { folder: tempfile::tempdir().unwrap(), lines }
    }

    /// The table in files that begin at these rows.
    fn cut(&self, starts: &[usize]) -> Vec<PathBuf> {
        let rows = self.lines.len() - 1;
        let ends = starts.iter().skip(1).copied().chain([rows]);
        let write = |(from, to): (usize, usize)| {
            let path = self.folder.path().join(format!("{from}-{to}.csv"));
            let text = format!("{}\n{}\n", self.lines[0], self.lines[1 + from..1 + to].join("\n"));
            std::fs::write(&path, text).unwrap();
            path
        };
        starts.iter().copied().zip(ends).map(write).collect()
    }
}

/// As many null targets as are asked for, or as the size of the table wants.
fn stream(permutations: Option<usize>, seed: u64) -> Stream {
    let mut method = Snbl::default();
    method.means.permutations = permutations.map_or(Auto::Auto, Auto::Set);
    Stream { options: ReadOptions::target("y"), method, seed, memory: None }
}

fn in_pieces(files: &[PathBuf], permutations: usize, seed: u64) -> Selection {
    stream(Some(permutations), seed).select_summed(files, &[], &mut Context::default()).unwrap().selection
}

fn in_memory(file: &Path, seed: u64) -> Selection {
    let table = table::read(Input::open(file).unwrap(), &ReadOptions::target("y"), &mut Context::default()).unwrap();
    Method::Snbl(stream(Some(199), seed).method).select(&table.view(), &mut Context::seeded(seed)).unwrap()
}

fn noise(selection: &Selection) -> &NoiseDetail {
    selection.detail.fit.as_ref().unwrap().noise.as_ref().unwrap()
}

fn noted(selection: &Selection) -> bool {
    selection.notes.iter().any(|note| note.kind == NoteKind::Independence)
}

#[test]
fn correlated_noise_is_recognised_as_in_memory_and_nothing_named() {
    let shape = Shape { rows: 200, features: 600, block: 100, rho: 0.9, planted: 0 };
    for numeric in [false, true] {
        let (mut ours, mut theirs) = (0.0, 0.0);
        for seed in 1..=4 {
            let files = Files::new(lines(&shape, numeric, seed));
            let pieces = in_pieces(&files.cut(&[0, 70]), 199, seed);
            let whole = in_memory(&files.cut(&[0])[0], seed);
            let (p, w) = (noise(&pieces), noise(&whole));
            assert_eq!(p.states, w.states, "{p:?} {w:?}");
            ours += p.phi.ln();
            theirs += w.phi.ln();
            assert!(!noted(&pieces) && pieces.selected.is_empty(), "{numeric} {seed}: {:?}", pieces.selected);
            assert_eq!(p.permutations, 199);
        }
        // over four tables the null targets' own noise is within 30 %
        let ratio = ((ours - theirs) / 4.0_f64).exp();
        assert!((1.0 / 1.3..1.3).contains(&ratio), "{numeric}: {ratio}");
    }
}

#[test]
fn planted_effects_are_found_as_in_memory() {
    let shape = Shape { rows: 240, features: 500, block: 10, rho: 0.5, planted: 20 };
    for numeric in [false, true] {
        let files = Files::new(lines(&shape, numeric, 8));
        let pieces = in_pieces(&files.cut(&[0, 100]), 199, 8);
        let whole = in_memory(&files.cut(&[0])[0], 8);
        let planted = |j: &&u32| (**j as usize * 20) / 500 != ((**j as usize + 1) * 20) / 500;
        let found = |selection: &Selection| selection.selected.iter().filter(planted).count();
        assert_eq!((found(&pieces), found(&whole)), (20, 20));
        let apart = |a: &Selection, b: &Selection| a.selected.iter().filter(|j| !b.selected.contains(j)).count();
        let differ = apart(&pieces, &whole) + apart(&whole, &pieces);
        assert!(differ <= 2, "{:?} {:?}", pieces.selected, whole.selected);
        for (a, b) in pieces.scores.iter().zip(&whole.scores) {
            assert!((a - b).abs() < 1e-11 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn other_cuts_give_the_same_answer() {
    let shape = Shape { rows: 150, features: 120, block: 30, rho: 0.8, planted: 6 };
    for numeric in [false, true] {
        let files = Files::new(lines(&shape, numeric, 3));
        let one = in_pieces(&files.cut(&[0]), 199, 3);
        let three = in_pieces(&files.cut(&[0, 11, 12, 149]), 199, 3);
        assert_eq!(one.selected, three.selected);
        let (p, q) = (noise(&one), noise(&three));
        let figures = |c: &NoiseDetail| [c.phi, c.lambda.unwrap(), c.dispersion.unwrap(), c.states as f64];
        for (a, b) in figures(p).into_iter().zip(figures(q)) {
            assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{p:?} {q:?}");
        }
        for (a, b) in one.scores.iter().zip(&three.scores) {
            assert!((a - b).abs() < 1e-11 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn features_are_taken_as_independent_where_null_targets_are_not_summed() {
    let shape = |rows: usize, features: usize| Shape { rows, features, block: 1, rho: 0.0, planted: 3 };
    let small = Files::new(lines(&shape(60, 40), false, 2));
    assert!(!noted(&in_pieces(&small.cut(&[0, 30]), 199, 2)));
    assert!(!noted(&in_pieces(&small.cut(&[0, 30]), 299, 2)), "any number of null targets is accepted");
    let without = in_pieces(&small.cut(&[0, 30]), 0, 2);
    assert!(noted(&without) && without.detail.fit.unwrap().noise.is_none());
    let few = Files::new(lines(&shape(20, 40), false, 2)); // eight rows of one class
    let answer = stream(None, 2).select_summed(&few.cut(&[0, 13]), &[], &mut Context::default()).unwrap();
    assert!(noted(&answer.selection));
    let refused = stream(Some(299), 2).select_summed(&few.cut(&[0]), &[], &mut Context::default());
    assert!(refused.unwrap_err().to_string().contains("permutations"), "a number that cannot be had");
}
