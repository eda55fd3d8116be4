//! Lanes that need the same tables, grouped and counted together.

use crate::codes::CodedTable;
use crate::codes::counts::{CellIndex, CountScratch, EntropySums, RowCounts, XLnX, sums, x_ln_x};
use crate::information::Criterion;
use crate::information::criteria::{CandidateScores, Sample};
use crate::npfs::lane_tables::{LaneScratch, LaneTables, add_lanes, lane_sums, sparse_lanes};

/// Lanes counted together at most.
const WIDEST: usize = 32;

/// One greedy selection under way.
pub(super) struct Lane {
    /// Position in the result.
    pub(super) at: usize,
    pub(super) bootstrap: usize,
    pub(super) target: usize,
    pub(super) state: CandidateScores,
    pub(super) chosen: Vec<u32>,
}

/// Lanes that are counted together.
pub(super) struct LaneGroup {
    newest: Option<usize>,
    pub(super) lanes: Vec<Lane>,
}

/// Terms shared by all lanes of a sample.
pub(super) fn sample<W: Copy + Into<u32>>(weights: &[W], target: &[u8], classes: usize) -> Sample {
    let mut counts = vec![0.0; classes];
    weights.iter().zip(target).for_each(|(w, y)| counts[usize::from(*y)] += f64::from((*w).into()));
    let total: f64 = counts.iter().sum();
    Sample { total, whole: x_ln_x(total), classes: counts.iter().map(|c| x_ln_x(*c)).sum() }
}

/// Everything the lanes share.
pub(super) struct LaneJob<'a> {
    pub(super) codes: &'a CodedTable,
    pub(super) criterion: Criterion,
    pub(super) weights: &'a [Vec<u16>],
    pub(super) targets: &'a [Vec<u8>],
    pub(super) ln: &'a XLnX,
    /// Whether lanes of different targets are counted together.
    pub(super) mixed: bool,
}

