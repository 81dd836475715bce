//! Who goes when there is no room.

/// The entries of a shard that are nearest to their expiry.
pub(super) struct Nearest {
    /// All before go, and of those at this deadline as many as are still needed.
    last: u64,
    needed: usize,
    like_last: usize,
    seen: usize,
}

impl Nearest {
    pub(super) fn new(deadlines: impl Iterator<Item = u64>, count: usize) -> Self {
        let Some(at) = count.checked_sub(1) else {
            return Self { last: 0, needed: 0, like_last: 1, seen: 0 };
        };
        let mut deadlines: Vec<u64> = deadlines.collect();
        let last = *deadlines.select_nth_unstable(at).1;
        let before = deadlines.iter().filter(|deadline| **deadline < last).count();
        let like_last = deadlines.iter().filter(|deadline| **deadline == last).count();
        Self { last, needed: count - before, like_last, seen: 0 }
    }

    /// Of equal ones some from everywhere: those that are left are spread over the slots as before.
    pub(super) fn takes(&mut self, deadline: u64) -> bool {
        if deadline != self.last {
            return deadline < self.last;
        }
        let so_far = |seen: usize| seen * self.needed / self.like_last;
        self.seen += 1;
        so_far(self.seen) > so_far(self.seen - 1)
    }
}
