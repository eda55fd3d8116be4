//! What the average over the states of the noise takes.

use super::{Effort, verdict};
use crate::noise_states::measured;

/// Prints CPU seconds by stage for tables of several sizes.
pub fn print(_: Effort) {
    println!("\n### CPU seconds of the average over states, the least of three\n");
    println!(
        "| features | null rows | states | learning states, fits, averages | bar | ranking null scores | counting effects | all |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (rows, bar) in [(199, 0.35), (999, 0.8)] {
        for features in [2000, 20_000] {
            let took = measured(features, rows);
            let states = took.seconds_of("states");
            println!(
                "| {features} | {rows} | {} | {states:.2} | {bar}: {} | {:.2} | {:.2} | {:.2} |",
                took.states,
                verdict(states <= bar),
                took.seconds_of("ranking"),
                took.seconds_of("counting"),
                took.seconds()
            );
        }
    }
}
