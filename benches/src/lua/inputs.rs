//! The inputs that differ between calls: keys, ids, and the time of the caller.

use std::time::{SystemTime, UNIX_EPOCH};

/// The distance between consecutive keys. It has no common divisor with the number of keys, so the sequence visits all
/// keys, and consecutive keys are not next to each other in memory.
const STRIDE: u64 = 61_803;

/// Generates keys and ids.
pub(crate) struct Inputs {
    keys: u64,
    steps: u64,
    ids: u64,
}

impl Inputs {
    pub(crate) const fn new(keys: u64) -> Self {
        Self { keys, steps: 0, ids: 0 }
    }

    /// Returns the next key, with 40 characters. A key is repeated only after all other keys.
    pub(crate) fn key(&mut self) -> String {
        self.steps += 1;
        format!("ratelimit:{{customer-{:012}}}:search", self.steps * STRIDE % self.keys)
    }

    /// Returns a new id for a permit.
    pub(crate) const fn id(&mut self) -> u64 {
        self.ids += 1;
        (1 << 44) + self.ids
    }

    /// Returns the milliseconds since 1970, for scripts that use the time of the caller.
    pub(crate) fn now_ms() -> u128 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis())
    }
}
