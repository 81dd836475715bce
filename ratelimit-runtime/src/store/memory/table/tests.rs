//! Tests of the table: it behaves like a plain map, bounds entries and bytes, and evicts the right entries.

use super::super::list::List;
use super::*;
use crate::limit::Limit;
use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

/// Returns a hash that spreads keys over the shards, and over the slots of a shard.
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn fill(table: &Table<u64>, keys: Range<u64>, deadline: u64, now: u64) {
    for key in keys {
        table.update(hash(key), now, |entry| entry.set(1, deadline, &LOGIN, 4));
    }
}

fn state(table: &Table<u64>, hash: u64, now: u64) -> Option<(u64, u64)> {
    table.update(hash, now, |entry| (entry.deadline() > 0).then(|| (entry.value, entry.deadline())))
}

fn is_alive(table: &Table<u64>, key: u64) -> bool {
    state(table, hash(key), 0).is_some()
}

#[test]
fn a_table_behaves_like_a_map() {
    let table = Table::<u64>::new(100_000, 0);
    let mut map = HashMap::<u64, (u64, u64)>::new();
    let mut random = 1_u64;
    for now in 0..200_000_u64 {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let (key, deadline) = ((random >> 33) % 5000, now + (random >> 50));
        if map.get(&key).is_some_and(|(_, deadline)| *deadline < now.max(1)) {
            map.remove(&key);
        }
        assert_eq!(state(&table, hash(key), now), map.get(&key).copied(), "key {key} at {now}");
        if random.is_multiple_of(5) {
            assert_eq!(table.update(hash(key), now, Entry::clear), map.remove(&key).is_some());
        } else {
            table.update(hash(key), now, |entry| entry.set(random, deadline, &LOGIN, 4));
            map.insert(key, (random, deadline));
        }
    }
    assert_eq!(table.evictions(), 0);
}

#[test]
fn a_hash_of_zero_is_a_key_like_any_other() {
    let table = Table::<u64>::new(100, 0);
    assert_eq!(state(&table, 0, 0), None);
    table.update(0, 0, |entry| entry.set(1, 10, &LOGIN, 4));
    assert_eq!(state(&table, 0, 0), Some((1, 10)));
}

#[test]
fn only_a_state_is_stored() {
    let table = Table::<u64>::new(100, 0);
    for hash in 0..10 {
        assert_eq!(state(&table, hash, 5), None);
    }
    assert_eq!(table.len(), 0, "a look stores nothing");
    table.update(7, 5, |entry| entry.set(1, 10, &LOGIN, 4));
    assert_eq!((state(&table, 7, 10), table.len()), (Some((1, 10)), 1));
    assert_eq!((state(&table, 7, 11), state(&table, 7, 10), table.len()), (None, None, 0), "it has expired");
}

#[test]
fn expired_entries_make_room_for_new_ones() {
    let table = Table::new(1_000_000, 0);
    fill(&table, 0..100_000, 10, 0);
    let after_one_round = table.bytes();
    for round in 1..10_u64 {
        let first = round * 100_000;
        fill(&table, first..first + 100_000, 10 * (round + 1), 10 * round + 1);
        let bytes = table.bytes();
        assert!(bytes <= after_one_round / 4 * 5, "{bytes} after {after_one_round}");
    }
    assert_eq!(table.evictions(), 0);
}

#[test]
fn a_new_entry_clears_expired_entries_around_it() {
    let table = Table::new(1600, 0);
    fill(&table, 0..1000, 10, 0);
    let bytes = table.bytes();
    fill(&table, 2000..2050, 20, 11);
    assert_eq!(table.bytes(), bytes, "the table grew although it was not full");
    assert!(table.len() < 900, "{}", table.len());
}

#[test]
fn entries_take_little_space() {
    let table = Table::new(1_000_000, 0);
    for thousands in (100..1000).step_by(50) {
        fill(&table, 0..thousands * 1000, 10, 0);
        let per_key = table.bytes() as u64 / (thousands * 1000);
        assert!(per_key <= 35, "{per_key} bytes at {thousands} 000");
    }
    assert_eq!((table.len(), table.evictions()), (950_000, 0));
}

#[test]
fn of_one_limit_the_entries_that_expire_first_are_evicted() {
    // A single shard, so that the order holds for all entries.
    let table = Table::new(1600, 0);
    fill(&table, 0..1200, 2000, 0);
    fill(&table, 10_000..10_200, 500, 0);
    fill(&table, 20_000..20_200, 1000, 0);
    assert_eq!((table.len(), table.evictions()), (1600, 0));
    // Expired entries are removed first.
    fill(&table, 30_000..30_200, 3000, 600);
    assert_eq!((table.len(), table.evictions()), (1600, 0));
    // If no entry has expired, the entries that would expire first are evicted.
    fill(&table, 40_000..40_100, 3000, 600);
    let lost = (20_000..20_200).filter(|key| !is_alive(&table, *key)).count() as u64;
    assert!((100..=200).contains(&lost), "{lost}");
    assert_eq!(lost, table.evictions(), "another entry was evicted");
    // At most a sixteenth of the entries is evicted at once.
    assert!(table.len() > 1600 - 1600 / 16);
}

