//! Calls the scripts directly, with arguments and foreign data that no limiter sends.

use ratelimit::__testing;
use redis::{Connection, Script, Value};
use support::RedisServer;

pub(super) const ALGORITHMS: [&str; 10] = [
    "counter",
    "counter_hour",
    "counter_month",
    "token_bucket",
    "token_bucket_interval",
    "leaky_bucket",
    "leaky_bucket_queue",
    "sliding_window",
    "sliding_log",
    "concurrency",
];

/// Texts that the scripts must not accept as integers.
const NO_INTEGERS: [&str; 9] =
    ["", "-1", "1.5", "abc", "nan", "-nan", "inf", "9007199254740991", "99999999999999999"];

/// Returns the numbers in a reply of `decide`.
#[expect(clippy::cast_possible_truncation, reason = "the numbers are integers below 2^53")]
pub(crate) fn decided(answer: &Value) -> Vec<i64> {
    let Value::BulkString(bytes) = answer else { panic!("{answer:?}") };
    let (numbers, []) = bytes.as_chunks::<8>() else { panic!("{answer:?}") };
    let numbers = numbers.iter().map(|number| f64::from_le_bytes(*number));
    numbers.inspect(|number| assert!(number.fract() == 0.0, "{number}")).map(|number| number as i64).collect()
}

/// Runs a script with any arguments.
pub(super) fn run(
    raw: &mut Connection,
    script: &Script,
    keys: &[&str],
    arguments: &[&str],
) -> Result<Value, String> {
    let mut call = script.prepare_invoke();
    for key in keys {
        call.key(*key);
    }
    for argument in arguments {
        call.arg(*argument);
    }
    call.invoke(raw).map_err(|error| error.to_string())
}

fn is_told(error: &str) -> bool {
    ["ratelimit: ", "arithmetic", "not an integer"].iter().any(|words| error.contains(words))
}

fn nothing_was_written(raw: &mut Connection) {
    let size: u64 = redis::cmd("DBSIZE").query(raw).unwrap();
    assert_eq!(size, 0, "something was written");
}

/// Asserts that `decide` reports each bad argument, and writes nothing.
pub(super) fn decide_reports_bad_arguments(raw: &mut Connection, decide: &str) {
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let decide = &Script::new(decide);
    let refuses = |raw: &mut Connection, run_before: &str, bad: &[&str], what: &str| {
        let good = [run_before, "5", "1000", "5", "0", "1", "1", "0"];
        for mode in ["check", "charge", "peek"] {
            let arguments = [&[mode, "2"], &good[..], bad].concat();
            let error = run(raw, decide, &["a", "b"], &arguments).expect_err(what);
            assert!(is_told(&error), "{what}: {bad:?}: {error}");
        }
    };
    for algorithm in ALGORITHMS {
        let good = [algorithm, "5", "1000", "5", "0", "1", "1", "0"];
        for (at, what) in
            [(1, "count"), (2, "time_ms"), (3, "burst"), (4, "wait_ms"), (5, "n"), (6, "cost"), (7, "extra")]
        {
            for number in NO_INTEGERS.into_iter().filter(|number| (at, *number) != (5, "-1")) {
                let mut bad = good;
                bad[at] = number;
                refuses(raw, "counter", &bad, what);
            }
        }
    }
    for bad in [
        &["unknown", "5", "1000", "5", "0", "1", "1", "0"][..],
        &["bucket", "5", "1000", "5", "0", "1", "1", "0"],
        &["counter_year", "5", "1000", "5", "0", "1", "1", "0"],
        &["counter", "5", "0", "5", "0", "1", "1", "0"],
        &["counter", "5", "1000", "5", "0", "2", "1", "0"],
        &["counter", "5", "1000", "5"],
        &["counter", "5", "1000", "5", "0", "0", "1", "0"],
        &["counter", "5", "1000", "5", "0", "0.5", "1", "0"],
        &["counter", "5", "1000", "5", "9", "-2", "1", "0"],
        &["counter", "5", "1000", "5", "0", "-2", "0", "0"],
        &["counter", "5", "1000", "5", "0", "1", "1", "0:"],
        &["counter", "5", "1000", "5", "0", "1", "1", "0:0"],
        &["counter", "5", "1000", "5", "0", "1", "1", "0:1:9007199254740991"],
        &["counter", "5", "1000", "5", "0", "1", "1", "0:1:2:3:4:5:6:7:8:9:10"],
        &["counter", "5", "1000", "5", "0", "1", "1", "0:1s"],
        &["sliding_log", "5", "1000", "5", "0", "1", "1", "0:1000"],
        &["concurrency", "5", "1000", "5", "0", "1", "1", "0:1000"],
        &["counter", "5", "1000", "5", "0", "0", "1", "0", "counter", "5", "1000", "5", "0", "2", "1", "0"],
    ] {
        refuses(raw, "counter", bad, "a run");
    }
    // The script handles a single request in a separate path, so the arguments of a single request are tested, too.
    for (at, number) in (1..8).flat_map(|at| NO_INTEGERS.map(|number| (at, number))) {
        let mut bad = ["counter", "5", "1000", "5", "0", "1", "1", "0"];
        bad[at] = number;
        if (at, number) != (5, "-1") {
            let error = run(raw, decide, &["a"], &[&["check", "1"], &bad[..]].concat()).expect_err("alone");
            assert!(is_told(&error), "{bad:?}: {error}");
        }
    }
    for n in ["0", "2", "-2"] {
        let bad = ["check", "0", "counter", "5", "1000", "5", "0", n];
        assert!(run(raw, decide, &["a"], &bad).is_err(), "n = {n} without a cost");
    }
    assert!(
        run(raw, decide, &["a"], &["check", "0", "counter", "5", "1000", "5", "0", "2", "1", "0"]).is_err()
    );
    let good = ["counter", "5", "1000", "5", "0", "1", "1", "0"];
    assert!(run(raw, decide, &["a"], &[&["refund", "1"], &good[..]].concat()).is_err());
    assert!(run(raw, decide, &["a", "b"], &[&["check", "1"], &good[..]].concat()).is_err(), "more keys");
    let merged = ["counter", "5", "1000", "5", "0", "-2", "1", "0"];
    for mode in ["charge", "peek"] {
        assert!(
            run(raw, decide, &["a"], &[&[mode, "1"], &merged[..]].concat()).is_err(),
            "merged in mode {mode}"
        );
    }
    for n in ["2", "-2"] {
        let last = ["counter", "5", "1000", "5", "0", n, "1", "0"];
        let stack = [&["check", "0", "counter", "5", "1000", "5", "0", "0", "1", "0"], &last[..]].concat();
        let keys = &["a", "b", "c"][..if n == "2" { 3 } else { 2 }];
        assert!(run(raw, decide, keys, &stack).is_err(), "a stack that ends with n = {n}");
    }
    let open = ["check", "1", "counter", "5", "1000", "5", "0", "0", "1", "0"];
    assert!(run(raw, decide, &["a"], &open).is_err(), "a stack without an end");
    for number in NO_INTEGERS.into_iter().chain(["2"]) {
        let arguments = [&["check", number], &good[..]].concat();
        assert!(run(raw, decide, &["a"], &arguments).is_err(), "{number} keys at once");
    }
    nothing_was_written(raw);
}

