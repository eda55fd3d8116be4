//! Null targets that rows draw by themselves: memory, pieces and shards give the same bits, and what does not fit is refused.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::base::Auto;
use tamis::merge::{Profile, RowState};
use tamis::sparse_means::NullTargets;
use tamis::stream::Stream;
use tamis::table::{self, Input, ReadOptions, WeightKind};
use tamis::{Context, Selection, Selector, Snbl};

/// The lines of a file: two, three or any number of target values, weights of two kinds, covariates with gaps, and features
/// with gaps, far from 0, of one value, of categories, and with an effect.
fn lines(rows: usize, features: usize) -> (String, Vec<String>) {
    let mut state = 5_u64;
    let mut normal = move || {
        let mut sum = -6.0;
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (state >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum
    };
    let names: Vec<String> = (0..features).map(|j| format!("f{j}")).collect();
    let header = format!("two,three,real,importance,copies,age,site,{}", names.join(","));
    let mut all = vec![];
    for i in 0..rows {
        let (two, three) = (["no", "yes"][usize::from(i % 5 < 2)], ["a", "b", "c"][i * 7 % 10 / 4]);
        let real = if i % 31 == 4 { String::new() } else { format!("{:.3}", normal() + (i % 3) as f64) };
        let age = if i % 23 == 5 { String::new() } else { format!("{:.1}", 50.0 + 9.0 * normal()) };
        let site = ["n", "s", "t"][i * i % 11 % 3];
        let mut line = format!("{two},{three},{real},{:.2},{},{age},{site}", 0.3 + (i % 6) as f64, i % 4);
        let common = normal();
        for j in 0..features {
            let x = 0.8 * common + normal() + if j % 5 == 1 && two == "yes" { 1.5 } else { 0.0 };
            match j {
                2 if x > 0.7 => line += ",",
                3 => write!(line, ",{:.3}", x + 1e5).unwrap(),
                4 => line += ",7",
                5 => write!(line, ",{}", ["red", "blue"][usize::from(x > 0.4)]).unwrap(),
                6 if i > 9 => line += ",",
                _ => write!(line, ",{x:.5}").unwrap(),
            }
        }
        all.push(line);
    }
    (header, all)
}

struct Files {
    folder: tempfile::TempDir,
    header: String,
    lines: Vec<String>,
}

impl Files {
    fn new(rows: usize, features: usize) -> Files {
        let (header, lines) = lines(rows, features);
        Files { folder: tempfile::tempdir().unwrap(), header, lines }
    }

    /// The table in files that begin at these rows, the last files first.
    fn cut(&self, starts: &[usize]) -> Vec<PathBuf> {
        let ends = starts.iter().skip(1).copied().chain([self.lines.len()]);
        let write = |(from, to): (usize, usize)| {
            let path = self.folder.path().join(format!("{from}-{to}.csv"));
            std::fs::write(&path, format!("{}\n{}\n", self.header, self.lines[from..to].join("\n"))).unwrap();
            path
        };
        let mut files: Vec<PathBuf> = starts.iter().copied().zip(ends).map(write).collect();
        files.reverse();
        files
    }
}

fn stream(target: &str, weight: &str, covariates: bool) -> Stream {
    let mut options = ReadOptions::target(target);
    options.drop = ["two", "three", "real"].into_iter().filter(|name| *name != target).map(String::from).collect();
    options.drop.extend(["importance", "copies"].into_iter().filter(|name| *name != weight).map(String::from));
    match weight {
        "" => {}
        "copies" => (options.weight, options.weight_kind) = (Some("copies".into()), WeightKind::Frequency),
        name => options.weight = Some(name.into()),
    }
    match covariates {
        true => options.covariates = vec!["age".into(), "site".into()],
        false => options.drop.extend(["age".to_string(), "site".into()]),
    }
    let mut method = Snbl { null_targets: NullTargets::Rows, ..Snbl::default() };
    method.means.permutations = Auto::Set(99);
    Stream { options, method, seed: 3, memory: None }
}

fn in_memory(stream: &Stream, file: &Path) -> Selection {
    let table = table::read(Input::open(file).unwrap(), &stream.options, &mut Context::default()).unwrap();
    stream.method.select(&table.view(), &mut Context::seeded(stream.seed)).unwrap()
}

fn profile(stream: &Stream, files: &[PathBuf]) -> Arc<Profile> {
    let of = |file: &PathBuf| stream.profile(std::slice::from_ref(file), &mut Context::default()).unwrap();
    let forth: Vec<Profile> = files.iter().map(of).collect();
    let back = forth.iter().rev().map(|p| Profile::from_bytes(&p.to_bytes(), "p").unwrap()).collect();
    let (forth, back) = (Profile::merge_all(forth).unwrap(), Profile::merge_all(back).unwrap());
    assert_eq!(forth.to_bytes(), back.to_bytes());
    Arc::new(forth)
}

fn shard(stream: &Stream, file: &PathBuf, profile: &Arc<Profile>) -> RowState {
    let state = stream.read_rows(std::slice::from_ref(file), profile, &mut Context::default()).unwrap();
    let read = RowState::from_bytes(&state.to_bytes(), "state").unwrap();
    assert!(read == state && RowState::is_one(&state.to_bytes()));
    read
}

/// Everything about the features in full digits.
fn told(selection: &Selection) -> String {
    let Selection {
        scores, effects, probabilities, q_values, ranks, selected, summaries, shrunken_differences, ..
    } = selection;
    format!(
        "{selected:?} {ranks:?} {:?} {effects:?} {probabilities:?} {q_values:?} {shrunken_differences:?} {summaries:?} {:?}",
        scores.iter().map(|z| z.to_bits()).collect::<Vec<u64>>(),
        selection.detail.fit.as_ref().map(|fit| format!("{:?}", fit.noise)),
    )
}

const CUTS: [&[usize]; 3] = [&[0], &[0, 60], &[0, 1, 90, 91, 130]];

#[test]
fn memory_pieces_and_shards_give_the_same_bits() {
    let files = Files::new(150, 24);
    let whole = files.cut(&[0])[0].clone();
    let cases = [
        ("two", "", false),
        ("two", "importance", true),
        ("three", "copies", false),
        ("real", "", true),
        ("real", "importance", false),
    ];
    for (target, weight, covariates) in cases {
        let stream = stream(target, weight, covariates);
        let wanted = told(&in_memory(&stream, &whole));
        let pieces = stream.select_summed(&files.cut(CUTS[2]), &[], &mut Context::default()).unwrap();
        assert_eq!(told(&pieces.selection), wanted, "{target} {weight} {covariates}: pieces");
        let cut = files.cut(CUTS[1]);
        let profile = profile(&stream, &cut);
        let states = cut.iter().map(|file| shard(&stream, file, &profile)).collect();
        let answer = RowState::merge_all(states).unwrap().answer(&stream.method, &[], &mut Context::default()).unwrap();
        assert_eq!(told(&answer.selection), wanted, "{target} {weight} {covariates}: shards");
    }
}

#[test]
fn states_merge_to_the_same_bytes_in_any_order_and_cut() {
    let files = Files::new(150, 12);
    for target in ["two", "three", "real"] {
        for weight in ["", "importance", "copies"] {
            for covariates in [false, true] {
                let stream = stream(target, weight, covariates);
                let mut found = vec![];
                for cut in CUTS {
                    let cut = files.cut(cut);
                    let profile = profile(&stream, &cut);
                    let states: Vec<RowState> = cut.iter().map(|file| shard(&stream, file, &profile)).collect();
                    let back = states.iter().rev().cloned().collect();
                    let (forth, back) = (RowState::merge_all(states).unwrap(), RowState::merge_all(back).unwrap());
                    assert_eq!(forth, back, "{target} {weight} {covariates}");
                    found.push(forth);
                }
                assert!(found[0] == found[1] && found[0] == found[2], "{target} {weight} {covariates}");
            }
        }
    }
}

#[test]
fn states_of_something_else_are_refused() {
    let files = Files::new(150, 6);
    let cut = files.cut(&[0, 75]);
    let own = stream("two", "", false);
    let known = profile(&own, &cut);
    let here = shard(&own, &cut[0], &known);
    let refused = |other: RowState| RowState::merge_all(vec![here.clone(), other]).unwrap_err().to_string();

    let mut more = stream("two", "", false);
    more.method.means.permutations = Auto::Set(120);
    assert!(refused(shard(&more, &cut[1], &known)).contains("120 null targets where others have 99"));
    let seeded = Stream { seed: 8, ..stream("two", "", false) };
    assert!(refused(shard(&seeded, &cut[1], &profile(&seeded, &cut))).contains("the seed 8"));
    let half = profile(&own, &cut[..1]);
    assert!(refused(shard(&own, &cut[1], &half)).contains("another profile"));

    let alone = here.answer(&own.method, &[], &mut Context::default()).unwrap_err().to_string();
    assert!(alone.contains("75 rows") && alone.contains("150"), "{alone}");
    let wrong = own.read_rows(&cut, &profile(&stream("three", "", false), &cut), &mut Context::default());
    assert!(wrong.is_err(), "a profile of another target");
    let adjusted = stream("two", "", true);
    let without = adjusted.read_rows(&cut[..1], &known, &mut Context::default());
    assert!(without.unwrap_err().to_string().contains("covariates"));

    // a level of a covariate and a class that the profile lacks
    let mut strange = Files::new(150, 6);
    strange.lines[3] =
        strange.lines[3].replace(",n,", ",elsewhere,").replace(",s,", ",elsewhere,").replace(",t,", ",elsewhere,");
    strange.lines[90] = strange.lines[90].replacen("no,", "perhaps,", 1).replacen("yes,", "perhaps,", 1);
    let odd = strange.cut(&[0, 75]);
    let level = adjusted.read_rows(&odd[1..], &profile(&adjusted, &cut), &mut Context::default());
    assert!(level.unwrap_err().to_string().contains("lacks the level `elsewhere`"));
    let class = own.read_rows(&odd[..1], &known, &mut Context::default());
    assert!(class.unwrap_err().to_string().contains("lacks the class `perhaps`"));
}

#[test]
fn a_shard_may_be_empty_or_have_one_class() {
    let mut files = Files::new(150, 8);
    files.lines.sort_by_key(|line| line.starts_with("yes"));
    let own = stream("two", "", false);
    let one = files.cut(&[0])[0].clone();
    let cut = files.cut(&[0, 40, 40, 150]);
    let known = profile(&own, &cut);
    let states = cut.iter().map(|file| shard(&own, file, &known)).collect();
    let answer = RowState::merge_all(states).unwrap().answer(&own.method, &[], &mut Context::default()).unwrap();
    assert_eq!(told(&answer.selection), told(&in_memory(&own, &one)));
}

#[test]
fn many_rows_draw_their_null_targets_and_a_note_counts_equal_ones() {
    let mut files = Files::new(2200, 6);
    let mut own = stream("two", "", false);
    own.method.null_targets = NullTargets::Auto;
    let auto = in_memory(&own, &files.cut(&[0])[0]);
    own.method.null_targets = NullTargets::Rows;
    assert_eq!(told(&auto), told(&in_memory(&own, &files.cut(&[0])[0])));
    own.method.null_targets = NullTargets::Permuted;
    assert_ne!(told(&auto), told(&in_memory(&own, &files.cut(&[0])[0])));
    own.method.null_targets = NullTargets::Rows;
    let repeated =
        |selection: &Selection| selection.notes.iter().any(|note| note.to_string().contains("repeat another row"));
    assert!(!repeated(&auto));
    (0..200).for_each(|at| files.lines[2 * at] = files.lines[2 * at + 1].clone());
    assert!(repeated(&in_memory(&own, &files.cut(&[0])[0])));
}

#[test]
fn what_rows_cannot_draw_is_refused_with_the_reason() {
    let files = Files::new(60, 4);
    let file = files.cut(&[0])[0].clone();
    let mut own = stream("two", "", false);
    own.method.score = tamis::score::Statistic::MannWhitney;
    let table = table::read(Input::open(&file).unwrap(), &own.options, &mut Context::default()).unwrap();
    let refused = own.method.select(&table.view(), &mut Context::default()).unwrap_err().to_string();
    assert!(refused.contains("null_targets") && refused.contains("ranks"), "{refused}");
    let mut own = stream("two", "", false);
    own.method.null_targets = NullTargets::Permuted;
    let refused = own.select_summed(&[file], &[], &mut Context::default()).unwrap_err().to_string();
    assert!(refused.contains("permuted only where all rows are at hand"), "{refused}");
}
