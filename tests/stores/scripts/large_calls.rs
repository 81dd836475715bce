//! Calls with thousands of keys or units. Servers pass at most about 8000 arguments to a command of a script, and return at
//! most about 8000 numbers.

use super::arguments::{decided, run};
use ratelimit::__testing;
use redis::{Connection, Script, Value};
use support::RedisServer;

const KEYS: usize = 9001;

/// Asserts that `decide` makes the same decision for each of many requests as for that request alone.
pub(super) fn decide_many_keys(raw: &mut Connection, decide: &str) {
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let decide = &Script::new(decide);
    let names: Vec<String> = (0..KEYS).map(|at| at.to_string()).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let number = KEYS.to_string();
    let mut runs = vec!["check", &number];
    for at in 0..KEYS {
        runs.extend(["counter", "10", "86400000", "10", "0", "1", ["1", "2", "3"][at % 3], "0"]);
    }
    run(raw, decide, &keys, &runs).unwrap();
    for (mode, numbers, taken) in [("peek", 1, 0), ("charge", 4, 1), ("check", 1, 2)] {
        let one = [mode, &number, "counter", "10", "86400000", "10", "0", &number, "1", "0"];
        let answer = decided(&run(raw, decide, &keys, &one).unwrap());
        assert_eq!(answer.len(), numbers * KEYS, "{mode}");
        for (at, reply) in answer.chunks(numbers).enumerate() {
            let remaining = if numbers == 4 { reply[1] } else { reply[0] / 86_400_001 };
            let used = i64::try_from(at % 3 + 1).unwrap() + taken;
            assert_eq!(remaining, 10 - used, "{mode}: request {at}");
        }
    }
    // A bucket that needs more than 2^53 ms until it is full again.
    let arguments =
        ["check", "2", "token_bucket_interval", "1", "31622400000", "400000", "0", "2", "350000", "0"];
    let answer = decided(&run(raw, decide, &["x", "y"], &arguments).unwrap());
    assert_eq!(answer, [(1 << 53) - 1, 50_000, (1 << 53) - 3].repeat(2));
}

/// Asserts that `decide` stores the most units that a log may have, and that `adjust` returns the requested number of units.
pub(super) fn store_many_units(raw: &mut Connection, decide: &str, adjust: &str) {
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let decide = &Script::new(decide);
    for cost in ["999", "1", "9000"] {
        run(
            raw,
            decide,
            &["a"],
            &["check", "1", "sliding_log", "10000", "86400000", "10000", "0", "1", cost, "0"],
        )
        .unwrap();
    }
    let adjust = &Script::new(adjust);
    let stamp: String = redis::cmd("LINDEX").arg("a").arg(-1).query(raw).unwrap();
    for (units, left) in [("0", 10_000), ("3", 9997), ("9000", 1000)] {
        let give = ["give", "sliding_log", "10000", "86400000", "10000", "0", units, &stamp];
        run(raw, adjust, &["a"], &give).unwrap();
        let length: usize = redis::cmd("LLEN").arg("a").query(raw).unwrap();
        assert_eq!(length, left, "after {units} units were given back");
    }
}

/// Asserts that the script for a single bucket leaves a request to `decide` if the state would have too many units for its
/// short form. Tests a state that grows, and a state with the tag of another limit.
pub(super) fn single_bucket_leaves_many_units(raw: &mut Connection, script: &str) {
    let script = &Script::new(script);
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let bucket = |cost| ["2699999", "60000", "2700000", cost];
    run(raw, script, &["a"], &bucket("1")).unwrap();
    let state: String = redis::cmd("GET").arg("a").query(raw).unwrap();
    let (units, time) = state.split_at(state.len() - 11);
    let (tag, now) = (units.parse::<u64>().unwrap() % 34, time.parse::<u64>().unwrap());
    let half_a_period_ago = (now + 100_000_000_000 - 30_000) % 100_000_000_000;
    for (tag, expected) in [(tag, "grows"), (tag + 1, "has another tag")] {
        let state = format!("{}{half_a_period_ago:011}", 2_600_000 * 34 + tag);
        redis::cmd("SET").arg("a").arg(&state).arg("PX").arg(100_000).exec(raw).unwrap();
        assert_eq!(run(raw, script, &["a"], &bucket("600000")), Ok(Value::Nil), "a state that {expected}");
        let left: String = redis::cmd("GET").arg("a").query(raw).unwrap();
        assert_eq!(left, state, "a state that {expected}");
    }
}

#[test]
fn units_above_the_short_form_are_left_to_decide() {
    let text = __testing::single_scripts().into_iter().find(|(name, _)| *name == "token_bucket").unwrap().1;
    single_bucket_leaves_many_units(&mut RedisServer::start().raw(), text);
}

#[test]
fn thousands_of_keys_are_decided_in_one_call() {
    let [decide, _] = __testing::scripts();
    decide_many_keys(&mut RedisServer::start().raw(), decide);
}

#[test]
fn thousands_of_units_are_stored_in_one_call() {
    let [decide, adjust] = __testing::scripts();
    store_many_units(&mut RedisServer::start().raw(), decide, adjust);
}