impl LaneJob<'_> {
    pub(super) fn sample(&self, bootstrap: usize, target: usize) -> Sample {
        sample(&self.weights[bootstrap], &self.targets[target], self.codes.classes)
    }

    /// Whether the target enters the table.
    fn with_target(&self, newest: Option<usize>) -> bool {
        newest.is_none() || self.criterion.pairs_with_target()
    }

    /// Lanes that need the same tables, in groups of at most [`WIDEST`].
    pub(super) fn group(&self, mut lanes: Vec<Lane>) -> Vec<LaneGroup> {
        let key = |lane: &Lane| {
            let newest = lane.chosen.last().map(|n| *n as usize);
            let apart = !self.mixed && self.with_target(newest);
            (newest, if apart { lane.target } else { 0 })
        };
        lanes.sort_by_key(|lane| (key(lane), lane.at));
        let mut groups: Vec<LaneGroup> = Vec::new();
        for lane in lanes {
            match groups.last_mut() {
                Some(group) if key(&group.lanes[0]) == key(&lane) && group.lanes.len() < WIDEST => {
                    group.lanes.push(lane)
                }
                _ => groups.push(LaneGroup { newest: key(&lane).0, lanes: vec![lane] }),
            }
        }
        groups
    }

    /// Counts the newest pair of every candidate in every lane, and adds its term.
    pub(super) fn count(&self, group: &mut LaneGroup, scratch: &mut LaneScratch) {
        let mixed = self.mixed && self.with_target(group.newest);
        match (group.lanes.len(), mixed) {
            (1, _) => self.count_one(group, scratch.scalar()),
            (0..=8, false) => self.count_lanes::<8, false>(group, scratch.empty_eight()),
            (0..=16, false) => self.count_lanes::<16, false>(group, scratch.empty_sixteen()),
            (_, false) => self.count_lanes::<32, false>(group, scratch.empty_thirty_two()),
            (0..=8, true) => self.count_lanes::<16, true>(group, scratch.empty_sixteen()),
            (0..=16, true) => self.count_lanes::<32, true>(group, scratch.empty_thirty_two()),
            (_, true) => self.count_lanes::<64, true>(group, scratch.empty_sixty_four()),
        }
        for lane in &mut group.lanes {
            if group.newest.is_some() {
                lane.state.end_step();
            }
        }
    }

    fn context(&self, newest: Option<usize>, target: Option<usize>) -> CellIndex {
        let codes = self.codes;
        let chosen = newest.map(|at| (codes.column(at), codes.levels));
        let target = target.map(|t| (self.targets[t].as_slice(), codes.classes));
        CellIndex::new(codes.n_rows(), chosen, target, codes.levels)
    }

    pub(super) fn add(lane: &mut Lane, newest: Option<usize>, candidate: usize, sums: EntropySums) {
        match newest {
            None => lane.state.set_single(candidate, sums),
            Some(chosen) => lane.state.add(candidate, chosen, sums),
        }
    }

    /// A lane that nobody shares a table with.
    fn count_one(&self, group: &mut LaneGroup, scratch: &mut CountScratch) {
        let newest = group.newest;
        let lane = &mut group.lanes[0];
        let context = self.context(newest, self.with_target(newest).then_some(lane.target));
        let weights: Vec<u32> = self.weights[lane.bootstrap].iter().map(|w| u32::from(*w)).collect();
        let left: Vec<usize> = (0..self.codes.len()).filter(|at| !lane.state.taken(*at)).collect();
        for some in left.chunks(64) {
            let columns: Vec<&[u8]> = some.iter().map(|&at| self.codes.column(at)).collect();
            let found = sums(&context, &columns, RowCounts::Whole(&weights), self.ln, scratch);
            some.iter().zip(found).for_each(|(&at, sums)| Self::add(lane, newest, at, sums));
        }
    }

    /// Lanes together: `L` counts per cell, one per lane, or two where the targets differ.
    fn count_lanes<const L: usize, const MIXED: bool>(&self, group: &mut LaneGroup, tables: &mut LaneTables<L>) {
        let newest = group.newest;
        let target = (!MIXED && self.with_target(newest)).then(|| group.lanes[0].target);
        let context = self.context(newest, target);
        let Some(cells) = context.narrow() else { return }; // `run` sends wide tables elsewhere
        let mut weights = vec![[0_u16; L]; self.codes.n_rows()];
        for (l, lane) in group.lanes.iter().enumerate() {
            let own = &self.weights[lane.bootstrap];
            weights.iter_mut().zip(own).for_each(|(row, w)| row[l] = *w);
            if MIXED {
                let ones = own.iter().zip(&self.targets[lane.target]);
                weights.iter_mut().zip(ones).for_each(|(row, (w, y))| row[L / 2 + l] = w * u16::from(*y));
            }
        }
        let shape = context.shape();
        let left: Vec<usize> =
            (0..self.codes.len()).filter(|at| group.lanes.iter().any(|lane| !lane.state.taken(*at))).collect();
        if !MIXED && shape.0 * shape.1 * shape.2 > 2 * cells.len() {
            let groups = self.context(newest, None);
            let Some(groups) = groups.narrow() else { return };
            for candidate in left {
                let column = self.codes.column(candidate);
                let (joint, margin) = sparse_lanes(cells, groups, column, &weights, tables, self.ln.narrow());
                for (l, lane) in group.lanes.iter_mut().enumerate() {
                    Self::add(lane, newest, candidate, EntropySums { joint: joint[l], margin: margin[l] });
                }
            }
            return;
        }
        // two candidates at once: the weights are read once, and one table need not wait for the other
        for pair in left.chunks(2) {
            match *pair {
                [a, b] => {
                    let columns = self.codes.column(a).iter().zip(self.codes.column(b));
                    let [first, second] = tables;
                    for ((cell, (x, z)), w) in cells.iter().zip(columns).zip(&weights) {
                        add_lanes(&mut first[usize::from(cell.wrapping_add(u16::from(*x)))], w);
                        add_lanes(&mut second[usize::from(cell.wrapping_add(u16::from(*z)))], w);
                    }
                }
                _ => {
                    for ((cell, x), w) in cells.iter().zip(self.codes.column(pair[0])).zip(&weights) {
                        add_lanes(&mut tables[0][usize::from(cell.wrapping_add(u16::from(*x)))], w);
                    }
                }
            }
            for (&candidate, table) in pair.iter().zip(tables.iter_mut()) {
                let (joint, margin) = lane_sums::<L, MIXED>(table, shape, self.ln.narrow());
                for (l, lane) in group.lanes.iter_mut().enumerate() {
                    Self::add(lane, newest, candidate, EntropySums { joint: joint[l], margin: margin[l] });
                }
            }
        }
    }
}
