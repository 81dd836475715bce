//! A server that refuses to write: refusals are still decided, and calls that would pass are told why they cannot be charged.
//! Nothing is written.

use super::arguments::{ALGORITHMS, decided, run};
use super::failing_commands::failing;
use ratelimit::__testing;
use redis::{Connection, Script};
use support::RedisServer;

const FOREIGN: i64 = (1 << 53) - 2;
const NEVER: i64 = (1 << 53) - 1;
/// The codes of the errors, and the number by which a reply tells each of them. A replica ends the script instead.
const CODES: [(&str, Option<i64>); 4] =
    [("OOM", Some(1)), ("NOREPLICAS", Some(2)), ("MISCONF", Some(3)), ("READONLY", None)];
const WRITES: &str =
    "({ SET = 1, INCRBY = 1, ZADD = 1, PEXPIRE = 1, ZREMRANGEBYSCORE = 1, RPUSH = 1, LTRIM = 1 })[name]";

/// The states of all keys.
fn states(raw: &mut Connection) -> Vec<(String, Vec<u8>)> {
    let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(raw).unwrap();
    keys.sort();
    let dump = |key: String| (key.clone(), redis::cmd("DUMP").arg(key).query(raw).unwrap());
    keys.into_iter().map(dump).collect()
}

/// The arguments of runs: each has an algorithm, `wait_ms`, `n`, the cost and `extra`. The count is 2 in an hour.
fn arguments(mode: &'static str, runs: &[[&'static str; 5]]) -> Vec<&'static str> {
    let runs = runs.iter().flat_map(|[algorithm, wait, n, cost, extra]| {
        [*algorithm, "2", "3600000", "2", *wait, *n, *cost, *extra]
    });
    [mode, "0"].into_iter().chain(runs).collect()
}

/// Asserts what `decide` replies while the server refuses writes.
pub(super) fn report_refused_writes(raw: &mut Connection, decide: &str) {
    for (code, told) in CODES {
        let [works, broken] = [String::new(), failing(WRITES, &format!("{code} simulated"))]
            .map(|prelude| Script::new(&[&prelude, decide].concat()));
        decide_refusals(raw, code, told, &works, &broken, |_, _| ());
    }
}

fn decide_refusals(
    raw: &mut Connection,
    code: &str,
    told: Option<i64>,
    works: &Script,
    broken: &Script,
    set: impl Fn(&mut Connection, bool),
) {
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let use_up = |raw: &mut Connection, algorithm, key: &str| {
        let reply = run(raw, works, &[key], &arguments("check", &[[algorithm, "0", "1", "2", "0"]]));
        assert!(decided(&reply.unwrap())[0] >= 0, "{algorithm}");
    };
    use_up(raw, "counter", "used");
    use_up(raw, "counter", "blocked");
    use_up(raw, "concurrency", "held");
    for algorithm in ALGORITHMS {
        use_up(raw, algorithm, algorithm);
    }
    set(raw, true);
    let before = states(raw);
    let ask = |raw: &mut Connection, mode, keys: &[&str], runs: &[[&'static str; 5]]| {
        let reply = run(raw, broken, keys, &arguments(mode, runs));
        assert_eq!(states(raw), before, "{code} {mode} {runs:?}");
        reply.map(|reply| decided(&reply))
    };
    // The gate of a block is not closed, but the request is refused.
    let blocks = [["counter", "0", "1", "1", "0:7200000"]];
    let reply = ask(raw, "check", &["blocked"], &blocks).unwrap();
    assert!((-3_600_000..0).contains(&reply[0]) && reply[1] == 0, "{code}: {reply:?}");
    // A call that waits for a permit has no ticket, and tries again.
    let reply = ask(raw, "charge", &["held"], &[["concurrency", "9000", "1", "1", "0"]]).unwrap();
    assert_eq!((reply[0], reply[1], reply[3]), (-20, 0, 0), "{code}");
    for algorithm in ALGORITHMS {
        let (one, free) = ([[algorithm, "0", "1", "1", "0"]], "free");
        for mode in ["check", "charge"] {
            let refused = ask(raw, mode, &[algorithm], &one).unwrap();
            assert!(refused[0] < 0 && refused[0] > -FOREIGN, "{code} {algorithm} {mode}: {refused:?}");
            match told {
                Some(told) => {
                    let reply = ask(raw, mode, &[free], &one).unwrap();
                    assert_eq!(reply[..3], [-FOREIGN, told, 0], "{code} {algorithm} {mode}");
                }
                None => assert!(ask(raw, mode, &[free], &one).is_err_and(|error| error.contains(code))),
            }
            // A stack that would pass is not charged. A stack is refused if one of its limits refuses it.
            let (stack, keys) =
                ([[algorithm, "0", "0", "1", "0"], ["counter", "0", "1", "1", "0"]], ["free", "new"]);
            let reply = ask(raw, mode, &keys, &stack);
            assert_eq!(reply.ok().map(|reply| [reply[0], reply[1]]), told.map(|told| [-FOREIGN, told]));
            let reply = ask(raw, mode, &["free", "used"], &stack).unwrap();
            assert!(!reply.contains(&-FOREIGN), "{code} {algorithm} {mode}: {reply:?}");
        }
    }
    let Some(told) = told else { return };
    // Refusals are decided beside calls that would pass, and beside merged calls.
    let runs =
        [["counter", "0", "4", "1", "0"], ["counter", "0", "-3", "1", "0"], ["counter", "0", "-3", "1", "0"]];
    let reply = ask(raw, "check", &["a", "used", "b", "blocked", "c", "used"], &runs).unwrap();
    let [a1, a2, a3, u1, u2, _, b1, b2, b3, k1, k2, _, m1, m2, m3, m4, n1, n2, _, n4] = reply[..] else {
        panic!("{code}: {reply:?}")
    };
    let unwritten = [-FOREIGN, told, 0];
    assert_eq!([[a1, a2, a3], [b1, b2, b3], [m4, m2, m3]], [unwritten; 3], "{code}: {reply:?}");
    assert_eq!((m1, n1, u2, k2, n2), (0, 0, 0, 0, 0), "{code}: {reply:?}");
    for delay in [u1, k1, n4] {
        assert!(delay < 0 && delay > -FOREIGN, "{code}: {reply:?}");
    }
    // A cost of zero and a cost that never fits need no write.
    let runs = [["counter", "0", "1", "0", "0"], ["counter", "0", "1", "3", "0:7200000"]];
    let reply = ask(raw, "check", &["a", "b"], &runs).unwrap();
    assert!(reply[0] >= 0 && reply[1] == -NEVER, "{code}: {reply:?}");
    set(raw, false);
}

#[test]
fn refusals_are_decided_while_a_server_refuses_writes() {
    let [decide, _] = __testing::scripts();
    report_refused_writes(&mut RedisServer::start().raw(), decide);
}

#[test]
fn refusals_are_decided_without_free_memory() {
    let (server, decide) = (RedisServer::start(), Script::new(__testing::scripts()[0]));
    let set = |raw: &mut Connection, full: bool| {
        redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(u8::from(full)).exec(raw).unwrap();
    };
    decide_refusals(&mut server.raw(), "OOM", Some(1), &decide, &decide, set);
}
