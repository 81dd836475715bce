//! Tests `--shadow`: which calls a candidate would refuse, and which callers it hits.

use crate::harness::{Folder, log_line};
use std::fs;

const LIMIT: &str = "counter count=100 time=1m";

/// A log of one address with 120 calls in a minute, fifteen addresses with 60 calls, and one address with 3 calls.
fn folder() -> Folder {
    let mut lines = Vec::new();
    for second in 0..60 {
        lines.extend((0..2).map(|_| log_line(second, "203.0.113.1", "-", "/")));
        lines.extend((10..25).map(|last| log_line(second, &format!("203.0.113.{last}"), "-", "/")));
    }
    lines.extend((0..3).map(|_| log_line(59, "203.0.113.99", "-", "/")));
    let folder = Folder::new();
    fs::write(folder.path().join("a.log"), lines.concat()).unwrap();
    folder
}

#[test]
fn the_comparison_counts_callers_and_calls() {
    let out = folder().run(&[LIMIT, "--shadow", "count=50", "--log", "a.log", "--identities", "--json"]).ok();
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    let comparison = &out["comparison"];
    for (name, expected) in [
        ("callers", 17),
        ("callers_refused_in_force", 1),
        ("callers_refused_by_candidate", 16),
        ("callers_newly_refused", 15),
        ("calls_refused_in_force", 20),
        ("calls_refused_by_candidate", 70 + 15 * 10),
    ] {
        assert_eq!(comparison[name], expected, "{name}");
    }
    let hit = comparison["hardest_hit"].as_array().unwrap();
    assert_eq!(hit.len(), 10);
    assert_eq!((&hit[0]["caller"], &hit[0]["refused_by_candidate"]), (&"203.0.113.1".into(), &70.into()));
    assert_eq!(hit[1]["caller"], "203.0.113.10");
}

#[test]
fn the_answer_is_in_plain_words() {
    let folder = folder();
    let run = |candidate: &str, more: &[&str]| {
        let out = folder.run(&[&[LIMIT, "--shadow", candidate, "--log", "a.log"], more].concat()).ok();
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let out = run("count=50", &[]);
    for says in [
        "A counter count=100 time=1m in force B counter count=50 time=1m candidate",
        "With `counter count=50 time=1m` instead of `counter count=100 time=1m`, 16 of 17 callers would have been refused, \
         instead of 1; 15 of them by the candidate alone. 220 of 1023 calls would have been refused, instead of 20.",
        "Callers with more refused calls, the hardest hit first: 10 of 16 (hashed): caller offered refused by A refused by B more",
        " 120 20 70 50 ",
    ] {
        assert!(out.contains(says), "{says}\n{out}");
    }
    let out = run("count=50", &["--identities"]);
    assert!(
        out.contains("hardest hit first: 10 of 16: caller") && out.contains(" 203.0.113.1 120 20 70 50 "),
        "{out}"
    );
    let out = run("count=200", &[]);
    assert!(
        out.contains("time=1m`, 0 of 17 callers would have been refused, instead of 1; 0 of them"),
        "{out}"
    );
    assert!(out.contains("0 of 1023 calls") && !out.contains("hardest"), "{out}");
}

#[test]
fn no_output_contains_an_identity_unless_it_is_asked_for() {
    let folder = folder();
    let files = ["--calls", "calls.csv"];
    let run = |more: &[&str]| {
        let arguments = [&[LIMIT, "--shadow", "count=50", "--log", "a.log"], &files[..], more].concat();
        let printed = folder.run(&arguments).ok();
        printed + &folder.read("calls.csv")
    };
    let hidden = run(&[]);
    assert!(!hidden.contains("203.0.113") && hidden.contains("(hashed):\n"), "{hidden}");
    assert!(!run(&["--json"]).contains("203.0.113"));
    assert_eq!(run(&["--identities"]).matches("203.0.113.1\n").count(), 0);
    assert!(run(&["--identities"]).contains("203.0.113.1"));
}

#[test]
fn a_secret_makes_hashes_comparable() {
    let folder = folder();
    let run = |secret: &str| {
        let mut command = folder.command(&[LIMIT, "--shadow", "count=50", "--log", "a.log", "--json"]);
        let out = command.env("RATELIMIT_HASH_SECRET", secret).output().unwrap().stdout;
        let out: serde_json::Value = serde_json::from_slice(&out).unwrap();
        out["comparison"]["hardest_hit"][0]["caller"].as_str().unwrap().to_owned()
    };
    assert_eq!(run("one"), run("one"));
    assert_ne!(run("one"), run("two"));
    assert_ne!(run(""), run(""));
}
