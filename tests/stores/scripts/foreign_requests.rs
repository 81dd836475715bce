//! Foreign data under a key: each script reports it for its own request, decides the other requests, and does not change the
//! data.

use super::arguments::{ALGORITHMS, decided, run};
use crate::harness::foreign_texts;
use ratelimit::__testing;
use redis::{Connection, Script, Value};
use support::RedisServer;

/// -(2^53 - 2).
const FOREIGN: i64 = 2 - (1 << 53);

/// Commands that write foreign data: the name of each command, and its arguments after the key. The data has another type, is a
/// text with a TTL, or is a foreign text.
fn foreign() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let others: [(&str, &[&str]); 4] = [
        ("SET", &["something", "PX", "100000"]),
        ("HSET", &["field", "value"]),
        ("RPUSH", &["something"]),
        ("ZADD", &["5", "something"]),
    ];
    let texts = foreign_texts().map(|text| ("SET", vec![text]));
    others.into_iter().map(|(name, words)| (name, words.to_vec())).chain(texts)
}

/// Writes foreign data, and returns its dump.
fn make(raw: &mut Connection, (name, words): &(&str, Vec<&str>)) -> Vec<u8> {
    redis::cmd(name).arg("foreign").arg(words).exec(raw).unwrap();
    redis::cmd("DUMP").arg("foreign").query(raw).unwrap()
}

/// Runs `decide` for three keys, the second of which is foreign. Asserts that only the second is reported. `numbers` is the
/// count of numbers in the reply to a request that is decided.
fn reports(raw: &mut Connection, decide: &Script, mode: &str, at_once: &str, runs: &[&str], numbers: usize) {
    redis::cmd("DEL").arg("a").arg("b").exec(raw).unwrap();
    let arguments = [&[mode, at_once], runs].concat();
    let answer = run(raw, decide, &["a", "foreign", "b"], &arguments);
    let answer = decided(&answer.unwrap_or_else(|error| panic!("{arguments:?}: {error}")));
    let of_foreign = if numbers == 4 { 4 } else { 3 };
    assert_eq!(answer.len(), 2 * numbers + of_foreign, "{arguments:?}: {answer:?}");
    let is_merged = runs.contains(&"-3");
    let expected = match (is_merged, of_foreign) {
        (true, _) => vec![0, 0, 0, FOREIGN],
        (_, 4) => vec![FOREIGN, 0, 0, 0],
        _ => vec![FOREIGN, 0, 0],
    };
    assert_eq!(answer[numbers..numbers + of_foreign], expected, "{arguments:?}: {answer:?}");
    assert!(!answer[..numbers].contains(&FOREIGN), "{arguments:?}: {answer:?}");
    let (first, last) = (&answer[..numbers], &answer[numbers + of_foreign..]);
    assert_eq!(first[..numbers.min(2)], last[..numbers.min(2)], "{arguments:?}: {answer:?}");
}

/// Asserts that both scripts report foreign data under a key of this algorithm, and do not change it.
pub(super) fn spare_foreign_data(raw: &mut Connection, decide: &str, adjust: &str, algorithm: &str) {
    let (decide, adjust) = (&Script::new(decide), &Script::new(adjust));
    for command in foreign() {
        if matches!((algorithm, command.0), ("sliding_log", "RPUSH") | ("concurrency", "ZADD")) {
            continue;
        }
        redis::cmd("FLUSHALL").exec(raw).unwrap();
        // Replaces one of the texts with a state that ends with `.0`, which only Lua reads as a number.
        let state = ["check", "0", algorithm, "500", "60000", "500", "0", "1", "1", "0"];
        run(raw, decide, &["foreign"], &state).unwrap();
        let state: Option<String> = redis::cmd("GET").arg("foreign").query(raw).unwrap_or_default();
        redis::cmd("DEL").arg("foreign").exec(raw).unwrap();
        let mut dump = make(raw, &command);
        if let (["300000000000.0"], Some(state)) = (&command.1[..], state) {
            dump = make(raw, &("SET", vec![&format!("{state}.0")]));
        }
        let requests =
            |n: &'static str, cost: &'static str| [algorithm, "5", "60000", "5", "0", n, cost, "0"];
        for at_once in ["3", "0", "2"] {
            reports(raw, decide, "charge", at_once, &requests("3", "1"), 4);
            reports(raw, decide, "check", at_once, &requests("3", "1"), 1);
            reports(raw, decide, "peek", at_once, &requests("3", "1"), 1);
            reports(raw, decide, "check", at_once, &requests("3", "6"), 3);
            reports(raw, decide, "check", at_once, &requests("3", "0"), 1);
            if algorithm != "concurrency" {
                reports(raw, decide, "check", at_once, &requests("-3", "1").repeat(3), 4);
            }
            let stack = [requests("0", "1"), requests("0", "1"), requests("1", "1")].concat();
            reports(raw, decide, "check", at_once, &stack, 1);
            let written: u64 = redis::cmd("EXISTS").arg("a").arg("b").query(raw).unwrap();
            assert_eq!(written, 0, "{algorithm} {command:?}: a stack was charged in part");
        }
        for what in ["give", "take"].into_iter().filter(|what| (*what, algorithm) != ("take", "concurrency"))
        {
            let adjusted =
                run(raw, adjust, &["foreign"], &[what, algorithm, "5", "1000", "5", "0", "1", "1"]);
            assert_eq!(adjusted, Ok(Value::Array(vec![Value::Int(0)])), "{what} {algorithm} {command:?}");
        }
        let after: Vec<u8> = redis::cmd("DUMP").arg("foreign").query(raw).unwrap();
        assert_eq!(dump, after, "{algorithm} {command:?}: the key was changed");
    }
}

