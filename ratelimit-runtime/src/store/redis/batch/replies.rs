//! Reads the reply to a batch: for each request its decision, also for the merged ones.

use crate::decision::Decision;
use crate::store::redis::script::{
    FOREIGN_KEY, InvalidReply, NEVER, Numbers, OUT_OF_RANGE, WRONG_NUMBER_OF_DECISIONS, decision,
};
use crate::store::{Mode, Request};

/// The script's replies about the entries of a batch.
pub(super) struct Replies<'b> {
    pub(super) mode: Mode,
    pub(super) entry_of: &'b [usize],
    pub(super) entries: Vec<EntryReply>,
}

impl Replies<'_> {
    /// Returns whether the keys of more than half of the entries are elsewhere.
    pub(super) fn are_mostly_elsewhere(&self) -> bool {
        let elsewhere = self.entries.iter().filter(|entry| matches!(entry, EntryReply::Elsewhere));
        elsewhere.count() > self.entries.len() / 2
    }

    /// Returns the decision about the request at the position `at`, or `None` if its key is elsewhere. Call it in order of
    /// arrival.
    pub(super) fn next(&mut self, at: usize, request: &Request) -> Option<Result<Decision, InvalidReply>> {
        let entry = self.entry_of.get(at).and_then(|entry| self.entries.get_mut(*entry));
        entry.map_or(Some(Err(WRONG_NUMBER_OF_DECISIONS.into())), |entry| entry.next(self.mode, request))
    }
}

/// The script's reply about one entry.
#[derive(Clone, Copy)]
pub(super) enum EntryReply {
    /// The key is on another node, or the user has no permission for it, or it is foreign. Nothing was decided.
    Elsewhere,
    Decided {
        /// The number of merged requests that pass and have no decision yet.
        passing: i64,
        /// The record of an unmerged request, or of the merged requests that do not pass. After the last merged request that
        /// passes, `remaining` is left.
        record: [i64; 4],
    },
}

impl EntryReply {
    pub(super) fn read(
        numbers: &mut Numbers<'_>,
        mode: Mode,
        longest_reset: i64,
        times: u32,
    ) -> Result<Self, InvalidReply> {
        if times == 1 {
            return Ok(Self::Decided { passing: 0, record: numbers.next(mode, longest_reset)? });
        }
        let [passing, remaining, reset, delay] = numbers.next_merged()?;
        if !(0..=i64::from(times)).contains(&passing) {
            return Err("more requests passed than were sent".into());
        }
        if delay > 0 || (delay == 0 && passing < i64::from(times)) {
            return Err(OUT_OF_RANGE.into());
        }
        Ok(Self::Decided { passing, record: [delay, remaining, reset, 0] })
    }

    /// Returns whether the key holds a value that no limit has written, or cannot be read.
    pub(super) const fn is_foreign(&self) -> bool {
        matches!(self, Self::Decided { passing: 0, record: [delay, ..] } if *delay == -FOREIGN_KEY)
    }

    /// Returns the decision about the next request of this entry. `remaining` is counted down. `reset` is the same for all,
    /// because they were charged together.
    fn next(&mut self, mode: Mode, request: &Request) -> Option<Result<Decision, InvalidReply>> {
        let Self::Decided { passing, record } = self else { return None };
        let [delay, remaining, reset, _] = *record;
        let passes = *passing > 0;
        if !passes && delay == -FOREIGN_KEY {
            return Some(Err(InvalidReply::ForeignKey));
        }
        let record = if passes {
            *passing -= 1;
            [0, passing.saturating_mul(request.cost().into()).saturating_add(remaining), reset, 0]
        } else if request.closes_gate() && delay != -NEVER {
            // The first refused request has closed the gate. The numbers in the reply describe the requests that pass.
            [delay, 0, reset.max(-delay), 0]
        } else {
            *record
        };
        Some(decision(record, mode, request.limit()).map_err(InvalidReply::from))
    }
}
