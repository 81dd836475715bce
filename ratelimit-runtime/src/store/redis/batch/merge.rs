//! Batches: orders requests of many callers for one call of `decide`, and merges equal requests. The decisions are the same as
//! if the requests were sent one by one, in order of arrival.

use super::replies::{EntryReply, Replies};
use crate::store::redis::script::{
    InvalidReply, Numbers, add_share_keys, differing, encode_run, longest_reset, mode_name,
};
use crate::store::{Mode, Request};
use hashbrown::HashTable;
use redis::{Cmd, Value};

/// Returns whether a request may be in a batch. Peeks, stacks and requests for permits are sent separately. The return of a
/// permit must not overtake its request, which could happen if the caller of a batched request gives up.
pub(crate) fn is_batchable(mode: Mode, request: &Request) -> bool {
    mode != Mode::Peek && !request.limit().is_concurrency() && !request.passes_with_next()
}

/// The order of requests in a script call. The requests themselves are passed to each method, in order of arrival.
pub(super) struct Merged {
    mode: Mode,
    /// For each request, the index of its entry.
    entry_of: Vec<usize>,
    entries: Vec<Entry>,
    sections: Vec<Section>,
    /// Whether all entries have different keys.
    differ: bool,
}

/// Equal requests on one key, between which no different request on the same key has arrived. Their callers may differ.
struct Entry {
    /// The index of the first request.
    first: usize,
    /// The number of requests.
    times: u32,
    /// The hash of the key.
    hash: u64,
    /// The index of the section.
    section: usize,
    /// Whether the requests have callers, which share the bucket.
    is_shared: bool,
}

/// Entries with the same limit and units. Among the arguments of the script, a section is one run (`lua/decide.lua`), or
/// several runs if it has merged entries.
struct Section {
    /// Indices of entries in the order of the script call.
    entries: Vec<usize>,
    longest_reset: i64,
}

/// At most this many sections are searched for the limit and the units of a request. Most batches have few limits.
const SEARCHED_SECTIONS: usize = 8;

impl Merged {
    pub(super) fn new(mode: Mode, requests: &[&Request]) -> Self {
        let number = requests.len();
        let (entry_of, entries) = (Vec::with_capacity(number), Vec::with_capacity(number));
        let mut merged = Self { mode, entry_of, entries, sections: Vec::new(), differ: true };
        // The latest entry of each key.
        let mut latest: HashTable<usize> = HashTable::with_capacity(number);
        for (at, request) in requests.iter().enumerate() {
            // An attacker may choose keys with equal hashes. This costs little, because a batch has at most 128 keys.
            let hash = request.key().hash();
            let is_same = |entry: &usize| {
                let entry = &merged.entries[*entry];
                entry.hash == hash && requests[entry.first].key() == request.key()
            };
            let entry = match latest.find(hash, is_same).copied() {
                Some(entry) if merged.can_merge(requests, entry, request) => {
                    merged.entries[entry].times += 1;
                    entry
                }
                Some(earlier) => {
                    // This key has an earlier entry. The new entry comes after that entry, so the entries no longer have
                    // different keys.
                    merged.differ = false;
                    let later = merged.add(requests, at, hash, merged.entries[earlier].section);
                    if let Some(known) = latest.find_mut(hash, |known| *known == earlier) {
                        *known = later;
                    }
                    later
                }
                None => {
                    let first = merged.add(requests, at, hash, 0);
                    latest.insert_unique(hash, first, |entry| merged.entries[*entry].hash);
                    first
                }
            };
            merged.entry_of.push(entry);
        }
        merged
    }

    fn can_merge(&self, requests: &[&Request], entry: usize, request: &Request) -> bool {
        let first = requests[self.entries[entry].first];
        // In mode `charge`, requests are not merged, because each request needs its own stamp.
        self.mode == Mode::Check
            && request.cost() > 0
            && request.limit().wait_ms() == 0
            && request.is_decided_as(first)
    }

