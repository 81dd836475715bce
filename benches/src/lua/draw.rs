//! What differs from call to call: keys, ids, the caller's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Has no divisor in common with the number of keys, so that a walk in such steps meets all of them, and neighbours
/// are not each other's neighbours in memory.
const STRIDE: u64 = 61_803;

/// A walk over the keys.
pub(crate) struct Draw {
    keys: u64,
    steps: u64,
    ids: u64,
}

impl Draw {
    pub(crate) const fn new(keys: u64) -> Self {
        Self { keys, steps: 0, ids: 0 }
    }

    /// The next key, of 40 characters; as many in a row as there are keys all differ.
    pub(crate) fn key(&mut self) -> String {
        self.steps += 1;
        format!("ratelimit:{{customer-{:012}}}:search", self.steps * STRIDE % self.keys)
    }

    /// An integer that was not drawn before.
    pub(crate) const fn id(&mut self) -> u64 {
        self.ids += 1;
        (1 << 44) + self.ids
    }

    /// Milliseconds since 1970, for scripts that take the caller's clock.
    pub(crate) fn now_ms() -> u128 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis())
    }
}
