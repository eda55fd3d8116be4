//! Options of the run itself: threads, progress, seed.

use crate::version::version;
use clap::Args;
use std::io::{self, Write};

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

impl RunOptions {
    /// Sets the number of threads, before any work.
    pub fn apply(&self) -> anyhow::Result<()> {
        if let Some(n) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global()?;
        }
        if self.verbose {
            let threads = rayon::current_num_threads();
            writeln!(io::stderr(), "tamis {}, {threads} threads", version())?;
        }
        Ok(())
    }
}
