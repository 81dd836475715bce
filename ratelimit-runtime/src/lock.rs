//! Takes locks that are held for nanoseconds, and that several threads want all the time.

use parking_lot::{Mutex, MutexGuard};
use std::hint::spin_loop;

/// How often a thread looks again before it sleeps until the lock is free.
const LOOKS: usize = 8;

/// The pauses between two looks, together half a microsecond to a microsecond.
const PAUSES: usize = 16;

/// Locks a mutex.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Some(guard) => guard,
        None => wait(mutex),
    }
}

/// Waits for a lock, and looks at it rarely. Meanwhile the other thread takes it several times, and its processor keeps the
/// cache lines of the lock and of what it protects. A thread that looks all the time would move them for each decision.
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
            // Nearly always, the other thread then sleeps.
            (0..100 * LOOKS * PAUSES).for_each(|_| spin_loop());
            *guard = "new";
            drop(guard);
            assert_eq!(waiting.join().unwrap(), "new");
        });
    }
}
