//! Files with odd names, as inputs and as outputs.

use super::round::{Round, table};
use crate::common::Place;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

pub fn attack(round: &mut Round) {
    let long = "n".repeat(240);
    let names: [&[u8]; 16] = [
        b"two words",
        b"./-dash",
        b"./--json",
        b"a\nline",
        b"quote'\"`$HOME`",
        b"star*",
        b"what?",
        b"[set]",
        b"back\\slash",
        b"\x1b[31mred",
        "rtl\u{202e}".as_bytes(),
        "日本語".as_bytes(),
        b"not \xff utf8",
        b"%s%n%x",
        b"trailing ",
        long.as_bytes(),
    ];
    let place = Place::new();
    for bytes in names {
        let name = |ending: &str| -> OsString {
            let mut all = OsStr::from_bytes(bytes).to_owned();
            all.push(ending);
            all
        };
        std::fs::write(place.path("").join(name(".csv")), table(30, 20)).unwrap();
        let mut command = place.command(&["select", "--target", "label"]);
        command.arg(name(".csv")).arg("--json").arg(name(".json")).arg("--reduced").arg(name(".small.csv"));
        let (status, err) = round.run("odd names", &place, command);
        assert_eq!(status, 0, "{:?}: {err}", name(".csv"));
        for ending in [".json", ".small.csv"] {
            assert!(place.path("").join(name(ending)).exists(), "{:?}", name(ending));
        }
        let mut command = place.command(&["report"]);
        command.arg(name(".json")).arg("--out").arg(name(".html"));
        assert_eq!(round.run("odd names", &place, command).0, 0);
    }
    // a name that is too long for the system is refused before the work
    place.write("in.csv", table(30, 20));
    let command = place.command(&["select", "in.csv", "--target", "label", "--json", &"x".repeat(300)]);
    assert_ne!(round.run("odd names", &place, command).0, 0);
}
