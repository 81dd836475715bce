//! Reads the reply to a batch: the decision about each request, also about merged requests.

use crate::decision::Decision;
use crate::store::redis::script::{FOREIGN_KEY, InvalidReply, NEVER, Numbers, OUT_OF_RANGE, decision};
use crate::store::{Mode, Request};

/// The script's replies about the entries of a batch.
pub(super) struct Replies<'b> {
    pub(super) mode: Mode,
    pub(super) entry_of: &'b [usize],
    /// The reply about each entry. `None` if nothing was decided: the key is on another node, the user has no permission for
    /// it, or it holds a foreign value.
    pub(super) entries: Vec<Option<EntryReply>>,
}

/// The first number about merged requests whose callers share a bucket, if not all of the requests pass (`lua/decide.lua`).
const NOT_ALL_PASS: i64 = -1;

/// The script's reply about one entry.
#[derive(Clone)]
pub(super) struct EntryReply {
    /// The number of merged requests that pass and have no decision yet, if `each` is empty.
    passing: i64,
    /// The numbers of the reply (delay, remaining, reset, stamp) about an unmerged request, or about the merged requests that
    /// do not pass. For merged requests, `remaining` is the number of units after the last request that passes.
    record: [i64; 4],
    /// The numbers about each of the merged requests that have no decision yet, the last request first. Empty if `record` is the
    /// reply about all of them.
    each: Vec<[i64; 4]>,
}

impl Replies<'_> {
    /// Returns whether more than half of the entries have no decision.
    pub(super) fn are_mostly_elsewhere(&self) -> bool {
        self.entries.iter().filter(|entry| entry.is_none()).count() > self.entries.len() / 2
    }

    /// Returns the decision about the request at the position `at`, or `None` if nothing was decided. Call this method in order
    /// of arrival, because it counts down the `remaining` of merged requests. Merged requests were charged together, so all of
    /// them have the same `reset`.
    pub(super) fn next(&mut self, at: usize, request: &Request) -> Option<Result<Decision, InvalidReply>> {
        let EntryReply { passing, record, each } = self.entries[self.entry_of[at]].as_mut()?;
        let [delay, remaining, reset, _] = *record;
        let record = if let Some(record) = each.pop() {
            record
        } else if *passing > 0 {
            *passing -= 1;
            [0, passing.saturating_mul(request.cost().into()).saturating_add(remaining), reset, 0]
        } else if delay < 0 && request.closes_gate() && delay != -NEVER && delay != -FOREIGN_KEY {
            // The first refused request has closed the gate, so nothing is free for the refused requests. The `remaining` in
            // the reply describes only the requests that pass.
            [delay, 0, reset.max(-delay), 0]
        } else {
            *record
        };
        Some(decision(record, self.mode, request.limit()))
    }
}

impl EntryReply {
    pub(super) fn read(
        numbers: &mut Numbers<'_>,
        mode: Mode,
        longest_reset: i64,
        times: u32,
        is_shared: bool,
    ) -> Result<Self, InvalidReply> {
        if times == 1 {
            return Ok(Self { passing: 0, record: numbers.next(mode, longest_reset)?, each: Vec::new() });
        }
        if is_shared && numbers.skip(NOT_ALL_PASS) {
            let each: Result<Vec<_>, _> = (0..times).map(|_| numbers.next(mode, longest_reset)).collect();
            let mut each = each?;
            let record = each[0];
            each.reverse();
            return Ok(Self { passing: 0, record, each });
        }
        // `passing` requests pass. `delay` is the delay of the requests that do not pass.
        let [passing, remaining, reset, delay] = numbers.take()?;
        if !(0..=i64::from(times)).contains(&passing) {
            return Err(InvalidReply::Malformed("more requests passed than were sent"));
        }
        if delay > 0 || (delay == 0 && passing < i64::from(times)) {
            return Err(OUT_OF_RANGE);
        }
        Ok(Self { passing, record: [delay, remaining, reset, 0], each: Vec::new() })
    }

    /// Returns whether the key is unusable: it cannot be read, or it holds a value that no limit has written.
    pub(super) const fn is_foreign(&self) -> bool {
        self.passing == 0 && self.record[0] == -FOREIGN_KEY && self.record[1] == 0
    }
}
