//! Takes locks that are held for nanoseconds, and that several threads often want at the same time.
//!
//! A thread that waits looks at the lock only rarely, so the cache lines stay with the thread that decides.

use parking_lot::{Mutex, MutexGuard};
use std::hint::spin_loop;

/// The number of times that a thread tries to take the lock before it sleeps until the lock is free.
const LOOKS: usize = 8;

/// The number of pauses between two tries. Together they take half a microsecond to a microsecond.
const PAUSES: usize = 16;

/// Locks a mutex. If another thread holds it, tries again a few times before it sleeps.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Some(guard) => guard,
        None => wait(mutex),
    }
}

/// Waits for a lock, and tries to take it only rarely. Between two tries, the thread that holds the lock can release it and
/// take it several times. The cache lines of the lock and of its data stay with that thread's processor. If the
/// waiting thread tried all the time, the cache lines would move to the other processor for each decision.
#[cold]
#[inline(never)]
fn wait<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..LOOKS {
        (0..PAUSES).for_each(|_| spin_loop());
        if let Some(guard) = mutex.try_lock() {
            return guard;
        }
    }
    mutex.lock()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn threads_take_turns() {
        const EACH: u32 = 10_000;
        let count = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..EACH).for_each(|_| *lock(&count) += 1));
            }
        });
        assert_eq!(*lock(&count), 4 * EACH);
    }

    #[test]
    fn a_thread_waits_for_a_lock_that_is_held_for_long() {
        let state = Mutex::new("old");
        thread::scope(|scope| {
            let mut guard = lock(&state);
            let waiting = scope.spawn(|| *lock(&state));
            // After this loop, the other thread nearly always sleeps.
            (0..100 * LOOKS * PAUSES).for_each(|_| spin_loop());
            *guard = "new";
            drop(guard);
            assert_eq!(waiting.join().unwrap(), "new");
        });
    }
}
