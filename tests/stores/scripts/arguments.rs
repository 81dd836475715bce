//! The scripts called directly, with arguments and foreign data that no limiter sends.

use ratelimit::__testing;
use redis::Value;
use support::RedisServer;

const ALGORITHMS: [&str; 8] = [
    "counter",
    "token_bucket",
    "token_bucket_interval",
    "leaky_bucket",
    "leaky_bucket_queue",
    "sliding_window",
    "sliding_log",
    "concurrency",
];

/// Texts that are not integers.
const NO_INTEGERS: [&str; 10] =
    ["", "-1", "1.5", "abc", "nan", "-nan", "inf", "0x10", "0X1", "99999999999999999"];

/// The numbers in a reply of `decide`.
#[expect(clippy::cast_possible_truncation, reason = "the numbers are integers below 2^53")]
pub(crate) fn decided(answer: &Value) -> Vec<i64> {
    let Value::BulkString(bytes) = answer else { panic!("{answer:?}") };
    let (numbers, []) = bytes.as_chunks::<8>() else { panic!("{answer:?}") };
    let numbers = numbers.iter().map(|number| f64::from_le_bytes(*number));
    numbers.inspect(|number| assert!(number.fract() == 0.0, "{number}")).map(|number| number as i64).collect()
}

/// Runs a script with any arguments.
fn run(server: &RedisServer, script: &str, keys: &[&str], arguments: &[&str]) -> Result<Value, String> {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(keys.len()).arg(keys).arg(arguments);
    command.query(&mut server.raw()).map_err(|error| error.to_string())
}

fn is_told(error: &str) -> bool {
    ["ratelimit: ", "arithmetic", "not an integer"].iter().any(|words| error.contains(words))
}

fn nothing_was_written(server: &RedisServer) {
    let size: u64 = redis::cmd("DBSIZE").query(&mut server.raw()).unwrap();
    assert_eq!(size, 0, "something was written");
}

#[test]
fn decide_reports_bad_arguments_before_it_writes() {
    let server = RedisServer::start();
    let [decide, _] = __testing::scripts();
    let refuses = |run_before: &str, bad: &[&str], what: &str| {
        let good = [run_before, "5", "1000", "5", "0", "1", "1"];
        for mode in ["check", "charge", "peek"] {
            let arguments = [&[mode, "2"], &good[..], bad].concat();
            let error = run(&server, decide, &["a", "b"], &arguments).expect_err(what);
            assert!(is_told(&error), "{what}: {bad:?}: {error}");
        }
    };
    for algorithm in ALGORITHMS {
        let good = [algorithm, "5", "1000", "5", "0", "1", "1"];
        for (at, what) in [(1, "count"), (2, "time_ms"), (3, "burst"), (4, "wait_ms"), (5, "n"), (6, "cost")]
        {
            for number in NO_INTEGERS.into_iter().filter(|number| (at, *number) != (5, "-1")) {
                let mut bad = good;
                bad[at] = number;
                refuses("counter", &bad, what);
            }
        }
    }
    for bad in [
        &["unknown", "5", "1000", "5", "0", "1", "1"][..],
        &["bucket", "5", "1000", "5", "0", "1", "1"],
        &["counter", "5", "0", "5", "0", "1", "1"],
        &["counter", "5", "1000", "5", "0", "2", "1"],
        &["counter", "5", "1000", "5"],
        &["counter", "5", "1000", "5", "0", "0", "1"],
        &["counter", "5", "1000", "5", "9", "-2", "1"],
        &["counter", "5", "1000", "5", "0", "-2", "0"],
        &["counter", "5", "1000", "5", "0", "0", "1", "counter", "5", "1000", "5", "0", "2", "1"],
    ] {
        refuses("counter", bad, "a run");
    }
    // A single request has a shorter path.
    for (at, number) in (1..7).flat_map(|at| NO_INTEGERS.map(|number| (at, number))) {
        let mut bad = ["counter", "5", "1000", "5", "0", "1", "1"];
        bad[at] = number;
        if (at, number) != (5, "-1") {
            let error =
                run(&server, decide, &["a"], &[&["check", "1"], &bad[..]].concat()).expect_err("alone");
            assert!(is_told(&error), "{bad:?}: {error}");
        }
    }
    for n in ["0", "2", "-2"] {
        let bad = ["check", "0", "counter", "5", "1000", "5", "0", n];
        assert!(run(&server, decide, &["a"], &bad).is_err(), "n = {n} without a cost");
    }
    assert!(
        run(&server, decide, &["a"], &["check", "0", "counter", "5", "1000", "5", "0", "2", "1"]).is_err()
    );
    let good = ["counter", "5", "1000", "5", "0", "1", "1"];
    assert!(run(&server, decide, &["a"], &[&["refund", "1"], &good[..]].concat()).is_err());
    assert!(run(&server, decide, &["a", "b"], &[&["check", "2"], &good[..]].concat()).is_err(), "more keys");
    for number in NO_INTEGERS.into_iter().chain(["2"]) {
        let arguments = [&["check", number], &good[..]].concat();
        assert!(run(&server, decide, &["a"], &arguments).is_err(), "{number} keys at once");
    }
    nothing_was_written(&server);
}

