//! The scripts themselves: their headers, and what they do with arguments that no limiter would send.

use ratelimit::RedisStore;
use redis::Value;
use support::RedisServer;

const FILES: [(&str, &str); 4] = [
    ("head.lua", include_str!("../../lua/head.lua")),
    ("counter.lua", include_str!("../../lua/counter.lua")),
    ("token_bucket.lua", include_str!("../../lua/token_bucket.lua")),
    ("decide.lua", include_str!("../../lua/decide.lua")),
];

fn text(file: &str) -> &'static str {
    FILES.iter().find(|(name, _)| *name == file).unwrap().1
}

/// The script as the store sends it, asked with arguments of our own.
fn run(server: &RedisServer, keys: &[&str], arguments: &[&str]) -> Result<Value, String> {
    let mut command = redis::cmd("EVAL");
    command.arg(RedisStore::script()).arg(keys.len()).arg(keys).arg(arguments);
    command.query(&mut server.raw()).map_err(|error| error.to_string())
}

#[test]
fn bad_arguments_are_named_before_anything_is_written() {
    let server = RedisServer::start();
    let good = ["counter", "5", "1000", "5", "1", "1"];
    let after_a_good_run = |bad: &[&str]| {
        [&["charge"], &good[..], bad].concat().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    // Hex and exponents would do no harm: what the script uses is the number, not the text.
    let numbers = ["", "-1", "1.5", "abc", "nan", "inf", "99999999999999999"];
    for (at, what) in [(1, "count"), (2, "time_ms"), (3, "burst"), (4, "n"), (5, "cost")] {
        for number in numbers {
            let mut bad = good;
            bad[at] = number;
            let arguments = after_a_good_run(&bad);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let error = run(&server, &["a", "b"], &arguments).expect_err(what);
            assert!(
                error.contains("ratelimit: ") || error.contains("arithmetic"),
                "{what} = {number:?}: {error}"
            );
        }
    }
    for bad in [
        &["unknown", "5", "1000", "5", "1", "1"][..],
        &["counter", "5", "0", "5", "1", "1"],
        &["counter", "5", "1000", "5", "2", "1"],
        &["counter", "5", "1000"],
        &["counter", "5", "1000", "5", "0", "1"],
    ] {
        let arguments = after_a_good_run(bad);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let error = run(&server, &["a", "b"], &arguments).expect_err("bad arguments");
        assert!(error.contains("ratelimit: ") || error.contains("arithmetic"), "{bad:?}: {error}");
    }
    assert!(run(&server, &["a"], &[&["refund"], &good[..]].concat()).is_err());
    assert!(
        run(&server, &["a", "b"], &[&["charge"], &good[..]].concat()).is_err(),
        "more keys than requests"
    );
    let size: u64 = redis::cmd("DBSIZE").query(&mut server.raw()).unwrap();
    assert_eq!(size, 0, "something was written");
}

#[test]
fn a_foreign_key_spoils_its_own_request_alone() {
    let server = RedisServer::start();
    redis::cmd("RPUSH").arg("list").arg("a").exec(&mut server.raw()).unwrap();
    let answer =
        run(&server, &["a", "list", "b"], &["charge", "counter", "5", "1000", "5", "3", "1", "1", "1"])
            .unwrap();
    let Value::Array(answer) = answer else { panic!("{answer:?}") };
    let delays: Vec<_> = [0, 3, 6].map(|at| answer[at].clone()).into();
    assert_eq!(delays, [Value::Int(0), Value::Int(-((1 << 53) - 2)), Value::Int(0)]);
}

/// Each file says what it is for, and the algorithms say all of their contract.
#[test]
fn headers_state_the_contract() {
    for (name, text) in FILES {
        let stem = name.trim_end_matches(".lua");
        assert!(text.starts_with(&format!("-- {stem}: ")), "{name} does not begin with its purpose");
        assert!(text.lines().all(|line| line.len() <= 150), "{name} has very long lines");
    }
    for name in ["counter.lua", "token_bucket.lua"] {
        for section in ["-- KEYS ", "-- ARGV ", "-- State ", "-- Reply ", "-- Change "] {
            assert!(text(name).contains(section), "{name} has no section {section:?}");
        }
    }
    for section in ["-- KEYS ", "-- ARGV ", "-- Reply ", "-- Errors "] {
        assert!(text("decide.lua").contains(section), "decide.lua has no section {section:?}");
    }
}

/// What would break on some server, or in a cluster, or above 2^53.
#[test]
fn scripts_use_nothing_that_some_server_lacks() {
    for (name, text) in FILES {
        let code: String = text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
        for forbidden in
            ["tostring", "replicate_commands", "#!", "server.", "redis.log", "\"TIME\"", "setresp", "unpack"]
        {
            assert!(!code.contains(forbidden), "{name} uses {forbidden}");
        }
        // Every write leaves or finds a TTL: SET with PX, INCRBY on a key that was read alive.
        for line in code.split("call(\"SET\"").skip(1) {
            assert!(
                line.split(')').next().unwrap().contains("\"PX\"") || line.contains("\"PX\""),
                "{name}: SET without PX"
            );
        }
    }
}
