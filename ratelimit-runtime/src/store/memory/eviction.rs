//! Selection of the entries that a full shard evicts.

/// Selects the entries of a shard that expire first.
pub(super) struct Eviction {
    /// The latest deadline that is evicted. Entries with an earlier deadline are all evicted.
    last: u64,
    /// How many of the entries with exactly this deadline are evicted.
    needed: usize,
    /// How many entries have exactly this deadline.
    at_last: usize,
    /// How many of them were seen so far.
    seen: usize,
}

impl Eviction {
    /// Selects `count` entries by their deadlines.
    pub(super) fn new(deadlines: impl Iterator<Item = u64>, count: usize) -> Self {
        let Some(index) = count.checked_sub(1) else {
            return Self { last: 0, needed: 0, at_last: 1, seen: 0 };
        };
        let mut deadlines: Vec<u64> = deadlines.collect();
        let last = *deadlines.select_nth_unstable(index).1;
        let before = deadlines.iter().filter(|deadline| **deadline < last).count();
        let at_last = deadlines.iter().filter(|deadline| **deadline == last).count();
        Self { last, needed: count - before, at_last, seen: 0 }
    }

    /// Whether to evict the next entry. Of entries with the same deadline, every n-th is evicted, so that the others stay
    /// evenly spread over the slots.
    pub(super) fn evicts(&mut self, deadline: u64) -> bool {
        if deadline != self.last {
            return deadline < self.last;
        }
        let so_far = |seen: usize| seen * self.needed / self.at_last;
        self.seen += 1;
        so_far(self.seen) > so_far(self.seen - 1)
    }
}