/// Fills a table with entries of a limit that leave `room` of its units free.
fn fill_with(table: &Table<u64>, keys: Range<u64>, deadline: u64, limit: &Limit, room: i64) {
    for key in keys {
        table.update(hash(key), 0, |entry| entry.set(1, deadline, limit, room));
    }
}

fn lost(table: &Table<u64>, mut keys: Range<u64>) -> usize {
    keys.by_ref().filter(|key| !is_alive(table, *key)).count()
}

const LOGIN: Limit = Limit::counter(5, Duration::from_secs(600));
const SIGNUP: Limit = Limit::counter(10, Duration::from_secs(86_400));
const RESENT: Limit = Limit::counter(1, Duration::from_secs(86_400));

#[test]
fn a_limit_with_more_entries_evicts_its_own() {
    for flood in [SIGNUP, RESENT] {
        let table = Table::new(1600, 0);
        fill_with(&table, 0..500, 600_000, &LOGIN, 4);
        // Each key of the flood has made one call, and expires later than the keys of the other limit.
        let room = i64::from(flood.capacity()) - 1;
        fill_with(&table, 1000..11_000, 86_400_000, &flood, room);
        assert_eq!(lost(&table, 0..500), 0, "{flood}");
        assert_eq!(usize::try_from(table.evictions()).unwrap(), lost(&table, 1000..11_000));
        // The limit with more entries loses entries until both limits have the same number of entries.
        fill_with(&table, 20_000..30_000, 600_000, &LOGIN, 4);
        assert!((600..800).contains(&(10_000 - lost(&table, 1000..11_000))), "{flood}");
    }
}

#[test]
fn of_one_limit_the_least_used_entries_are_evicted_first() {
    let table = Table::new(1600, 0);
    fill_with(&table, 0..100, 1000, &LOGIN, 0);
    fill_with(&table, 100..200, 1000, &LOGIN, 2);
    fill_with(&table, 1000..11_000, 600_000, &LOGIN, 4);
    assert_eq!(lost(&table, 0..200), 0, "a first call evicts no other entry");
    // These keys are used as much as the keys from 100 to 199, and expire later.
    fill_with(&table, 20_000..22_000, 600_000, &LOGIN, 2);
    assert_eq!((lost(&table, 0..100), lost(&table, 100..200)), (0, 100));
}

#[test]
fn a_claim_does_not_change_a_deadline() {
    for deadline in [0, 1, 1 << 40, u64::MAX / 1000, (1 << 55) - 1] {
        for room in [i64::MIN, -1, 0, 1, 10, i64::from(u32::MAX)] {
            let mut entry = Entry::default();
            entry.set(7_u64, deadline, &SIGNUP, room);
            assert_eq!((entry.value, entry.deadline()), (7, deadline));
        }
    }
}

#[test]
fn evicted_entries_with_equal_deadlines_are_spread_over_the_slots() {
    let table = Table::new(1600, 0);
    fill(&table, 0..20_000, 10, 0);
    let farthest = table.shards[0].0.lock().farthest();
    assert!(farthest < 100, "an entry is {farthest} slots from its preferred slot");
}

#[test]
fn the_bytes_that_values_use_are_bounded() {
    let table = Table::<List>::new(100_000, 1_000_000);
    for key in 0..10_000 {
        let list = List::Log((0..100 + key % 400).collect());
        table.update(hash(key), 0, |entry| entry.set(list, 1000 + key, &LOGIN, 4));
        table.shed(0);
        assert!(table.weight.load(Ordering::Relaxed) <= 1_000_000);
    }
    let weight = table.sum(|shard| shard.weight);
    assert_eq!(table.weight.load(Ordering::Relaxed), weight);
    assert!(weight > 900_000, "{weight}");
    assert!(table.len() > 200 && table.evictions() == 10_000 - table.len() as u64);
}

#[test]
fn no_more_is_evicted_than_the_bytes_need() {
    let list = || List::Log([7].into());
    let table = Table::<List>::new(100, list().weight());
    for key in [1, 2] {
        table.update(hash(key), 0, |entry| entry.set(list(), 10, &LOGIN, 4));
    }
    table.shed(0);
    assert_eq!((table.len(), table.evictions()), (1, 1));
}

#[test]
fn the_smallest_table_works() {
    let table = Table::new(0, 0);
    fill(&table, 0..1000, 10, 0);
    assert_eq!(table.len(), 1);
    assert!(is_alive(&table, 999));
}
