//! Random numbers. A simulation may set a seed, so that a run can be repeated.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// The state of this thread's sequence, if a seed was set.
    static SEEDED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// If no seed was set, nobody outside of the process can guess the bits.
pub(crate) fn bits() -> u64 {
    match SEEDED.get() {
        None => from_system(),
        Some(state) => {
            SEEDED.set(Some(state.wrapping_add(STEP)));
            mixed(state)
        }
    }
}

/// Asks the system each time. A secret or a sequence in the memory of this process would go on in each process that is forked
/// from it, and in each copy of its virtual machine, so that all of them would draw the same numbers.
fn from_system() -> u64 {
    #[cfg(not(target_family = "wasm"))]
    if let Ok(bits) = getrandom::u64() {
        return bits;
    }
    from_std()
}

/// Does not ask the system each time, for WebAssembly, which has neither forks nor the Redis store. std's `SipHash` with a random
/// key turns a counter into random numbers.
fn from_std() -> u64 {
    static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    SECRET.hash_one(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Gives this thread a sequence that depends only on the seed. `None` ends the sequence.
pub(crate) fn set_seed(seed: Option<u64>) {
    SEEDED.set(seed);
}

/// The odd number nearest to 2^64 divided by the golden ratio. Its multiples are spread evenly.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The mixing function of `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
const fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_sequence_in_one_thread() {
        let three = || [bits(), bits(), bits()];
        set_seed(Some(7));
        let first = three();
        set_seed(Some(7));
        assert_eq!(three(), first);
        assert_ne!(std::thread::spawn(bits).join().unwrap(), first[0]);
        set_seed(None);
        assert_ne!(three(), three());
        assert_ne!([from_std(), from_std()], [from_std(), from_std()]);
    }
}
