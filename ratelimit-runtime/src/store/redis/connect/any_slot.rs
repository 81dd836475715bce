//! Whether a server permits scripts to touch undeclared keys of several slots.

use std::sync::atomic::{AtomicU8, Ordering};

/// What is known about the server of one connection.
#[derive(Default)]
pub(crate) struct AnySlot(AtomicU8);

const UNKNOWN: u8 = 0;
const PERMITTED: u8 = 1;
const REFUSED: u8 = 2;

impl AnySlot {
    /// Returns whether the server permits it, or `None` if that is not known.
    pub(crate) fn is_permitted(&self) -> Option<bool> {
        match self.0.load(Ordering::Relaxed) {
            PERMITTED => Some(true),
            REFUSED => Some(false),
            _ => None,
        }
    }

    /// Notes what a probe has found out.
    pub(crate) fn learn(&self, permitted: bool) {
        self.0.store(if permitted { PERMITTED } else { REFUSED }, Ordering::Relaxed);
    }

    /// The next batch probes again.
    pub(crate) fn forget(&self) {
        self.0.store(UNKNOWN, Ordering::Relaxed);
    }
}
