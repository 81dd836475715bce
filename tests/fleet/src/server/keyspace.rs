//! The keys of a server, and the times at which they expire.

use super::Trouble;
use super::referee::Referee;
use super::reply::Reply;
use super::slots::{Slots, slot_of};
use std::collections::{BTreeMap, VecDeque};

pub(crate) type Bytes = Vec<u8>;

/// The value of a key.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Bytes),
    List(VecDeque<Bytes>),
    Scores(BTreeMap<Bytes, f64>),
    Hash(BTreeMap<Bytes, Bytes>),
}

impl Value {
    fn is_empty(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::List(list) => list.is_empty(),
            Self::Scores(scores) => scores.is_empty(),
            Self::Hash(hash) => hash.is_empty(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    value: Value,
    /// The time at which the key expires, in ms of the server's clock.
    ends: Option<u64>,
}

/// All keys, in the order of their bytes, so that a run can be repeated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keyspace {
    keys: BTreeMap<Bytes, Entry>,
    /// The time of the running command, in µs of the server's clock.
    pub(crate) now: u64,
    /// Each text that was stored with a TTL: the key, the time of the command, and the time at which the key expires, in µs of
    /// the server's clock.
    pub(crate) begun: Vec<(Bytes, u64, u64)>,
    /// The reason why writes are refused.
    pub(crate) trouble: Option<Trouble>,
    /// Whether the running command has written.
    pub(crate) has_written: bool,
    /// While a script without declared keys runs: the slots of this node, which decide which keys the script may touch.
    pub(crate) guard: Option<Slots>,
    /// The states of the keys by the definitions of the algorithms.
    pub(crate) referee: Referee,
}

pub(crate) fn wrong_kind() -> Reply {
    Reply::error("WRONGTYPE Operation against a key holding the wrong kind of value")
}

impl Keyspace {
    pub(crate) fn now_ms(&self) -> u64 {
        self.now / 1000
    }

    fn entry(&mut self, key: &[u8]) -> Option<&mut Entry> {
        let now = self.now_ms();
        if self.keys.get(key)?.ends.is_some_and(|end| end <= now) {
            self.keys.remove(key);
        }
        self.keys.get_mut(key)
    }

    pub(crate) fn get(&mut self, key: &[u8]) -> Option<&mut Value> {
        self.entry(key).map(|entry| &mut entry.value)
    }

    pub(crate) fn get_or(&mut self, key: &[u8], new: Value) -> &mut Value {
        self.entry(key);
        &mut self.keys.entry(key.to_vec()).or_insert(Entry { value: new, ends: None }).value
    }

    /// Stores a value. The key expires at `ends`, in ms of the server's clock.
    pub(crate) fn set(&mut self, key: &[u8], value: Value, ends: Option<u64>) {
        if let (Value::Text(_), Some(ends)) = (&value, ends) {
            self.begun.push((key.to_vec(), self.now, ends * 1000));
        }
        self.keys.insert(key.to_vec(), Entry { value, ends });
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> bool {
        self.entry(key).is_some() && self.keys.remove(key).is_some()
    }

    /// Removes a key whose collection has become empty.
    pub(crate) fn tidy(&mut self, key: &[u8]) {
        if self.get(key).is_some_and(|value| value.is_empty()) {
            self.keys.remove(key);
        }
    }

    /// The time at which a key expires, in ms. `None` if the key does not exist or never expires.
    pub(crate) fn end(&mut self, key: &[u8]) -> Option<u64> {
        self.entry(key)?.ends
    }

    pub(crate) fn set_end(&mut self, key: &[u8], ends: Option<u64>) -> bool {
        self.entry(key).map(|entry| entry.ends = ends).is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.referee = Referee::default();
    }

    /// A copy of the keys for a replica.
    pub(crate) fn copy(&self) -> Self {
        Self { keys: self.keys.clone(), referee: self.referee.clone(), ..Self::default() }
    }

    /// Removes the first key of a slot, and returns the key with its entry. `None` if the slot has no key.
    pub(crate) fn take_of_slot(&mut self, slot: u16) -> Option<(Bytes, Entry, Option<Referee>)> {
        let Some(key) = self.keys.keys().find(|key| slot_of(key) == slot).cloned() else {
            self.referee.forget(|key| slot_of(key) == slot);
            return None;
        };
        let (key, entry) = self.keys.remove_entry(&key)?;
        let judged = self.referee.take(&key);
        Some((key, entry, judged))
    }

    pub(crate) fn put(&mut self, (key, entry, judged): (Bytes, Entry, Option<Referee>)) {
        match judged {
            Some(judged) => self.referee.put(judged),
            None => self.referee.doubt(std::slice::from_ref(&key)),
        }
        self.keys.insert(key, entry);
    }

    /// The number of keys that never expire. Hashes are not counted.
    pub(crate) fn endless(&self) -> usize {
        let is_endless = |entry: &&Entry| entry.ends.is_none() && !matches!(entry.value, Value::Hash(_));
        self.keys.values().filter(is_endless).count()
    }

    /// The number of keys that have not expired.
    pub(crate) fn live(&self) -> usize {
        let now = self.now_ms();
        self.keys.values().filter(|entry| entry.ends.is_none_or(|end| end > now)).count()
    }
}