    /// Adds an entry to the latest section with its limit and units. Searches only the section `earliest` and the sections
    /// after it, at most [`SEARCHED_SECTIONS`]. Adds a section if no section fits. Returns the index of the entry.
    fn add(&mut self, requests: &[&Request], request: usize, hash: u64, earliest: usize) -> usize {
        let is_same =
            |section: &[usize]| requests[self.entries[section[0]].first].is_decided_as(requests[request]);
        let searched =
            earliest.max(self.sections.len().saturating_sub(SEARCHED_SECTIONS))..self.sections.len();
        let found = searched.rev().find(|section| is_same(&self.sections[*section].entries));
        let section = found.unwrap_or_else(|| {
            // Most batches have one section, so the first section gets room for all requests.
            let room = if self.sections.is_empty() { requests.len() } else { 1 };
            let longest_reset = longest_reset(requests[request].limit());
            self.sections.push(Section { entries: Vec::with_capacity(room), longest_reset });
            self.sections.len() - 1
        });
        let entry = self.entries.len();
        let is_shared = requests[request].caller().is_some();
        self.entries.push(Entry { first: request, times: 1, hash, section, is_shared });
        self.sections[section].entries.push(entry);
        entry
    }

    /// Returns the indices of the entries in the order of the script call.
    fn ordered_entries(&self) -> impl Iterator<Item = usize> {
        self.sections.iter().flat_map(|section| &section.entries).copied()
    }

    /// Returns the number of entries.
    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of keys, counted from the first one, that the script may read at once. These keys must all differ.
    pub(super) fn read_at_once(&self, requests: &[&Request]) -> usize {
        if self.differ {
            return self.len();
        }
        differing(self.ordered_entries().map(|entry| requests[self.entries[entry].first].key()))
    }

    /// Adds the number of keys, the keys and the arguments of `decide`. Each merged entry of a section is a separate run. With
    /// `is_any_slot`, the script reads each key separately, because no command reads keys of several slots.
    pub(super) fn encode(&self, requests: &[&Request], is_any_slot: bool, command: &mut Cmd) {
        let key_of = |entry: usize| requests[self.entries[entry].first].key();
        let shared = || self.ordered_entries().filter(|entry| self.entries[*entry].is_shared);
        command.arg(self.len() + 2 * shared().count());
        for entry in self.ordered_entries() {
            command.arg(key_of(entry).as_bytes());
        }
        shared().for_each(|entry| add_share_keys(command, key_of(entry)));
        let at_once = if is_any_slot { 0 } else { self.read_at_once(requests) };
        command.arg(mode_name(self.mode)).arg(at_once);
        let is_unmerged = |entry: &usize| self.entries[*entry].times == 1 && !self.entries[*entry].is_shared;
        for section in &self.sections {
            for run in section.entries.chunk_by(|a, b| is_unmerged(a) && is_unmerged(b)) {
                let Entry { first, times, is_shared, .. } = self.entries[run[0]];
                let callers = is_shared.then(|| self.callers(run[0], requests)).into_iter().flatten();
                if times > 1 {
                    encode_run(command, requests[first], -i64::from(times), callers);
                } else {
                    encode_run(command, requests[first], run.len(), callers);
                }
            }
        }
    }

    /// Returns the callers of the requests of an entry, in order of arrival.
    fn callers(&self, entry: usize, requests: &[&Request]) -> impl Iterator<Item = u64> {
        let of_entry = self.entry_of.iter().zip(requests).filter(move |(of, _)| **of == entry);
        of_entry.filter_map(|(_, request)| request.caller())
    }

    /// Reads the reply, or returns an error about the whole reply. With `is_any_slot`, the script also calls a key foreign if
    /// the key is on another node. So a foreign key then counts as a key without a reply.
    pub(super) fn replies(&self, reply: &Value, is_any_slot: bool) -> Result<Replies<'_>, InvalidReply> {
        let mut entries = vec![None; self.len()];
        let mut numbers = Numbers::of(reply)?;
        for section in &self.sections {
            for entry in &section.entries {
                let Entry { times, is_shared, .. } = self.entries[*entry];
                let longest_reset = section.longest_reset;
                let reply = EntryReply::read(&mut numbers, self.mode, longest_reset, times, is_shared)?;
                entries[*entry] = if is_any_slot && reply.is_foreign() { None } else { Some(reply) };
            }
        }
        numbers.end()?;
        Ok(Replies { mode: self.mode, entry_of: &self.entry_of, entries })
    }
}
