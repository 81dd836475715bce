//! Batches: orders requests of many callers for one call of `decide`, and merges equal ones. Each request receives the same
//! decision as if it had been sent alone, in order of arrival.

use crate::decision::Decision;
use crate::key::StoreKey;
use crate::store::redis::script::{
    FOREIGN_KEY, InvalidReply, OUT_OF_RANGE, WRONG_NUMBER_OF_DECISIONS, decision, encode_run, mode_name,
    records,
};
use crate::store::{Mode, Request};
use redis::{Cmd, Value};
use std::collections::HashMap;

/// Returns whether a request may be in a batch. A peek and a stack are sent by themselves. So is a request for a permit: if
/// its caller gives up, the return of the permit must not overtake the request.
pub(crate) fn is_batchable(mode: Mode, request: &Request) -> bool {
    mode != Mode::Peek && !request.limit().is_concurrency() && !request.passes_with_next()
}

/// Requests in order of arrival, and their order in the script call.
pub(super) struct Batch<'r> {
    mode: Mode,
    requests: &'r [&'r Request],
    /// The index of each request's entry.
    entry_of: Vec<usize>,
    entries: Vec<Entry>,
    /// Indices of entries in the order of the script call. The entries of a section have the same limit and cost. A section
    /// is one run of the script, or several if it has merged entries.
    sections: Vec<Vec<usize>>,
}

/// Equal requests on one key, without a different request on that key between them.
struct Entry {
    /// The index of the first request.
    first: usize,
    /// The number of requests.
    times: u32,
}

/// The position of an entry.
#[derive(Clone, Copy)]
struct Position {
    section: usize,
    entry: usize,
}

/// The number of sections that are searched for an equal limit and cost. Most services have few limits per call.
const SEARCHED_SECTIONS: usize = 8;

impl<'r> Batch<'r> {
    pub(super) fn new(mode: Mode, requests: &'r [&'r Request]) -> Self {
        let (entry_of, entries) = (Vec::with_capacity(requests.len()), Vec::with_capacity(requests.len()));
        let mut batch = Self { mode, requests, entry_of, entries, sections: Vec::new() };
        let mut latest: HashMap<&'r StoreKey, Option<Position>> = HashMap::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate() {
            let latest = latest.entry(request.key()).or_default();
            let position = match *latest {
                Some(position) if batch.can_merge(position.entry, request) => {
                    batch.entries[position.entry].times += 1;
                    position
                }
                // Not before an earlier request on the same key.
                _ => batch.add(at, latest.map_or(0, |position| position.section)),
            };
            batch.entry_of.push(position.entry);
            *latest = Some(position);
        }
        batch
    }

    fn can_merge(&self, entry: usize, request: &Request) -> bool {
        let first = self.first_request(entry);
        let (limit, cost) = (request.limit(), request.cost());
        // In mode `charge`, each request needs a stamp of its own.
        self.mode == Mode::Check
            && cost > 0
            && cost == first.cost()
            && limit.wait_ms() == 0
            && limit == first.limit()
    }

    /// Adds an entry to the latest section with its limit and cost. Searches only the section `earliest` and later ones, at
    /// most [`SEARCHED_SECTIONS`]. Adds a section if no section fits.
    fn add(&mut self, request: usize, earliest: usize) -> Position {
        let (limit, cost) = (self.requests[request].limit(), self.requests[request].cost());
        let is_same = |section: &[usize]| {
            let first = self.first_request(section[0]);
            first.cost() == cost && first.limit() == limit
        };
        let mut candidates = self.sections.iter().enumerate().skip(earliest).rev().take(SEARCHED_SECTIONS);
        let found = candidates.find(|(_, section)| is_same(section)).map(|(at, _)| at);
        let entry = self.entries.len();
        self.entries.push(Entry { first: request, times: 1 });
        let section = found.unwrap_or(self.sections.len());
        match found {
            Some(section) => self.sections[section].push(entry),
            None => self.sections.push(vec![entry]),
        }
        Position { section, entry }
    }

    /// Returns the indices of the entries in the order of the script call.
    fn ordered_entries(&self) -> impl Iterator<Item = usize> {
        self.sections.iter().flatten().copied()
    }

    fn first_request(&self, entry: usize) -> &'r Request {
        self.requests[self.entries[entry].first]
    }

    /// Adds the number of keys, the keys and the arguments of `decide`. Each merged entry of a section is a run of its own.
    pub(super) fn encode(&self, command: &mut Cmd) {
        command.arg(self.entries.len());
        for entry in self.ordered_entries() {
            command.arg(self.first_request(entry).key().as_bytes());
        }
        command.arg(mode_name(self.mode));
        let is_unmerged = |entry: &usize| self.entries[*entry].times == 1;
        for section in &self.sections {
            for run in section.chunk_by(|a, b| is_unmerged(a) && is_unmerged(b)) {
                let (first, times) = (self.first_request(run[0]), self.entries[run[0]].times);
                if times > 1 {
                    encode_run(command, first, -i64::from(times));
                } else {
                    encode_run(command, first, run.len());
                }
            }
        }
    }

    /// Reads the reply. Returns the decisions in order of arrival, or an error about the whole reply.
    pub(super) fn decisions(
        &self,
        reply: &Value,
    ) -> Result<Vec<Result<Decision, InvalidReply>>, InvalidReply> {
        let mut replies: Vec<Option<EntryReply>> = self.entries.iter().map(|_| None).collect();
        for (entry, record) in self.ordered_entries().zip(records(reply, self.entries.len())?) {
            replies[entry] = Some(EntryReply::read(record, self.entries[entry].times)?);
        }
        let decisions = self.requests.iter().zip(&self.entry_of).enumerate().map(|(at, (request, entry))| {
            let reply = replies[*entry].as_mut().ok_or(WRONG_NUMBER_OF_DECISIONS)?;
            reply.next(at, self.mode, request)
        });
        Ok(decisions.collect())
    }
}

/// The script's reply about one entry.
struct EntryReply {
    /// The number of merged requests that pass and have no decision yet.
    passing: i64,
    /// The record of an unmerged request, or of the merged requests that do not pass. After the last merged request that
    /// passes, `remaining` is left.
    record: [i64; 4],
}

impl EntryReply {
    fn read(record: [i64; 4], times: u32) -> Result<Self, InvalidReply> {
        if times == 1 {
            return Ok(Self { passing: 0, record });
        }
        let [passing, remaining, reset, delay] = record;
        if !(0..=i64::from(times)).contains(&passing) {
            return Err("more requests passed than were sent".into());
        }
        if delay > 0 {
            return Err(OUT_OF_RANGE.into());
        }
        // On servers whose clock moves within a script, the delay of the others can be 0. It is then 1 ms.
        Ok(Self { passing, record: [delay.min(-1), remaining, reset, 0] })
    }

    /// Returns the decision about the next request of this entry. `remaining` is counted down. `reset` is the same for all,
    /// because they were charged together.
    fn next(&mut self, at: usize, mode: Mode, request: &Request) -> Result<Decision, InvalidReply> {
        let [delay, remaining, reset, _] = self.record;
        if self.passing > 0 {
            self.passing -= 1;
            let remaining = self.passing.saturating_mul(request.cost().into()).saturating_add(remaining);
            return Ok(decision([0, remaining, reset, 0], mode, request.limit())?);
        }
        if delay == -FOREIGN_KEY {
            return Err(InvalidReply::ForeignKey(at));
        }
        Ok(decision(self.record, mode, request.limit())?)
    }
}
