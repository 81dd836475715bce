//! Tests random decisions: a parser of structured fields reads each value, and finds the names and the numbers of the limits in
//! it.

use super::*;
use crate::answer::names::named;
use crate::limit::Refill;
use fastrand::Rng;
use sfv::{BareItem, Item, List, ListEntry, Parser};
use std::collections::HashSet;

fn seed() -> u64 {
    std::env::var("RATELIMIT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

fn random_name(rng: &mut Rng) -> &'static str {
    const CHARS: [char; 14] =
        ['a', 'Z', '"', '\\', '%', '\0', '\n', '\u{7f}', ' ', ',', ';', 'é', '日', '\u{10ffff}'];
    let name: String = match rng.u8(..4) {
        0 => ["search", "search/1s", "search/1d", "search/1s/2", ""][rng.usize(..5)].to_owned(),
        _ => (0..rng.usize(..6)).map(|_| rng.choice(CHARS).unwrap()).collect(),
    };
    name.leak()
}

fn random_limit(rng: &mut Rng) -> Limit {
    let time = Duration::from_millis([1, 500, 1000, 1001, 60_000, 31_622_400_000][rng.usize(..6)]);
    let count = [0, 1, 7, 1000, 1 << 20][rng.usize(..5)];
    let burst = rng.u32(..50);
    let bucket = || Limit::try_token_bucket(count, time).and_then(|limit| limit.try_burst(burst));
    let limit = match rng.u8(..6) {
        0 => Limit::try_sliding_log(count, time),
        1 => Limit::try_concurrency(count, time),
        2 => bucket(),
        3 => bucket().and_then(|limit| limit.try_borrow(3)),
        4 => bucket().and_then(|limit| limit.try_refill(Refill::Interval)),
        _ => Limit::try_leaky_bucket(count, time).and_then(|limit| limit.try_wait(time)),
    };
    limit.unwrap_or_else(|_| Limit::try_counter(count, time).unwrap())
}

fn random_decision(rng: &mut Rng) -> RecordedDecision {
    let limit = random_limit(rng);
    let remaining = [0, rng.u32(..=limit.capacity()), u32::MAX][rng.usize(..3)];
    let random_time = |rng: &mut Rng| Duration::from_millis([0, 1, 999, 1000, u64::MAX][rng.usize(..5)]);
    let reset_after = random_time(rng);
    let decision = match rng.u8(..3) {
        0 => Decision::refuse(&limit, remaining, None, reset_after),
        1 => Decision::refuse(&limit, remaining, Some(random_time(rng)), reset_after),
        _ => Decision::allow(&limit, remaining, reset_after),
    };
    RecordedDecision { cost: rng.u32(..3), ..recorded(random_name(rng), limit, decision) }
}

/// Parses the items of a field. Asserts that all items are strings and that no two names are equal.
fn items(value: &str) -> Vec<(String, Item)> {
    assert!(value.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{value}");
    let list: List = Parser::new(value).parse().unwrap_or_else(|error| panic!("{error}: {value}"));
    let items: Vec<(String, Item)> = list
        .into_iter()
        .map(|entry| match entry {
            ListEntry::Item(item) => match &item.bare_item {
                BareItem::String(name) => (decoded(name.as_str()), item),
                other => panic!("{other:?} is not a string"),
            },
            ListEntry::InnerList(list) => panic!("{list:?} is not an item"),
        })
        .collect();
    let names: HashSet<&String> = items.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), items.len(), "two limits have one name: {value}");
    items
}

fn decoded(name: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), name.as_bytes());
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (hex, tail) = rest.split_at(2);
            bytes.push(u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap());
            rest = tail;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn integer(item: &Item, name: &str) -> Option<u64> {
    item.params.get(name).map(|value| u64::try_from(i64::from(value.as_integer().unwrap())).unwrap())
}

#[test]
fn every_value_is_a_structured_field_with_all_limits() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..20_000 {
        let decisions: Vec<RecordedDecision> =
            (0..rng.usize(1..6)).map(|_| random_decision(&mut rng)).collect();
        let code = [200, 429][rng.usize(..2)];
        let fields = RateLimitHeaders::Draft11.fields(code, &decisions);
        let [("ratelimit-policy", policies), ("ratelimit", states)] = &fields[..] else {
            panic!("{fields:?}");
        };
        let (policies, states, all) = (items(policies), items(states), named(&decisions));
        assert_eq!(policies.len(), all.len());
        for ((name, policy), limit) in policies.iter().zip(&all) {
            assert_eq!(*name, limit.name);
            assert_eq!(integer(policy, "q"), Some(limit.recorded.limit().count().into()));
            assert_ne!(integer(policy, "w"), Some(0));
        }
        assert!(!states.is_empty());
        for (name, state) in &states {
            let limit = all.iter().find(|limit| limit.name == *name).unwrap();
            assert_eq!(integer(state, "r"), Some(limit.recorded.decision().remaining().into()));
            assert_ne!(integer(state, "t"), Some(0));
            assert!(code == 200 || limit.is_refused() || all.iter().all(|limit| !limit.is_refused()));
        }
    }
}

#[test]
fn no_effective_window_of_a_refused_request_is_longer_than_the_longest_wait() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..20_000 {
        let decisions: Vec<RecordedDecision> =
            (0..rng.usize(1..6)).map(|_| random_decision(&mut rng)).collect();
        let all = named(&decisions);
        let waits = all.iter().filter_map(|limit| limit.recorded.decision().retry_after());
        let Some(longest) = waits.max() else { continue };
        let (_, states) = &RateLimitHeaders::Draft11.fields(429, &decisions)[1];
        for (name, state) in items(states) {
            let window = integer(&state, "t").unwrap_or(0);
            assert!(window <= crate::rejection::whole_seconds(longest), "{name}: {window}");
        }
    }
}
