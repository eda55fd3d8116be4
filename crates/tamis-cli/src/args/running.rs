//! Options of the run itself: threads, progress, seed.

use crate::screen;
use crate::version::version;
use clap::Args;
use std::io::Write;
use tamis::front::counted;

/// Threads that may be asked for where there are fewer cores.
const MOST_THREADS: usize = 64;

/// A run with random numbers.
#[derive(Debug, Args)]
pub struct SeededRunOptions {
    #[command(flatten)]
    random: Random,
    #[command(flatten)]
    pub running: RunOptions,
}

#[derive(Debug, Args)]
pub struct RunOptions {
    /// Number of threads [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print neither progress nor notes
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the version, the number of threads, and the seconds that each stage takes, on standard error
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
}

#[derive(Debug, Args)]
pub struct Random {
    /// The seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl SeededRunOptions {
    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.random.seed
    }
}

/// More threads than are used. The most are one per core, or 64 where there are fewer cores.
fn too_many_words(most: usize, given: usize) -> String {
    let each = if most > MOST_THREADS { ", one per core," } else { "" };
    format!("using {}{each} instead of {given}", counted(most, "thread"))
}

impl RunOptions {
    /// Sets the number of threads, before any work.
    pub fn apply(&self) -> anyhow::Result<()> {
        if let Some(n) = self.threads {
            let most = std::thread::available_parallelism().map_or(MOST_THREADS, |cores| MOST_THREADS.max(cores.get()));
            let n = usize::from(n);
            if n > most && !self.quiet {
                writeln!(screen::stderr(), "note: {}", too_many_words(most, n))?;
            }
            rayon::ThreadPoolBuilder::new().num_threads(n.min(most)).build_global()?;
        }
        if self.verbose {
            let threads = rayon::current_num_threads();
            writeln!(screen::stderr(), "tamis {}, {}", version(), counted(threads, "thread"))?;
        }
        Ok(())
    }
}
