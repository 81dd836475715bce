//! Bounds how many keys are looked at in a second.

use crate::interrupt::Interrupt;
use std::time::{Duration, Instant};

/// Bounds how many keys are looked at in a second.
#[derive(Debug)]
pub(crate) struct Pacer {
    keys_per_second: u32,
    next: Instant,
}

impl Pacer {
    pub(crate) fn new(keys_per_second: u32) -> Self {
        Self { keys_per_second: keys_per_second.max(1), next: Instant::now() }
    }

    /// Counts the keys that were read.
    pub(crate) fn count(&mut self, keys: u32) {
        let time = Duration::from_secs(1) * keys / self.keys_per_second;
        self.next = self.next.max(Instant::now()) + time;
    }

    /// Waits until more keys may be looked at.
    pub(crate) async fn wait(&self, interrupt: &Interrupt) {
        interrupt.sleep(self.next.saturating_duration_since(Instant::now())).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_take_their_time() {
        let mut pacer = Pacer::new(1000);
        let start = pacer.next;
        for _ in 0..3 {
            pacer.count(500);
        }
        assert!(pacer.next - start >= Duration::from_millis(1500));
    }
}
