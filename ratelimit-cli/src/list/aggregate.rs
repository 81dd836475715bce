//! Sums over the keys of each name. The memory use does not depend on the number of keys.

use crate::output::identity;
use crate::scan::Ttl;
use crate::usage::Usage;
use ratelimit::RateLimiter;
use ratelimit::store::StoredKey;
use std::collections::BTreeMap;
use std::time::Duration;

/// The maximum number of rows, because a program may make up names. The keys of further names are only counted.
const MOST_ROWS: usize = 10_000;

/// The rows, by name and format, and counts of all keys.
#[derive(Debug)]
pub(crate) struct Aggregate {
    rows: BTreeMap<(String, String), Row>,
    /// The number of keys whose names have no row.
    pub(crate) others: u64,
    /// The number of keys under the prefix that no limit has written.
    pub(crate) foreign: u64,
    /// The number of all keys of limits.
    pub(crate) keys: u64,
    largest: usize,
    in_clear: bool,
    /// Computes hashes of identities.
    limiter: RateLimiter,
}

/// All keys of a name with one format.
#[derive(Debug)]
pub(crate) struct Row {
    /// Any key of the row.
    pub(crate) example: StoredKey,
    pub(crate) keys: u64,
    /// The sum of the units in use, as far as they are known.
    pub(crate) units: Option<u64>,
    /// The number of keys whose limits are known, and the number of these keys that refuse a call now.
    pub(crate) known: u64,
    pub(crate) at_limit: u64,
    pub(crate) longest_ttl: Duration,
    /// The number of keys that never expire.
    pub(crate) without_ttl: u64,
    /// The keys with the most units in use, in descending order.
    pub(crate) largest: Vec<Entry>,
}

/// One key.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) identity: String,
    pub(crate) ttl: Ttl,
    pub(crate) usage: Usage,
}

impl Aggregate {
    pub(crate) fn new(largest: usize, in_clear: bool, limiter: RateLimiter) -> Self {
        Self { rows: BTreeMap::new(), others: 0, foreign: 0, keys: 0, largest, in_clear, limiter }
    }

    /// Whether a limit of this name has keys.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.rows.keys().any(|(known, _)| known == name)
    }

    /// All rows, in the order of their names.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    /// The identity of a key, or its hash.
    pub(crate) fn identity(&self, key: &StoredKey) -> String {
        identity(&self.limiter, key, self.in_clear)
    }

    pub(crate) fn add(&mut self, key: &StoredKey, ttl: Ttl, usage: Usage) {
        self.keys += 1;
        let place = (key.name().to_owned(), key.format().to_owned());
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&place) {
            self.others += 1;
            return;
        }
        let row = self.rows.entry(place).or_insert_with(|| Row::new(key));
        row.keys += 1;
        row.units = usage.used.map(|used| row.units.unwrap_or(0) + u64::from(used)).or(row.units);
        row.known += u64::from(usage.known.is_some());
        row.at_limit += u64::from(usage.is_at_limit());
        match ttl {
            Ttl::In(ttl) => row.longest_ttl = row.longest_ttl.max(ttl),
            Ttl::Never => row.without_ttl += 1,
        }
        let rank = |usage: Usage, ttl: Ttl| (usage.share(), usage.used, ttl);
        let is_above = |other: &Entry| rank(other.usage, other.ttl) > rank(usage, ttl);
        let place = |all: &[Entry]| all.partition_point(is_above);
        if place(&row.largest) < self.largest {
            let identity = identity(&self.limiter, key, self.in_clear);
            // The scan may visit a key twice.
            row.largest.retain(|other| other.identity != identity);
            row.largest.insert(place(&row.largest), Entry { identity, ttl, usage });
            row.largest.truncate(self.largest);
        }
    }
}

impl Row {
    fn new(key: &StoredKey) -> Self {
        Self {
            example: key.clone(),
            keys: 0,
            units: None,
            known: 0,
            at_limit: 0,
            longest_ttl: Duration::ZERO,
            without_ttl: 0,
            largest: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(aggregate: &mut Aggregate, key: &str, used: u32) {
        let usage = Usage { used: Some(used), known: None };
        let ttl = Ttl::In(Duration::from_secs(u64::from(used)));
        aggregate.add(&StoredKey::parse("p", key.as_bytes()).unwrap(), ttl, usage);
    }

    #[test]
    fn the_largest_keys_are_kept() {
        let mut aggregate = Aggregate::new(3, true, RateLimiter::in_memory());
        for used in [5, 1, 9, 7, 3, 8, 2, 9] {
            add(&mut aggregate, &format!("p:{{user-{used}}}:n:c2"), used);
        }
        let row = aggregate.rows().next().unwrap();
        let shown: Vec<String> = row.largest.iter().map(|entry| entry.identity.clone()).collect();
        assert_eq!(shown, ["user-9", "user-8", "user-7"], "one was scanned twice");
        assert_eq!((row.keys, row.units, row.longest_ttl.as_secs()), (8, Some(44), 9));
    }

    #[test]
    fn names_that_a_program_makes_up_share_a_row() {
        let mut aggregate = Aggregate::new(0, false, RateLimiter::in_memory());
        for name in 0..MOST_ROWS + 5 {
            add(&mut aggregate, &format!("p:{{n{name}}}:c2"), 1);
        }
        assert_eq!((aggregate.rows().count(), aggregate.others), (MOST_ROWS, 5));
        assert!(aggregate.rows().all(|row| row.largest.is_empty()));
    }
}
