//! Output files: never over an input or each other, all or none, and nothing left behind.

use crate::common::{Place, small_table};

/// A folder with a table, a model, a result and splits.
fn prepared() -> Place {
    let place = Place::new();
    place.write("in.csv", small_table(",", "\n"));
    let run = place.run(&["fit", "in.csv", "--target", "label", "--method", "dlda", "--model", "m.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let run = place.run(&["select", "in.csv", "--target", "label", "--json", "r.json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let half: Vec<u32> = (0..12).collect();
    let rest: Vec<u32> = (12..24).collect();
    place.write("s.json", serde_json::json!({"splits": [{"train": half, "test": rest}]}).to_string());
    place.write("names.csv", (1..=24).fold("id,label2\n".to_string(), |text, i| text + &format!("{i},{}\n", i % 2)));
    place
}

#[test]
fn no_output_overwrites_any_input_or_another_by_whatever_path() {
    let place = prepared();
    std::fs::create_dir(place.path("sub")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("m.json", place.path("link")).unwrap();
        std::fs::hard_link(place.path("r.json"), place.path("hard")).unwrap();
    }
    let before: Vec<(String, Vec<u8>)> = place
        .files()
        .into_iter()
        .filter(|name| place.path(name).is_file())
        .map(|name| (name.clone(), std::fs::read(place.path(&name)).unwrap()))
        .collect();
    let mut cases: Vec<(&[&str], &str)> = vec![
        (&["predict", "in.csv", "--model", "m.json", "--out", "in.csv"], "it is the input"),
        (&["evaluate", "in.csv", "--target", "label", "--splits", "s.json", "--json", "s.json"], "`--splits`"),
        (&["evaluate", "in.csv", "--target", "label", "--splits", "s.json", "--json", "sub/../s.json"], "`--splits`"),
        (&["select", "in.csv", "--target", "label", "--json", "o", "--report", "./o"], "another output (`--json`)"),
        (&["select", "in.csv", "--target", "label", "--json", "o", "--csv", "sub/../o"], "another output (`--json`)"),
        (&["select", "in.csv", "--target", "label2", "--samples", "names.csv", "--csv", "names.csv"], "`--samples`"),
        (&["report", "r.json", "--out", "r.json"], "HTML"),
        (&["shrink", "in.csv", "--column", "a", "--csv", "in.csv"], "it is the input"),
        (&["describe", "in.csv", "--json", "./in.csv"], "JSON"),
    ];
    if cfg!(unix) {
        cases.push((&["predict", "in.csv", "--model", "m.json", "--out", "link"], "`--model`"));
        cases.push((&["predict", "in.csv", "--model", "link", "--out", "link"], "`--model`"));
        cases.push((&["select", "in.csv", "--result", "r.json", "--reduced", "hard"], "`--result`"));
        cases.push((&["fit", "in.csv", "--target", "label", "--method", "dlda", "--model", "./in.csv"], "JSON"));
    }
    for (arguments, says) in cases {
        let run = place.run(arguments);
        assert!(run.status == 2 && run.err.contains(says), "{arguments:?}: {run:?}");
    }
    for (name, bytes) in before {
        assert_eq!(std::fs::read(place.path(&name)).unwrap(), bytes, "{name}");
    }
    assert!(place.files().iter().all(|name| !name.contains(".part") && name != "o"), "{:?}", place.files());
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_come_all_or_none() {
    let place = prepared();
    let before = place.files();
    let run = place.run(&["select", "in.csv", "--target", "label", "--reduced", "d.csv", "--json", "/dev/full"]);
    assert!(run.status == 1 && run.err.contains("/dev/full"), "{run:?}");
    assert_eq!(place.files(), before, "no file is left");
    place.write("d.csv", "old");
    let run = place.run(&["select", "in.csv", "--target", "label", "--reduced", "d.csv", "--json", "/dev/full"]);
    assert_eq!((run.status, place.read("d.csv").as_str()), (1, "old"));
    let run = place.run(&[
        "select",
        "in.csv",
        "--target",
        "label",
        "--reduced",
        "d.csv",
        "--json",
        "/dev/null",
        "--report",
        "/dev/null",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_noticed_before_the_work() {
    let place = Place::new();
    // the table does not exist: the output is looked at first
    let run = place.run(&["select", "none.csv", "--target", "y", "--json", "/proc/out.json"]);
    assert!(run.status == 2 && run.err.contains("nothing can be written there"), "{run:?}");
}

#[test]
fn names_that_no_file_can_have_are_noticed_before_the_work() {
    let place = Place::new();
    let long = format!("{}.json", "x".repeat(300));
    // the table does not exist: the output is looked at first
    let select = ["select", "none.csv", "--target", "y"];
    for (output, says) in [
        (["--json", long.as_str()], "nothing can be written there"),
        (["--json", "new/"], "it is a folder"),
        (["--csv", "/"], "`--csv` cannot be /: it is a folder"),
        (["--reduced", "x.mtx"], "cannot be written"),
        (["--json", "x.h5ad"], "JSON"),
        (["--csv", "x.xlsx"], "CSV"),
        (["--report", "x.html.xz"], "HTML"),
    ] {
        let run = place.run(&[&select[..], &output].concat());
        assert!(run.status == 2 && run.err.contains(says), "{output:?}: {run:?}");
    }
    #[cfg(unix)]
    {
        let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
        std::os::unix::fs::symlink("circle", place.path("circle")).unwrap();
        for name in ["socket", "circle"] {
            let run = place.run(&[&select[..], &["--json", name]].concat());
            assert!(run.status == 2 && run.err.contains("nothing can be written there"), "{name}: {run:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn no_output_overwrites_a_file_of_an_input_folder() {
    let place = Place::new();
    std::fs::create_dir(place.path("tables")).unwrap();
    place.write("tables/part.csv", small_table(",", "\n"));
    std::os::unix::fs::symlink("part.csv", place.path("tables/model")).unwrap();
    let before = place.read("tables/part.csv");
    let model = "tables/model";
    for arguments in [
        vec!["describe", "tables", "--json", model],
        vec!["select", "tables", "--target", "label", "--json", model],
        vec!["fit", "tables", "--target", "label", "--method", "dlda", "--model", model],
    ] {
        let run = place.run(&arguments);
        assert!(run.status == 2 && run.err.contains("it is the input"), "{arguments:?}: {run:?}");
        assert_eq!(place.read("tables/part.csv"), before);
    }
}

/// Without `trap '' XFSZ`, a file beyond the limit used to end the program by a signal.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_leaves_nothing() {
    let place = prepared();
    let before = place.files();
    for (options, says) in [("--json o.json --report o.html", "cannot write `o"), ("--json -", "File too large")] {
        let program = env!("CARGO_BIN_EXE_tamis");
        let script = format!("ulimit -f 1; '{program}' select in.csv --target label {options} > printed");
        let mut shell = std::process::Command::new("sh");
        let done = shell.args(["-c", &script]).current_dir(place.path(".")).output().unwrap();
        let err = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.code() == Some(1) && err.contains(says), "{options}: {:?} {err}", done.status);
        std::fs::remove_file(place.path("printed")).unwrap();
        assert_eq!(place.files(), before, "{options}");
    }
}

#[test]
fn a_reader_that_stops_reading_does_not_cost_the_files() {
    let place = prepared();
    let mut child = place
        .command(&["select", "in.csv", "--target", "label", "--json", "-", "--reduced", "d.csv"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(place.path("d.csv").exists());
}

#[cfg(unix)]
#[test]
fn the_first_signal_ends_a_write_that_nobody_reads_and_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let place = prepared();
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let before = place.files();
    for signal in ["-TERM", "-INT", "-HUP"] {
        let mut child = place
            .command(&["select", "in.csv", "--target", "label", "--json", "pipe", "--reduced", "d.csv"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // the reduced table is ready under its temporary name once the pipe is waited for
        let started = Instant::now();
        while place.files().len() == before.len() && started.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(200));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let ended = (0..500).find_map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            child.try_wait().unwrap()
        });
        if ended.is_none() {
            child.kill().unwrap();
        }
        assert_eq!(ended.and_then(|status| status.code()), Some(130), "{signal}");
        assert_eq!(place.files(), before, "{signal} leaves nothing");
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    use std::process::{Command, Stdio};
    let place = prepared();
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let before = place.files();
    let mut child = place
        .command(&["select", "in.csv", "--target", "label", "--json", "pipe", "--reduced", "d.csv"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..2000 {
        if place.files().len() > before.len() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // a run beside it leaves its file alone
    assert_eq!(place.run(&["select", "in.csv", "--target", "label", "--csv", "beside.csv"]).status, 0);
    assert!(place.files().iter().any(|name| name.starts_with(".tamis-")), "{:?}", place.files());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.files().iter().any(|name| name.starts_with(".tamis-")), "SIGKILL leaves it");
    assert_eq!(place.run(&["select", "in.csv", "--target", "label", "--csv", "beside.csv"]).status, 0);
    assert!(!place.files().iter().any(|name| name.starts_with(".tamis-")), "{:?}", place.files());
}
