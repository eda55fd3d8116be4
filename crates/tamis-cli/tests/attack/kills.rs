//! Runs that are killed at random moments: every output is the one from before or a whole new one.

use super::round::{Round, check_leftovers, names, table};
use crate::common::Place;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OUTPUTS: [&str; 4] = ["r.json", "r.csv", "r.html", "d.csv"];
const ARGUMENTS: [&str; 12] = [
    "select",
    "in.csv",
    "--target",
    "label",
    "--json",
    "r.json",
    "--csv",
    "r.csv",
    "--report",
    "r.html",
    "--reduced",
    "d.csv",
];

pub fn attack(round: &mut Round, kills: usize) {
    let place = Place::new();
    place.write("in.csv", table(60, 150));
    let started = Instant::now();
    round.run("kills", &place, place.command(&ARGUMENTS));
    let whole = started.elapsed();
    let new: BTreeMap<&str, Vec<u8>> = OUTPUTS.iter().map(|name| (*name, timeless(&place, name))).collect();
    for _ in 0..kills {
        let signal = ["-KILL", "-TERM", "-INT"][round.below(3) as usize];
        let with_old = round.below(2) == 0;
        for name in OUTPUTS {
            let _ = std::fs::remove_file(place.path(name));
            if with_old {
                place.write(name, "old");
            }
        }
        let before = leftovers(&place); // of runs that could not clean up
        let mut child = place.command(&ARGUMENTS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // most of the moments where files are written, which is late
        let share = if round.below(2) == 0 { round.below(1000) } else { 700 + round.below(500) };
        std::thread::sleep(whole.mul_f64(share as f64 / 1000.0).max(Duration::from_micros(100)));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        let ended = child.wait().unwrap();
        round.case("kills");
        let mut fresh = 0;
        for name in OUTPUTS {
            let is_new = match place.path(name).exists() {
                false => false,
                true if std::fs::read(place.path(name)).unwrap() == b"old" => false,
                true => {
                    assert_eq!(timeless(&place, name), new[name], "{name} is torn by {signal}");
                    true
                }
            };
            fresh += usize::from(is_new);
        }
        if signal != "-KILL" {
            assert!(fresh == 0 || fresh == OUTPUTS.len(), "{signal}: {fresh} of {} outputs are new", OUTPUTS.len());
            assert!(matches!(ended.code(), Some(0 | 130)) || !sent.success() || ended.code().is_none(), "{ended:?}");
            let new: Vec<String> = leftovers(&place).into_iter().filter(|name| !before.contains(name)).collect();
            // a signal that comes before the program listens ends it, and nothing was written then
            assert!(new.is_empty(), "{signal} leaves {new:?}");
        }
    }
    round.run("kills", &place, place.command(&ARGUMENTS));
    check_leftovers("kills", &place);
}

fn leftovers(place: &Place) -> Vec<String> {
    names(place).into_iter().filter(|name| name.starts_with(".tamis-")).collect()
}

/// An output without what differs between two runs: times and memory.
fn timeless(place: &Place, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(place.path(name)).unwrap();
    if name.ends_with(".json") {
        let mut value: serde_json::Value = serde_json::from_slice(&bytes).expect("whole JSON");
        for key in ["seconds", "peak_bytes"] {
            value[key] = serde_json::Value::Null;
        }
        return value.to_string().into_bytes();
    }
    if name.ends_with(".html") {
        let text = String::from_utf8(bytes).expect("text");
        assert!(text.trim_end().ends_with("</html>"), "a whole page");
        return b"a page".to_vec();
    }
    bytes
}