/// Asserts that `adjust` reports each bad argument, and writes nothing.
pub(super) fn adjust_reports_bad_arguments(raw: &mut Connection, adjust: &str) {
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let adjust = &Script::new(adjust);
    let first = ["take", "counter", "5", "1000", "5", "0", "1", "0"];
    let refuses = |raw: &mut Connection, bad: &[&str]| {
        let error = run(raw, adjust, &["a", "b"], &[&first[..], bad].concat()).expect_err("bad");
        assert!(is_told(&error), "{bad:?}: {error}");
    };
    for algorithm in ALGORITHMS {
        let good = ["give", algorithm, "5", "1000", "5", "0", "1", "1"];
        for (at, number) in (2..8).flat_map(|at| NO_INTEGERS.map(|number| (at, number))) {
            let mut bad = good;
            bad[at] = number;
            refuses(raw, &bad);
        }
    }
    for bad in [
        &["lend", "counter", "5", "1000", "5", "0", "1", "1"][..],
        &["give", "unknown", "5", "1000", "5", "0", "1", "1"],
        &["give", "counter", "5", "0", "5", "0", "1", "1"],
        &["take", "concurrency", "5", "1000", "5", "0", "1", "1"],
        &["renew", "counter", "5", "1000", "5", "0", "1", "1"],
        &["block", "sliding_log", "5", "1000", "5", "0", "1", "1"],
        &["open", "concurrency", "5", "1000", "5", "0", "1", "1"],
        &["pause", "sliding_log", "5", "1000", "5", "0", "1", "1"],
        &["block", "counter", "5", "1000", "5", "0", "1", "0"],
        &["pause", "counter", "5", "1000", "5", "0", "1", "0"],
        &["give", "counter", "5", "1000"],
        &[],
    ] {
        refuses(raw, bad);
    }
    refuses(raw, &first.repeat(2));
    nothing_was_written(raw);
}

/// Asserts that a script for single requests reports each bad argument, and writes nothing.
pub(super) fn single_reports_bad_arguments(raw: &mut Connection, name: &str, script: &str) {
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    let script = &Script::new(script);
    let good = ["5", "1000", "5", "1"];
    let number = match name {
        "token_bucket" => 4,
        "sliding_log" => 2,
        _ => 3,
    };
    for (at, bad) in (0..number).flat_map(|at| NO_INTEGERS.map(|bad| (at, bad))).chain([(0, "0")]) {
        let mut arguments = good;
        arguments[at] = bad;
        // These scripts do not reject integers that are too large for a limit.
        if bad.starts_with('9') {
            continue;
        }
        let error = run(raw, script, &["a"], &arguments[..number]).expect_err(name);
        let told = if bad == "0" { error.contains("ratelimit: ") } else { is_told(&error) };
        assert!(told, "{name} {arguments:?}: {error}");
    }
    let missing = run(raw, script, &["a"], &[]).expect_err(name);
    assert!(missing.contains("nil"), "{name}: {missing}");
    nothing_was_written(raw);
}

#[test]
fn single_request_scripts_report_bad_arguments_before_they_write() {
    let server = RedisServer::start();
    for (name, script) in __testing::single_scripts() {
        single_reports_bad_arguments(&mut server.raw(), name, script);
    }
}

#[test]
fn decide_reports_bad_arguments_before_it_writes() {
    let [decide, _] = __testing::scripts();
    decide_reports_bad_arguments(&mut RedisServer::start().raw(), decide);
}

#[test]
fn adjust_reports_bad_arguments_before_it_writes() {
    let [_, adjust] = __testing::scripts();
    adjust_reports_bad_arguments(&mut RedisServer::start().raw(), adjust);
}
