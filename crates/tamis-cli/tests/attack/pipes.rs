//! Pipes: closed, named, without a reader or a writer.

use super::round::{Round, names, shell, table};
use crate::common::Place;

pub fn attack(round: &mut Round) {
    let place = Place::new();
    place.write("in.csv", table(40, 60));
    closed(round, &place);
    named(round, &place);
}

/// Standard streams that are closed, or whose reader goes.
fn closed(round: &mut Round, place: &Place) {
    let commands = [
        "select in.csv --target label",
        "select in.csv --target label --json -",
        "select in.csv --target label --csv - --reduced d.csv",
        "describe in.csv --target label",
        "evaluate in.csv --target label --method t --folds 3 --json -",
        "fit in.csv --target label --method dlda --model m.json",
        "methods",
        "--help",
    ];
    for command in commands {
        for end in [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "| true", "2>&1 | head -c 1"] {
            let (status, err) = round.run("closed pipes", place, shell(place, &format!("$TAMIS {command} {end}")));
            assert!(status <= 1, "{command} {end}: {status} {err}");
        }
    }
    assert!(names(place).contains(&"d.csv".into()), "files are written whoever reads");
    for command in ["methods --json", "schema", "man select", "completions bash"] {
        let script = format!("{{ $TAMIS {command}; echo $? >&2; }} | head -c 1 > first");
        let (_, err) = round.run("closed pipes", place, shell(place, &script));
        assert_eq!(err.trim(), "0", "{command}: a reader that goes is no failure");
    }
}

/// Named pipes as inputs and as outputs.
fn named(round: &mut Round, place: &Place) {
    let scripts = [
        // an input that comes through a pipe
        ("mkfifo i; cat in.csv > i & $TAMIS select i --target label --json a.json", 0),
        // a writer that goes before it has written anything
        ("mkfifo j; : > j & $TAMIS select j --target label", 2),
        // a writer that stops in the middle of a row
        ("mkfifo k; head -c 300 in.csv > k & $TAMIS select k --target label", 2),
        // an output that is read
        ("mkfifo o; cat o > got & $TAMIS select in.csv --target label --json o; wait; grep -q format_version got", 0),
        // readers that go early
        (
            "mkfifo p; head -c 1 p > /dev/null & $TAMIS select in.csv --target label --json p --csv x.csv; s=$?; wait; exit $s",
            1,
        ),
        // both at once
        (
            "mkfifo q r; cat in.csv > q & cat r > got2 & $TAMIS select q --target label --csv r; wait; grep -q rank got2",
            0,
        ),
        // the same pipe in and out
        ("mkfifo s; timeout 5 $TAMIS select s --target label --json s", 2),
    ];
    for (script, wanted) in scripts {
        let (status, err) = round.run("named pipes", place, shell(place, script));
        assert!(status == wanted || (wanted == 1 && status == 0), "{script}: {status} {err}");
    }
}
