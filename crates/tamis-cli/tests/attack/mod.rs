//! The program under attack: killed at random moments, without room on its disk, with pipes that nobody reads, on inputs
//! that change under it, under odd names and at its limits. Nothing may be torn, left behind or called a bug of ours.
//!
//! A short round runs with the other tests. A long one, of so many minutes, by hand:
//!
//! ```sh
//! TAMIS_ATTACK_MINUTES=30 cargo test --release --workspace --all-features --test program -- --ignored a_long_round --nocapture
//! TAMIS_SOAK_MINUTES=60 cargo test --release --workspace --all-features --test program -- --ignored a_soak --nocapture
//! ```
//!
//! `TAMIS_ATTACK_SEED` repeats a round.
#![cfg(target_os = "linux")]

mod changing_inputs;
mod full_disks;
mod kills;
mod limits;
mod links;
mod odd_names;
mod pipes;
mod round;
mod soak;

use round::Round;
use std::time::{Duration, Instant};

#[test]
fn a_short_round() {
    let mut round = Round::new(seed(), 1);
    kills::attack(&mut round, 40);
    full_disks::attack(&mut round);
    pipes::attack(&mut round);
    links::attack(&mut round);
    changing_inputs::attack(&mut round, 6);
    odd_names::attack(&mut round);
    limits::attack(&mut round);
    round.tell();
}

#[test]
#[ignore = "takes as many minutes as TAMIS_ATTACK_MINUTES says"]
fn a_long_round_takes_minutes() {
    let started = Instant::now();
    let mut round = Round::new(seed(), 10);
    while started.elapsed() < minutes("TAMIS_ATTACK_MINUTES", 10) {
        kills::attack(&mut round, 200);
        full_disks::attack(&mut round);
        pipes::attack(&mut round);
        links::attack(&mut round);
        changing_inputs::attack(&mut round, 20);
        odd_names::attack(&mut round);
        round.tell();
    }
    limits::attack(&mut round); // takes minutes of its own
    round.tell();
}

#[test]
#[ignore = "takes as many minutes as TAMIS_SOAK_MINUTES says"]
fn a_soak_takes_minutes() {
    soak::run(minutes("TAMIS_SOAK_MINUTES", 60), seed());
}

fn minutes(variable: &str, default: u64) -> Duration {
    let given = std::env::var(variable).ok().and_then(|text| text.parse::<f64>().ok());
    Duration::from_secs_f64(60.0 * given.unwrap_or(default as f64))
}

fn seed() -> u64 {
    std::env::var("TAMIS_ATTACK_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}
