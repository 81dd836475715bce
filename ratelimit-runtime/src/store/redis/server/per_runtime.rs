//! One value for each tokio runtime.
//!
//! A task makes progress only while its runtime is polled. If runtimes shared a connection, the calls of one runtime would wait
//! for a task of another runtime, which may be blocked, idle or shut down.

use crate::clock::timer;
use crate::error::Error;
use parking_lot::RwLock;
use std::sync::{Arc, OnceLock};
use tokio::runtime::{Handle, Id};
use tokio::task::AbortHandle;

/// The values of the running runtimes.
pub(crate) struct PerRuntime<T> {
    /// The first value, which is read without a lock, because most processes have one runtime. It stays when its runtime shuts
    /// down.
    first: OnceLock<Entry<T>>,
    /// The other values. There are few of these values, so a list is faster than a map.
    others: RwLock<Vec<Entry<T>>>,
}

struct Entry<T> {
    runtime: Id,
    value: Arc<T>,
    /// A task that ends when the runtime shuts down.
    task: AbortHandle,
}

impl<T> PerRuntime<T> {
    /// Returns the value of the current runtime. The first call in a runtime creates it.
    ///
    /// # Errors
    ///
    /// Returns an error outside of a runtime, and in a runtime without timers.
    pub(crate) fn current(&self, make: impl FnOnce(&Handle) -> Arc<T>) -> Result<Arc<T>, Error> {
        let runtime = Error::runtime()?;
        if let Some(value) = self.of(runtime.id()) {
            return Ok(value);
        }
        timer::runtime()?;
        let mut others = self.others.write();
        if let Some(entry) =
            self.first.get().into_iter().chain(&*others).find(|entry| entry.is_of(runtime.id()))
        {
            return Ok(Arc::clone(&entry.value));
        }
        let ended: Vec<Entry<T>> = others.extract_if(.., |entry| entry.has_ended()).collect();
        let value = make(&runtime);
        let task = runtime.spawn(std::future::pending::<()>()).abort_handle();
        let entry = Entry { runtime: runtime.id(), value: Arc::clone(&value), task };
        if let Err(entry) = self.first.set(entry) {
            others.push(entry);
        }
        // Drops the values outside of the lock, because dropping a value may wake tasks.
        drop(others);
        drop(ended);
        Ok(value)
    }

    /// Returns the value of the current runtime, if there is one.
    pub(crate) fn existing(&self) -> Option<Arc<T>> {
        self.of(Handle::try_current().ok()?.id())
    }

    /// Returns whether the value of any running runtime passes a test.
    pub(crate) fn any(&self, test: impl Fn(&T) -> bool) -> bool {
        let passes = |entry: &Entry<T>| !entry.has_ended() && test(&entry.value);
        self.first.get().is_some_and(passes) || self.others.read().iter().any(passes)
    }

    fn of(&self, runtime: Id) -> Option<Arc<T>> {
        if let Some(first) = self.first.get().filter(|first| first.is_of(runtime)) {
            return Some(Arc::clone(&first.value));
        }
        let others = self.others.read();
        others.iter().find(|entry| entry.is_of(runtime)).map(|entry| Arc::clone(&entry.value))
    }
}

impl<T> Default for PerRuntime<T> {
    fn default() -> Self {
        Self { first: OnceLock::new(), others: RwLock::default() }
    }
}

impl<T> Entry<T> {
    fn is_of(&self, runtime: Id) -> bool {
        self.runtime == runtime
    }

    /// Returns whether the runtime has shut down.
    fn has_ended(&self) -> bool {
        self.task.is_finished()
    }
}

impl<T> Drop for Entry<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    }

    #[test]
    fn each_runtime_has_its_own_value_until_it_shuts_down() {
        let (values, next) = (PerRuntime::default(), AtomicU32::new(0));
        let current =
            || values.current(|_| Arc::new(next.fetch_add(1, Ordering::Relaxed))).map(|value| *value).ok();
        let [first, second] = [runtime(), runtime()];
        assert_eq!(current(), None, "outside of a runtime");
        assert_eq!(first.block_on(async { (current(), current()) }), (Some(0), Some(0)));
        assert_eq!(second.block_on(async { current() }), Some(1));
        assert_eq!(first.block_on(async { values.existing().map(|value| *value) }), Some(0));
        drop(first);
        assert_eq!(runtime().block_on(async { current() }), Some(2));
        assert!(!values.any(|value| *value == 0) && values.any(|value| *value == 1));
    }
}