#[test]
fn adjust_reports_bad_arguments_before_it_writes() {
    let server = RedisServer::start();
    let [_, adjust] = __testing::scripts();
    let first = ["take", "counter", "5", "1000", "5", "0", "1", "0"];
    let refuses = |bad: &[&str]| {
        let error = run(&server, adjust, &["a", "b"], &[&first[..], bad].concat()).expect_err("bad");
        assert!(is_told(&error), "{bad:?}: {error}");
    };
    for algorithm in ALGORITHMS {
        let good = ["give", algorithm, "5", "1000", "5", "0", "1", "1"];
        for (at, number) in (2..8).flat_map(|at| NO_INTEGERS.map(|number| (at, number))) {
            let mut bad = good;
            bad[at] = number;
            refuses(&bad);
        }
    }
    for bad in [
        &["lend", "counter", "5", "1000", "5", "0", "1", "1"][..],
        &["give", "unknown", "5", "1000", "5", "0", "1", "1"],
        &["give", "counter", "5", "0", "5", "0", "1", "1"],
        &["take", "concurrency", "5", "1000", "5", "0", "1", "1"],
        &["renew", "counter", "5", "1000", "5", "0", "1", "1"],
        &["give", "counter", "5", "1000"],
    ] {
        refuses(bad);
    }
    nothing_was_written(&server);
}

#[test]
fn single_request_scripts_report_bad_arguments_before_they_write() {
    let server = RedisServer::start();
    for (name, script) in __testing::single_scripts() {
        let good = ["5", "1000", "5", "1"];
        let number = if name == "token_bucket" {
            4
        } else if name == "sliding_log" {
            2
        } else {
            3
        };
        for (at, bad) in (0..number).flat_map(|at| NO_INTEGERS.map(|bad| (at, bad))) {
            let mut arguments = good;
            arguments[at] = bad;
            // An integer beyond all limits is used as it is.
            if bad == "99999999999999999" {
                continue;
            }
            let error = run(&server, script, &["a"], &arguments[..number]).expect_err(name);
            assert!(is_told(&error), "{name} {arguments:?}: {error}");
        }
        let missing = run(&server, script, &["a"], &[]).expect_err(name);
        assert!(missing.contains("nil"), "{name}: {missing}");
    }
    nothing_was_written(&server);
}

/// Keys with foreign data: another type, text, or a number without a TTL.
#[test]
fn foreign_data_affects_only_its_own_request_and_stays() {
    let server = RedisServer::start();
    let [decide, adjust] = __testing::scripts();
    let mut raw = server.raw();
    let make: [&[&str]; 5] = [
        &["SET", "foreign", "something"],
        &["SET", "foreign", "something", "PX", "100000"],
        &["HSET", "foreign", "field", "value"],
        &["RPUSH", "foreign", "something"],
        &["ZADD", "foreign", "5", "something"],
    ];
    for algorithm in ALGORITHMS {
        for command in make {
            let fits = matches!((algorithm, command[0]), ("sliding_log", "RPUSH") | ("concurrency", "ZADD"));
            if fits {
                continue;
            }
            redis::cmd("FLUSHALL").exec(&mut raw).unwrap();
            redis::cmd(command[0]).arg(&command[1..]).exec(&mut raw).unwrap();
            let dump: Vec<u8> = redis::cmd("DUMP").arg("foreign").query(&mut raw).unwrap();
            for (mode, at_once) in [("charge", "3"), ("charge", "0"), ("charge", "2"), ("peek", "3")] {
                let three = [mode, at_once, algorithm, "5", "1000", "5", "0", "3", "1"];
                let keys = [&format!("a{mode}{at_once}"), "foreign", &format!("b{mode}{at_once}")];
                let answer = decided(&run(&server, decide, &keys, &three).unwrap());
                // In mode `charge` there are four numbers for each request. In mode `peek`, one that passes has one.
                let delay = answer[if mode == "peek" { 1 } else { 4 }];
                assert_eq!(delay, -((1 << 53) - 2), "{algorithm} {command:?} {mode} {at_once}");
                assert_eq!(answer.iter().filter(|number| **number == delay).count(), 1, "{algorithm} {mode}");
            }
            for what in
                ["give", "take"].into_iter().filter(|what| (*what, algorithm) != ("take", "concurrency"))
            {
                let adjusted =
                    run(&server, adjust, &["foreign"], &[what, algorithm, "5", "1000", "5", "0", "1", "1"]);
                assert_eq!(
                    adjusted.unwrap(),
                    Value::Array(vec![Value::Int(0)]),
                    "{what} {algorithm} {command:?}"
                );
            }
            for (_, script) in __testing::single_scripts().iter().filter(|(name, _)| *name == algorithm) {
                let arguments: &[&str] = match algorithm {
                    "token_bucket" => &["5", "1000", "5", "1"],
                    "sliding_log" => &["5", "1000"],
                    _ => &["5", "1000", "1"],
                };
                let found = run(&server, script, &["foreign"], arguments);
                assert!(matches!(found, Err(_) | Ok(Value::Nil)), "{algorithm}: {found:?}");
            }
            let after: Vec<u8> = redis::cmd("DUMP").arg("foreign").query(&mut raw).unwrap();
            assert_eq!(dump, after, "{algorithm} {command:?}: the key was changed");
        }
    }
}
