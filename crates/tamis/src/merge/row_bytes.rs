//! States with null targets as bytes: whole numbers, each as short as its array allows.

use super::envelope::{MAKE_AGAIN, ROW_STATE, envelope, not_a_state, opened};
use super::profile::Profile;
use super::row_state::RowState;
use crate::base::note::Note;
use crate::base::{Command, Result, text};
use crate::merge::{Frame, check_method};
use crate::score::null::by_row::{
    ContextSums, Exact, FeatureSums, GroupSums, KEPT, NullProducts, NumberSums, Plan, RepeatedRows, RowSums, SomeRows,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct RowHeader {
    tamis: String,
    frame: Frame,
    plan: Plan,
    rows: u64,
    notes: Vec<Note>,
}

impl RowState {
    /// The state as bytes; [`RowState::from_bytes`] gives the same state back, bit by bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope(&ROW_STATE, &encode(self))
    }

    /// Whether bytes begin as those of such a state.
    pub fn is_one(bytes: &[u8]) -> bool {
        ROW_STATE.begins(bytes)
    }

    /// Reads a state back; `name` is the file's, for messages.
    ///
    /// # Errors
    ///
    /// Bytes that are cut short, damaged, of another format or of something else.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<RowState> {
        let body = opened(&ROW_STATE, bytes, name)?;
        let state = decode(body).ok_or_else(|| not_a_state(name, text![MAKE_AGAIN, " with ", Command::Partial]))?;
        check_method(&state.frame.method)?;
        Ok(state)
    }
}

/// The body of a state.
fn encode(state: &RowState) -> Vec<u8> {
    let head = RowHeader {
        tamis: env!("CARGO_PKG_VERSION").into(),
        frame: Frame::clone(&state.frame),
        plan: Plan::clone(&state.sums.plan),
        rows: state.rows,
        notes: state.notes.clone(),
    };
    let mut out = Writer(vec![]);
    out.block(&serde_json::to_vec(&head).unwrap_or_default());
    out.block(&state.profile.to_bytes());
    let sums = &state.sums;
    sums.groups.iter().for_each(|group| out.context(group));
    sums.nulls.iter().for_each(|nulls| out.wholes(nulls));
    out.wholes(&sums.squares);
    sums.context.iter().for_each(|products| out.products(products));
    out.count(sums.repeated.0.len() as u64);
    sums.repeated.0.iter().for_each(|(key, rows)| {
        out.count(*key);
        out.count(*rows);
    });
    for feature in &sums.features {
        match feature {
            FeatureSums::Nothing => out.0.push(0),
            FeatureSums::Numbers(sums) => {
                out.0.push(1);
                out.count(sums.known);
                for group in &sums.groups {
                    out.exact(&group.sum);
                    out.exact(&group.squares);
                    group.cross.iter().for_each(|cross| out.exact(cross));
                }
                out.products(&sums.products);
                out.0.push(u8::from(sums.lost.is_some()));
                sums.lost.iter().for_each(|lost| out.some(lost));
            }
            FeatureSums::Categories(levels) => {
                out.0.push(2);
                out.count(levels.len() as u64);
                for (label, level) in levels {
                    out.block(label.as_bytes());
                    out.some(level);
                }
            }
        }
    }
    out.0
}

struct Writer(Vec<u8>);

impl Writer {
    fn count(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    fn block(&mut self, bytes: &[u8]) {
        self.count(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Numbers, each in as many bytes as the largest needs.
    fn wholes(&mut self, numbers: &[i64]) {
        let bits = numbers.iter().map(|x| 65 - (x ^ (x >> 63)).leading_zeros()).max().unwrap_or(0);
        let width = bits.div_ceil(8).clamp(1, 8) as usize;
        self.0.push(width as u8);
        self.0.reserve(width * numbers.len());
        numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_le_bytes()[..width]));
    }

    fn exact(&mut self, sum: &Exact) {
        let (top, levels) = sum.parts();
        let Some(top) = top else { return self.0.push(u8::MAX) };
        let bits = levels.iter().map(|x| 129 - (x ^ (x >> 127)).leading_zeros()).max().unwrap_or(0);
        let width = bits.div_ceil(8).clamp(1, 16) as usize;
        self.0.push(width as u8);
        self.0.extend_from_slice(&(top as i16).to_le_bytes());
        levels.iter().for_each(|level| self.0.extend_from_slice(&level.to_le_bytes()[..width]));
    }

    fn context(&mut self, sums: &ContextSums) {
        self.count(sums.rows);
        [&sums.weight].into_iter().chain(&sums.sums).chain(&sums.products).for_each(|sum| self.exact(sum));
    }

    fn products(&mut self, products: &NullProducts) {
        self.0.extend_from_slice(&products.top.map_or(i16::MIN, |top| top as i16).to_le_bytes());
        self.wholes(&products.high);
        self.wholes(&products.low);
    }

    fn some(&mut self, some: &SomeRows) {
        some.groups.iter().for_each(|group| self.context(group));
        self.wholes(&some.nulls);
    }
}

/// The state that a body holds; `None` if it does not.
fn decode(body: &[u8]) -> Option<RowState> {
    let mut rest = Reader(body);
    let RowHeader { frame, plan, rows, notes, .. } = serde_json::from_slice(rest.block()?).ok()?;
    let profile = Profile::from_bytes(rest.block()?, "").ok()?;
    if frame.names.is_empty() || plan.names != frame.names || plan.count == 0 || plan.count > 1_000_000 {
        return None;
    }
    let (groups, length) = (plan.n_groups(), plan.count.checked_mul(plan.width())?);
    let mut sums = RowSums::new_empty(Arc::new(plan));
    sums.groups = (0..groups).map(|_| rest.context(&sums.plan)).collect::<Option<_>>()?;
    sums.nulls = (0..groups).map(|_| rest.wholes(length)).collect::<Option<_>>()?;
    sums.squares = rest.wholes(if sums.plan.n_classes().is_none() { length } else { 0 })?;
    sums.context = (0..sums.plan.n_context()).map(|_| rest.products(length)).collect::<Option<_>>()?;
    let mut repeated = BTreeMap::new();
    for _ in 0..rest.count()? {
        repeated.insert(rest.count()?, rest.count()?);
    }
    sums.repeated = RepeatedRows(repeated);
    let plan = Arc::clone(&sums.plan);
    sums.features = plan.names.iter().map(|_| rest.feature(&plan, length)).collect::<Option<_>>()?;
    let (frame, profile) = (Arc::new(frame), Arc::new(profile));
    rest.0.is_empty().then_some(RowState { frame, profile, sums, rows, notes })
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn count(&mut self) -> Option<u64> {
        let (taken, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*taken))
    }

