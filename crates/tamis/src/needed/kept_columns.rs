//! Columns of inner products, made when a column enters S and kept for all chains, the least recently used leaving first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Products with every column, by share and column. What is kept depends on which chain comes first; the numbers do not.
pub(super) struct KeptColumns {
    columns: usize,
    room: usize,
    kept: Mutex<Kept>,
}

/// What is kept at the moment.
struct Kept {
    /// By share and column, where among `products` it is; `NOWHERE` if it is not kept.
    places: Vec<u32>,
    products: Vec<Column>,
    clock: u64,
}

struct Column {
    /// Its share and column as one number.
    key: usize,
    used: u64,
    products: Arc<[f64]>,
}

const NOWHERE: u32 = u32::MAX;

impl KeptColumns {
    /// Room for as many columns as fit in so many bytes, at least one.
    pub(super) fn new(shares: usize, columns: usize, bytes: usize) -> KeptColumns {
        let room = (bytes / (8 * columns.max(1))).max(1);
        let kept = Kept { places: vec![NOWHERE; shares * columns], products: vec![], clock: 0 };
        KeptColumns { columns, room, kept: Mutex::new(kept) }
    }

    /// A panic of another chain leaves nothing half done.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The products of a column, if they are kept.
    pub(super) fn get(&self, share: usize, column: usize) -> Option<Arc<[f64]>> {
        self.kept().get(share * self.columns + column)
    }

    /// Those of some columns that are not kept.
    pub(super) fn missing(&self, share: usize, mut columns: Vec<u32>) -> Vec<u32> {
        let kept = self.kept();
        columns.retain(|&column| kept.places[share * self.columns + column as usize] == NOWHERE);
        columns
    }

    /// How many columns there is room for.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Keeps the products of a column.
    pub(super) fn keep(&self, share: usize, column: usize, products: Arc<[f64]>) {
        self.kept().keep(share * self.columns + column, products, self.room);
    }
}

impl Kept {
    fn get(&mut self, key: usize) -> Option<Arc<[f64]>> {
        self.clock += 1;
        let column = self.products.get_mut(self.places[key] as usize)?;
        column.used = self.clock;
        Some(Arc::clone(&column.products))
    }

    fn keep(&mut self, key: usize, products: Arc<[f64]>, room: usize) {
        self.clock += 1;
        if self.places[key] != NOWHERE {
            return; // another chain was faster
        }
        let column = Column { key, used: self.clock, products };
        if self.products.len() < room {
            self.places[key] = self.products.len() as u32;
            self.products.push(column);
        } else if let Some((at, oldest)) = self.products.iter_mut().enumerate().min_by_key(|(_, column)| column.used) {
            self.places[oldest.key] = NOWHERE;
            self.places[key] = at as u32;
            *oldest = column;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_column_leaves_first() {
        let kept = KeptColumns::new(2, 3, 2 * 8 * 3);
        let products = |x: f64| Arc::from([x; 3]);
        kept.keep(0, 1, products(1.0));
        kept.keep(1, 1, products(2.0));
        assert_eq!(kept.get(0, 1).as_deref(), Some(&[1.0; 3][..]));
        kept.keep(1, 2, products(3.0));
        assert_eq!(kept.missing(1, vec![0, 1, 2]), [0, 1]);
        assert_eq!(kept.get(1, 2).as_deref(), Some(&[3.0; 3][..]));
        assert!(kept.get(0, 1).is_some() && kept.get(1, 1).is_none());
    }
}
