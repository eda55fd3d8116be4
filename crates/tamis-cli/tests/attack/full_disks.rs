//! Disks that are full (status 1) or read-only (2): the file named, nothing left.

use super::round::{Round, names, shell, table};
use crate::common::Place;

const SELECT: &str = "select in.csv --target label";

pub fn attack(round: &mut Round) {
    file_size_limits(round);
    devices(round);
    small_file_systems(round);
}

/// A bound on the size of files, at which a write fails as on a full disk.
fn file_size_limits(round: &mut Round) {
    let place = Place::new();
    place.write("in.csv", table(40, 60));
    let before = names(&place).len();
    let commands = [
        format!("{SELECT} --json r.json"),
        format!("{SELECT} --report r.html"),
        format!("{SELECT} --reduced d.csv --json r.json --report r.html"),
        "fit in.csv --target label --method dlda --set prior=none --model m.json".to_string(),
        "evaluate in.csv --target label --method t --folds 3 --json e.json --csv e.csv".to_string(),
        "partial in.csv --target label --out p.part".to_string(),
        "simulate two-groups --out s.csv".to_string(),
    ];
    for command in commands {
        for blocks in [0, 1, 2] {
            let script = format!("ulimit -f {blocks}; exec $TAMIS {command}");
            let (status, err) = round.run("full disks", &place, shell(&place, &script));
            assert!(status == 1 && err.contains("cannot write"), "{script}: {status} {err}");
            assert_eq!(names(&place).len(), before, "{script} leaves {:?}", names(&place));
        }
    }
}

fn devices(round: &mut Round) {
    let place = Place::new();
    place.write("in.csv", table(40, 60));
    for option in ["--json /dev/full", "--report /dev/full", "--csv /dev/full", "--reduced /dev/full"] {
        let script = format!("exec $TAMIS {SELECT} {option} --json x.json").replacen(
            " --json x.json",
            "",
            usize::from(option.starts_with("--json")),
        );
        let (status, err) = round.run("full disks", &place, shell(&place, &script));
        assert!(status == 1 && err.contains("/dev/full"), "{script}: {status} {err}");
        assert_eq!(names(&place).len(), 1, "{script}");
    }
    for redirected in [">/dev/full", "2>/dev/full"] {
        let (status, _) = round.run("full disks", &place, shell(&place, &format!("exec $TAMIS {SELECT} {redirected}")));
        assert!(status <= 1, "{redirected}: {status}");
    }
}

/// File systems of a few kilobytes, and read-only ones, in a name space of their own where the system allows it.
fn small_file_systems(round: &mut Round) {
    let place = Place::new();
    place.write("in.csv", table(40, 60));
    std::fs::create_dir(place.path("disk")).unwrap();
    let mounted = |options: &str, command: &str| {
        format!("exec unshare -m sh -c 'mount -t tmpfs -o {options} tmpfs disk && exec \"$TAMIS\" {command}; exit 77'")
    };
    let able = shell(&place, "unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs disk'").output();
    if !able.is_ok_and(|done| done.status.success()) {
        round.leave_out("small file systems", "mounting is not allowed here");
        return;
    }
    for size in ["4k", "8k", "32k"] {
        let script = mounted(&format!("size={size}"), &format!("{SELECT} --report disk/r.html --json disk/r.json"));
        let (status, err) = round.run("full disks", &place, shell(&place, &script));
        assert!(status == 1 && err.contains("cannot write"), "{script}: {status} {err}");
    }
    let script = mounted("ro", &format!("{SELECT} --json disk/r.json"));
    let (status, err) = round.run("read-only", &place, shell(&place, &script));
    assert!(status == 2 && err.contains("nothing can be written"), "{script}: {status} {err}");
}