    fn block(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.count()?).ok()?;
        self.take(length)
    }

    fn wholes(&mut self, length: usize) -> Option<Vec<i64>> {
        let width = usize::from(self.byte()?);
        if !(1..=8).contains(&width) {
            return None;
        }
        let bytes = self.take(length.checked_mul(width)?)?;
        let shift = 64 - 8 * width as u32;
        let one = |bytes: &[u8]| {
            let mut whole = [0; 8];
            whole[..width].copy_from_slice(bytes);
            (i64::from_le_bytes(whole) << shift) >> shift
        };
        Some(bytes.chunks_exact(width).map(one).collect())
    }

    fn exact(&mut self) -> Option<Exact> {
        let width = usize::from(self.byte()?);
        if width == usize::from(u8::MAX) {
            return Some(Exact::default());
        }
        if !(1..=16).contains(&width) {
            return None;
        }
        let top = i16::from_le_bytes(self.take(2)?.try_into().ok()?);
        let mut levels = [0; KEPT];
        for level in &mut levels {
            let mut whole = [0; 16];
            whole[..width].copy_from_slice(self.take(width)?);
            let shift = 128 - 8 * width as u32;
            *level = (i128::from_le_bytes(whole) << shift) >> shift;
        }
        Some(Exact::of_parts(Some(i32::from(top)), levels))
    }

    fn context(&mut self, plan: &Plan) -> Option<ContextSums> {
        let n = plan.n_context();
        let rows = self.count()?;
        let weight = self.exact()?;
        let sums = (0..n).map(|_| self.exact()).collect::<Option<_>>()?;
        let products = (0..n * (n + 1) / 2).map(|_| self.exact()).collect::<Option<_>>()?;
        Some(ContextSums { rows, weight, sums, products })
    }

    fn products(&mut self, length: usize) -> Option<NullProducts> {
        let top = i16::from_le_bytes(self.take(2)?.try_into().ok()?);
        let top = (top != i16::MIN).then_some(i32::from(top));
        Some(NullProducts { top, high: self.wholes(length)?, low: self.wholes(length)? })
    }

    fn some(&mut self, plan: &Plan, length: usize) -> Option<SomeRows> {
        let groups = (0..plan.n_groups()).map(|_| self.context(plan)).collect::<Option<_>>()?;
        Some(SomeRows { groups, nulls: self.wholes(length)? })
    }

    fn feature(&mut self, plan: &Plan, length: usize) -> Option<FeatureSums> {
        Some(match self.byte()? {
            0 => FeatureSums::Nothing,
            1 => {
                let known = self.count()?;
                let group = |rest: &mut Self| {
                    let (sum, squares) = (rest.exact()?, rest.exact()?);
                    let cross = (0..plan.n_context()).map(|_| rest.exact()).collect::<Option<_>>()?;
                    Some(GroupSums { sum, squares, cross })
                };
                let groups = (0..plan.n_groups()).map(|_| group(self)).collect::<Option<_>>()?;
                let products = self.products(length)?;
                let lost = match self.byte()? {
                    0 => None,
                    _ => Some(self.some(plan, length)?),
                };
                FeatureSums::Numbers(Box::new(NumberSums { known, groups, products, lost }))
            }
            2 => {
                let mut levels = BTreeMap::new();
                for _ in 0..self.count()? {
                    let label = String::from_utf8(self.block()?.to_vec()).ok()?;
                    levels.insert(label, self.some(plan, length)?);
                }
                FeatureSums::Categories(levels)
            }
            _ => return None,
        })
    }
}
