//! What the average over the states of the noise takes.

use super::{Effort, real_tables, verdict};
use crate::noise_states::measured;
use cpu_time::ProcessTime;
use tamis::{Context, Selector, Snbl, Table};

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
    print_second_look();
}

/// Prints CPU seconds of the answer about real tables, and of the second look.
fn print_second_look() {
    println!(
        "\n### CPU seconds of the answer and of the second look, the least of three\n\n\
         | table | rows × features | answer | second look | bar: no more than the answer |\n| --- | --- | --- | --- | --- |"
    );
    for real in real_tables::all() {
        let [answer, look] = answer_and_look(&real.table);
        let size = format!("{} × {}", real.table.n_rows(), real.table.names().len());
        println!("| {} | {size} | {answer:.2} | {look:.2} | {} |", real.name, verdict(look <= answer));
    }
}

fn answer_and_look(table: &Table) -> [f64; 2] {
    let view = table.view();
    let one = |_| {
        let start = ProcessTime::now();
        let mut selection = Snbl::default().select(&view, &mut Context::default()).unwrap();
        let answer = start.elapsed().as_secs_f64();
        let start = ProcessTime::now();
        selection.look_again(&view, &mut Context::default()).unwrap();
        [answer, start.elapsed().as_secs_f64()]
    };
    (0..3).map(one).reduce(|least, some| [0, 1].map(|at| least[at].min(some[at]))).unwrap()
}
