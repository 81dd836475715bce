//! One value for each tokio runtime.
//!
//! A task makes progress only while its runtime is polled. If runtimes shared a connection, the calls of one runtime would wait
//! for a task of another runtime, which may be blocked, idle or shut down.

use crate::clock::timer;
use crate::error::Error;
use parking_lot::{Mutex, RwLock};
use std::sync::{Arc, OnceLock, Weak};
use tokio::runtime::{Handle, Id};
use tokio::task::AbortHandle;

/// The values of the running runtimes. A value is dropped when its runtime shuts down.
pub(crate) struct PerRuntime<T> {
    /// The entry of the first runtime, which is read without a lock, because most processes have one runtime.
    first: OnceLock<Entry<T>>,
    /// The entries of the other runtimes. There are few of them, so a list is faster than a map.
    others: RwLock<Vec<Entry<T>>>,
}

struct Entry<T> {
    runtime: Id,
    /// Nobody can empty a `OnceLock` through a shared reference, so the entry itself does not own the value.
    value: Weak<T>,
    _owner: Owner<T>,
    /// A task of the runtime that has the other [`Owner`].
    task: AbortHandle,
}

/// Owns a value together with another `Owner`. The first of them that is dropped drops the value.
struct Owner<T>(Arc<Mutex<Option<Arc<T>>>>);

impl<T: Send + Sync + 'static> PerRuntime<T> {
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
        let mut entries = self.first.get().into_iter().chain(&*others);
        if let Some(value) = entries.find_map(|entry| entry.value_of(runtime.id())) {
            return Ok(value);
        }
        let ended: Vec<Entry<T>> = others.extract_if(.., |entry| entry.has_ended()).collect();
        let value = make(&runtime);
        if let Err(entry) = self.first.set(Entry::new(&runtime, &value)) {
            others.push(entry);
        }
        // Drops the entries outside of the lock, because dropping a value may wake tasks.
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
        let passes = |entry: &Entry<T>| entry.value.upgrade().is_some_and(|value| test(&value));
        self.first.get().is_some_and(passes) || self.others.read().iter().any(passes)
    }

    fn of(&self, runtime: Id) -> Option<Arc<T>> {
        self.first.get().and_then(|first| first.value_of(runtime)).or_else(|| {
            let others = self.others.read();
            others.iter().find_map(|entry| entry.value_of(runtime))
        })
    }
}

impl<T> Default for PerRuntime<T> {
    fn default() -> Self {
        Self { first: OnceLock::new(), others: RwLock::default() }
    }
}

impl<T: Send + Sync + 'static> Entry<T> {
    fn new(runtime: &Handle, value: &Arc<T>) -> Self {
        let [owner, of_task] = Owner::two_of(value);
        let task = runtime.spawn(async move {
            let _owner = of_task;
            std::future::pending::<()>().await;
        });
        Self { runtime: runtime.id(), value: Arc::downgrade(value), _owner: owner, task: task.abort_handle() }
    }
}

impl<T> Entry<T> {
    /// Returns the value, if it is that of this runtime and the runtime has not shut down.
    fn value_of(&self, runtime: Id) -> Option<Arc<T>> {
        if self.runtime == runtime { self.value.upgrade() } else { None }
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

impl<T> Owner<T> {
    fn two_of(value: &Arc<T>) -> [Self; 2] {
        let shared = Arc::new(Mutex::new(Some(Arc::clone(value))));
        [Self(Arc::clone(&shared)), Self(shared)]
    }
}

impl<T> Drop for Owner<T> {
    fn drop(&mut self) {
        // The lock ends before the value is dropped.
        let _value = self.0.lock().take();
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

    #[test]
    fn a_value_is_dropped_with_its_runtime_or_with_the_values() {
        let (values, runtimes) = (PerRuntime::default(), [runtime(), runtime(), runtime()]);
        let made = runtimes.each_ref().map(|runtime| {
            let _guard = runtime.enter();
            Arc::downgrade(&values.current(|_| Arc::<()>::default()).unwrap())
        });
        let alive = || made.each_ref().map(|value| value.strong_count() > 0);
        let [first, second, third] = runtimes;
        assert_eq!(alive(), [true, true, true]);
        drop(first);
        assert_eq!(alive(), [false, true, true]);
        drop(second);
        assert_eq!(alive(), [false, false, true]);
        // The third runtime is never polled.
        drop(values);
        assert_eq!(alive(), [false, false, false]);
        drop(third);
    }
}
