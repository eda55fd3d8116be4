//! A pool of working memory for parallel loops: a thread takes a buffer and returns it.

use std::sync::Mutex;

/// Things that are made when none is free.
pub(crate) struct Pool<T> {
    free: Mutex<Vec<T>>,
    make: fn() -> T,
}

impl<T> Pool<T> {
    pub(crate) fn new(make: fn() -> T) -> Pool<T> {
        Pool { free: Mutex::new(Vec::new()), make }
    }

    /// Does `work` with one of them.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // a lock that another thread's panic has poisoned still guards nothing but a list
        let free = || self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let taken = free().pop();
        let mut thing = taken.unwrap_or_else(self.make);
        let result = work(&mut thing);
        free().push(thing);
        result
    }
}
