//! Columns of inner products, made when a column first enters S and kept for all chains while there is room.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Products with every column, by share and column. What is kept depends on which chain comes first; the numbers do not.
pub(super) struct KeptColumns {
    slots: Vec<OnceLock<Box<[f64]>>>,
    columns: usize,
    room: AtomicUsize,
}

/// A column of inner products.
pub(super) enum Products<'a> {
    Kept(&'a [f64]),
    Own(Box<[f64]>),
}

impl std::ops::Deref for Products<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Products::Kept(products) => products,
            Products::Own(products) => products,
        }
    }
}

impl KeptColumns {
    /// Room for as many columns as fit in so many bytes.
    pub(super) fn new(shares: usize, columns: usize, bytes: usize) -> KeptColumns {
        let room = bytes / (8 * columns.max(1));
        let slots = std::iter::repeat_with(OnceLock::new).take(shares * columns).collect();
        KeptColumns { slots, columns, room: AtomicUsize::new(room) }
    }

    /// The products of a column, if they are kept.
    pub(super) fn get(&self, share: usize, column: usize) -> Option<Products<'_>> {
        self.slots[share * self.columns + column].get().map(|products| Products::Kept(products))
    }

    /// Whether there is room for more.
    pub(super) fn has_room(&self) -> bool {
        self.room.load(Ordering::Relaxed) > 0
    }

    /// Keeps the products of a column, if there is room.
    pub(super) fn keep(&self, share: usize, column: usize, made: Box<[f64]>) -> Products<'_> {
        let room = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(1));
        if room.is_err() {
            return Products::Own(made);
        }
        Products::Kept(self.slots[share * self.columns + column].get_or_init(|| made))
    }
}
