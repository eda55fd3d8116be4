//! Arrow, batch by batch.

use crate::base::{Progress, Result};
use crate::merge::pass::{Pass, Sink};
use crate::merge::sum_pass::Batch;
use crate::stream::Stream;
use crate::stream::in_order;
use crate::table::Input;
use crate::table::read::columnar::ArrowBatches;
use crate::table::read::pieces::in_wanted_order;

impl Stream {
    pub(crate) fn walk_arrow<S: Sink>(&self, input: Input, sink: &mut S, progress: &mut dyn Progress) -> Result<()> {
        let mut rows = ArrowBatches::open(input, &self.options)?;
        let mut names = rows.features();
        let pass = sink.begin(&names, &rows.place, &rows.notes)?;
        if sink.only_target() {
            names.clear();
        }
        let positions = pass.frame().positions(&names, &rows.place)?;
        let mut before = 0;
        while let Some(read) = rows.next(before, progress)? {
            let columns = if names.is_empty() { vec![] } else { in_order(read.columns, positions.as_deref()) };
            let covariates = in_wanted_order(read.covariates, &self.options.covariates);
            let (labels, weights, place) = (read.labels, read.weights, rows.place.clone());
            let batch = Batch { columns, labels, weights, covariates, place, before };
            before += read.rows;
            sink.take(self.of_batch(&pass, batch, true)?, &rows.place)?;
        }
        Ok(())
    }
}
