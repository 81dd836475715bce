//! Requests of many callers in one call of `decide`: ordered for the script, merged where they are equal, and each answered
//! as if it had come alone, in order of arrival.

use crate::decision::Decision;
use crate::key::StoreKey;
use crate::store::redis::script::range::{FOREIGN, WRONG};
use crate::store::redis::script::scripts as script;
use crate::store::redis::script::scripts::Wrong;
use crate::store::{Mode, Request};
use redis::{Cmd, Value};
use std::collections::HashMap;

/// Whether a request may go with those of others. One that only looks asks for itself. So does one for a permit: given up,
/// it is followed by what gives the permit back, and that must not overtake it.
pub(crate) fn fits(mode: Mode, request: &Request<'_>) -> bool {
    mode != Mode::Peek && !request.limit().is_concurrency() && !request.passes_with_next()
}

/// Requests in order of arrival, and how the script is asked for them.
pub(crate) struct Batch<'r> {
    mode: Mode,
    requests: &'r [Request<'r>],
    /// The entry of each request.
    entry_of: Vec<usize>,
    entries: Vec<Entry>,
    /// Entries of one limit and cost each, one after another.
    groups: Vec<Vec<usize>>,
}

/// Equal requests on one key, of which none of another kind came in between.
struct Entry {
    /// The first of them.
    request: usize,
    times: u32,
}

/// How far back a group of the same limit and cost is looked for. Every limit of a service has few others beside it.
const NEAR: usize = 8;

impl<'r> Batch<'r> {
    pub(crate) fn new(mode: Mode, requests: &'r [Request<'r>]) -> Self {
        let (entry_of, entries) = (Vec::with_capacity(requests.len()), Vec::with_capacity(requests.len()));
        let mut batch = Self { mode, requests, entry_of, entries, groups: Vec::new() };
        let mut latest: HashMap<StoreKey<'r>, Option<(usize, usize)>> =
            HashMap::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate() {
            let latest = latest.entry(*request.key()).or_default();
            let placed = match *latest {
                Some(place) if batch.merges(place.1, request) => {
                    batch.entries[place.1].times += 1;
                    place
                }
                // Not in front of an earlier one on its key.
                _ => batch.add(at, latest.map_or(0, |(group, _)| group)),
            };
            batch.entry_of.push(placed.1);
            *latest = Some(placed);
        }
        batch
    }

    fn merges(&self, entry: usize, request: &Request<'_>) -> bool {
        let first = &self.requests[self.entries[entry].request];
        let (limit, cost) = (request.limit(), request.cost());
        // A charge has a stamp of its own.
        self.mode == Mode::Check
            && cost > 0
            && cost == first.cost()
            && limit.wait_ms() == 0
            && limit == first.limit()
    }

    /// Adds an entry to a group from `least` on; a new one if there is none of its limit and cost.
    fn add(&mut self, request: usize, least: usize) -> (usize, usize) {
        let (limit, cost) = (self.requests[request].limit(), self.requests[request].cost());
        let near = self.groups.iter().enumerate().skip(least).rev().take(NEAR);
        let same = |group: &[usize]| {
            let first = self.first(group[0]);
            first.cost() == cost && first.limit() == limit
        };
        let found = near.filter(|(_, group)| same(group)).map(|(at, _)| at).next();
        let entry = self.entries.len();
        self.entries.push(Entry { request, times: 1 });
        let group = found.unwrap_or(self.groups.len());
        match found {
            Some(group) => self.groups[group].push(entry),
            None => self.groups.push(vec![entry]),
        }
        (group, entry)
    }

    fn entries(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flatten().copied()
    }

    fn first(&self, entry: usize) -> &Request<'r> {
        &self.requests[self.entries[entry].request]
    }

    /// Adds the number of keys, the keys and the arguments of `decide`.
    pub(crate) fn encode(&self, command: &mut Cmd) {
        command.arg(self.entries.len());
        for entry in self.entries() {
            command.arg(self.first(entry).key().as_bytes());
        }
        command.arg(script::mode(self.mode));
        let is_single = |entry: &usize| self.entries[*entry].times == 1;
        for group in &self.groups {
            for run in group.chunk_by(|a, b| is_single(a) && is_single(b)) {
                let (first, times) = (self.first(run[0]), self.entries[run[0]].times);
                script::encode_limit(command, first.limit(), first.permit());
                if times > 1 {
                    command.arg(-i64::from(times));
                } else {
                    command.arg(run.len());
                }
                command.arg(first.cost());
            }
        }
    }

    /// What the script has answered, for each request in order of arrival. An error concerns the answer as a whole.
    pub(crate) fn answers(&self, answer: &Value) -> Result<Vec<Result<Decision, Wrong>>, Wrong> {
        let mut found: Vec<Option<Found>> = self.entries.iter().map(|_| None).collect();
        for (entry, fields) in self.entries().zip(script::fields(answer, self.entries.len())?) {
            found[entry] = Some(Found::read(fields, self.entries[entry].times)?);
        }
        let answered = self.requests.iter().zip(&self.entry_of).enumerate().map(|(at, (request, entry))| {
            let found = found[*entry].as_mut().ok_or("it has another number of decisions than asked for")?;
            found.next(at, self.mode, request)
        });
        Ok(answered.collect())
    }
}

/// What the script says of one entry.
struct Found {
    /// So many merged ones pass, and the last of them leaves what remains.
    passing: i64,
    /// Of one alone, or of the merged ones that do not pass.
    fields: [i64; 4],
}

impl Found {
    fn read(fields: [i64; 4], times: u32) -> Result<Self, Wrong> {
        if times == 1 {
            return Ok(Self { passing: 0, fields });
        }
        let [passing, remaining, reset, delay] = fields;
        if !(0..=i64::from(times)).contains(&passing) {
            return Err("more pass than have asked".into());
        }
        if delay > 0 {
            return Err(WRONG.into());
        }
        // Where the clock moves inside a script, the others could pass by the time they are told.
        Ok(Self { passing, fields: [delay.min(-1), remaining, reset, 0] })
    }

    /// The answer to the next request of this entry. What remains is counted down; all of them are told when nothing will
    /// be in use any more, since they were charged together.
    fn next(&mut self, at: usize, mode: Mode, request: &Request<'_>) -> Result<Decision, Wrong> {
        let [delay, remaining, reset, _] = self.fields;
        if self.passing > 0 {
            self.passing -= 1;
            let remaining = self.passing.saturating_mul(request.cost().into()).saturating_add(remaining);
            return Ok(script::decision([0, remaining, reset, 0], mode, request.limit())?);
        }
        if delay == -FOREIGN {
            return Err(Wrong::Foreign(at));
        }
        Ok(script::decision(self.fields, mode, request.limit())?)
    }
}