/// Asserts that a script for single requests does not change foreign data. The script reports the data itself, or leaves the
/// request to `decide`.
pub(super) fn single_spares_foreign_data(raw: &mut Connection, name: &str, script: &str) {
    let script = &Script::new(script);
    let arguments: &[&str] = match name {
        "token_bucket" => &["5", "1000", "5", "1"],
        "sliding_log" => &["5", "1000"],
        _ => &["5", "1000", "1"],
    };
    for command in foreign() {
        if matches!((name, command.0), ("sliding_log", "RPUSH") | ("concurrency", "ZADD")) {
            continue;
        }
        redis::cmd("FLUSHALL").exec(raw).unwrap();
        let dump = make(raw, &command);
        let found = run(raw, script, &["foreign"], arguments);
        assert!(matches!(found, Err(_) | Ok(Value::Nil)), "{name} {command:?}: {found:?}");
        let after: Vec<u8> = redis::cmd("DUMP").arg("foreign").query(raw).unwrap();
        assert_eq!(dump, after, "{name} {command:?}: the key was changed");
    }
}

/// Asserts that a limit that admits nothing refuses without reading its key, and changes nothing.
pub(super) fn closed_limits_refuse(raw: &mut Connection, decide: &str, adjust: &str) {
    let (decide, adjust) = (&Script::new(decide), &Script::new(adjust));
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    redis::cmd("SET").arg("foreign").arg("something").exec(raw).unwrap();
    for algorithm in ALGORITHMS {
        for (count, burst) in [("0", "5"), ("5", "0"), ("0", "0")] {
            for key in ["foreign", "none"] {
                for (mode, cost) in [("check", "1"), ("check", "0"), ("charge", "1"), ("peek", "0")] {
                    let arguments = [mode, "1", algorithm, count, "1000", burst, "500", "1", cost, "0"];
                    let answer = decided(&run(raw, decide, &[key], &arguments).unwrap());
                    assert_eq!(answer[..3], [1 - (1 << 53), 0, 0], "{arguments:?} {key}");
                }
                let change = if algorithm == "concurrency" { "renew" } else { "take" };
                let arguments = [change, algorithm, count, "1000", burst, "500", "1", "1"];
                let adjusted = run(raw, adjust, &[key], &arguments);
                assert_eq!(adjusted, Ok(Value::Array(vec![Value::Int(0)])), "{arguments:?} {key}");
            }
        }
    }
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(raw).unwrap();
    assert_eq!(keys, ["foreign"]);
}

#[test]
fn foreign_data_affects_only_its_own_request_and_stays() {
    let server = RedisServer::start();
    let [decide, adjust] = __testing::scripts();
    for algorithm in ALGORITHMS {
        spare_foreign_data(&mut server.raw(), decide, adjust, algorithm);
    }
    for (name, script) in __testing::single_scripts() {
        single_spares_foreign_data(&mut server.raw(), name, script);
    }
}

#[test]
fn closed_limits_refuse_without_a_look_at_their_key() {
    let [decide, adjust] = __testing::scripts();
    closed_limits_refuse(&mut RedisServer::start().raw(), decide, adjust);
}
