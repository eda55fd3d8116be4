//! Inputs that change while they are read: an answer or a refusal, never a panic.

use super::round::{Round, check, check_leftovers, table};
use crate::common::Place;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

pub fn attack(round: &mut Round, times: usize) {
    let place = Place::new();
    let text = table(3000, 120);
    for at in 0..times {
        place.write("in.csv", &text);
        let mut command = match at % 2 {
            0 => place.command(&["select", "in.csv", "--target", "label", "--json", "r.json"]),
            _ => place.command(&["select", "in.csv", "--target", "label", "--json", "r.json", "--memory", "1M"]),
        };
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(500 + round.below(60_000)));
        change(round, &place, &text);
        let done = child.wait_with_output().unwrap();
        round.case("changing inputs");
        check("changing inputs", &command, &done);
        check_leftovers("changing inputs", &place);
    }
}

fn change(round: &mut Round, place: &Place, text: &str) {
    let path = place.path("in.csv");
    match round.below(6) {
        0 => drop(std::fs::remove_file(path)),
        1 => std::fs::File::options().write(true).open(path).unwrap().set_len(text.len() as u64 / 3).unwrap(),
        2 => std::fs::File::options().append(true).open(path).unwrap().write_all(b"1,\"2\n\0\xff").unwrap(),
        3 => std::fs::write(path, "a,b\n1,2\n").unwrap(),
        4 => std::fs::write(path, text.replace("yes", "0.5")).unwrap(),
        _ => {
            std::fs::write(place.path("other"), [0xff_u8; 1000]).unwrap();
            std::fs::rename(place.path("other"), path).unwrap();
        }
    }
}
