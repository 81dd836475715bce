//! Tests bad input: each mistake has a message that says what to write, and the exit code 2.

use crate::harness::Folder;

const LIMIT: &str = "counter count=100 time=1m";

#[test]
fn wrong_command_lines_are_explained() {
    let folder = Folder::new();
    for (arguments, says) in [
        (&[][..], "<LIMIT>"),
        (&["counter count=1"], "a limit needs a `count` and a `time`"),
        (&["conter count=1 time=1s"], "unknown algorithm `conter`"),
        (&["counter count=1 time=0s"], "1 ms"),
        (&[LIMIT, "--for", "0s"], "a length of time must be at least 1 ms"),
        (&["sliding_log count=20000 time=1m"], "10000"),
        (&[LIMIT, "--steady", "120"], "write calls per time, as in `120/min`"),
        (&[LIMIT, "--steady", "5/week"], "write a week as `7d`"),
        (&[LIMIT, "--burst", "0"], "0 is not in 1..=10000000"),
        (&[LIMIT, "--every", "30s"], "--burst"),
        (&[LIMIT, "--poisson", "10/s", "--for", "10"], "`10` has no unit"),
        (&[LIMIT, "--poisson", "1000/s", "--for", "1d"], "86400000 calls; expected at most 10000000"),
        (&[LIMIT, "--steady", "1/s", "--log", "a.log"], "cannot be used with"),
        (&[LIMIT, "--by", "user"], "--log"),
        (&[LIMIT, "--skew", "6"], "a number from 0 to 5"),
        (&[LIMIT, "--callers", "0"], "0 is not in 1..=1000000"),
        (&[LIMIT, "--width", "10"], "10 is not in 40..=400"),
        (&["concurrency count=5 time=30s"], "its turns depend on how long calls run"),
        (&[LIMIT, LIMIT, "--shadow", "count=50"], "write one LIMIT"),
        (&[LIMIT, "--shadow", "cuont=50"], "unknown field `cuont=50`"),
        (&[LIMIT, "--shadow", "burst=50"], "`burst` needs a bucket"),
    ] {
        let error = folder.run(arguments).failed(2);
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn traffic_without_a_call_is_an_error() {
    let error = Folder::new().run(&[LIMIT, "--poisson", "1/day", "--for", "1ms"]).failed(2);
    assert!(error.contains("no call within 1ms"), "{error}");
}

#[test]
fn a_limit_that_refuses_everything_is_simulated() {
    let out = Folder::new().run(&["counter count=0 time=1m", "--steady", "60/min"]).ok();
    assert!(out.contains("600 (100 %)") && out.contains("A: 600 calls can never pass"), "{out}");
}
