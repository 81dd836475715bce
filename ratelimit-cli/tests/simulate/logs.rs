//! Tests logs that are replayed by address, by user and by path, logs with broken lines, and files that are not logs.

use crate::harness::{Folder, log_line};
use std::fs;

const LIMIT: &str = "counter count=5 time=1m";

/// Ten calls of one address in ten seconds, and one call of another address.
fn log() -> String {
    let busy = (0..10).map(|second| log_line(second, "203.0.113.7", "ann", "/login"));
    busy.chain([log_line(30, "203.0.113.8", "-", "/")]).collect()
}

fn json(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&folder.run(&[arguments, &["--json"]].concat()).ok()).unwrap()
}

#[test]
fn each_address_has_its_own_limit() {
    let folder = Folder::new();
    fs::write(folder.path().join("a.log"), log()).unwrap();
    let out = json(&folder, &[LIMIT, "--log", "a.log"]);
    let limit = &out["limits"][0];
    assert_eq!((&limit["admitted"], &limit["refused"]), (&6.into(), &5.into()));
    assert_eq!(limit["callers_refused"], 1);
    assert_eq!(
        (&out["traffic"]["start"], &out["traffic"]["seconds"]),
        (&"2026-11-22T12:00:00Z".into(), &31.0.into())
    );
    let by_user = json(&folder, &[LIMIT, "--log", "a.log", "--by", "user"]);
    assert_eq!((&by_user["traffic"]["calls"], &by_user["limits"][0]["refused"]), (&10.into(), &5.into()));
    let by_path = json(&folder, &[LIMIT, "--log", "a.log", "--path", "/login", "--by", "global"]);
    assert_eq!((&by_path["traffic"]["calls"], &by_path["traffic"]["callers"]), (&10.into(), &1.into()));
}

#[test]
fn a_log_can_come_from_the_standard_input() {
    let out = Folder::new().run_with_input(&[LIMIT, "--log", "-"], &log()).ok();
    assert!(out.contains("11 calls in 31s of the log, 2 addresses"), "{out}");
    assert!(out.contains("time of day (UTC)"), "{out}");
}

#[test]
fn broken_lines_and_lines_out_of_order_are_counted() {
    let text = log() + "broken\n" + &log_line(3, "203.0.113.9", "-", "/") + "\u{0}\n";
    let out = Folder::new().run_with_input(&[LIMIT, "--log", "-", "--width", "400"], &text).ok();
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("Broken lines, which were left out: 2 of 14. The first one is line 12"),
        "{words}"
    );
    assert!(words.contains("Lines that are earlier than a line before them: 1, by up to 27 s"), "{words}");
}

#[test]
fn a_table_is_a_log_and_so_is_a_file_of_calls() {
    let folder = Folder::new();
    let table = "time,caller,calls,seconds\n\
        2026-11-22T12:00:00Z,203.0.113.7,120,60\n\
        2026-11-22T12:00:00Z,203.0.113.8,40,60\n";
    fs::write(folder.path().join("usage.csv"), table).unwrap();
    let limit = "counter count=100 time=1m";
    let out = folder.run(&[limit, "--shadow", "count=50", "--log", "usage.csv", "--width", "400"]).ok();
    for says in [
        "Traffic: 160 calls in 1m of usage.csv, 2 callers.",
        "1 of 2 callers would have been refused, instead of 1; 0 of them by the candidate alone.",
        "70 of 160 calls would have been refused, instead of 20.",
        "(hashed)",
        "spread evenly",
    ] {
        assert!(out.contains(says), "{says}\n{out}");
    }
    assert!(!out.contains("203.0.113"), "{out}");
    let calls = ["--log", "usage.csv", "--calls", "calls.csv", "--identities"];
    let first = json(&folder, &[&[limit], &calls[..]].concat());
    let again = json(&folder, &[limit, "--log", "calls.csv"]);
    assert_eq!((&first["limits"], &again["traffic"]["callers"]), (&again["limits"], &2.into()));
    let error = folder.run(&[limit, "--log", "usage.csv", "--path", "/login"]).failed(1);
    assert!(error.contains("leave out `--path`"), "{error}");
}

#[test]
fn a_log_without_calls_has_the_exit_code_1() {
    let folder = Folder::new();
    fs::write(folder.path().join("a.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    for (name, text, says) in [
        ("none.log", None, "cannot read `none.log`: "),
        ("empty.log", Some(""), "it is empty"),
        (
            "a.html",
            Some("<!doctype html>\n<html>\n"),
            "none of its 2 lines is in the combined format; line 1: ",
        ),
        ("a.gz", None, "zcat FILE | ratelimit simulate"),
        (".", None, "cannot read `.`: "),
    ] {
        if let Some(text) = text {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let error = folder.run(&[LIMIT, "--log", name, "--calls", "a.csv"]).failed(1);
        assert!(error.contains(says), "{name}: {error}");
    }
    assert!(!folder.names().contains(&"a.csv".to_owned()));
}

#[test]
fn ceilings_are_compared_with_estimates_that_learn() {
    let row = |call: u32| format!("{},all,4096,{},90\n", 1_795_347_360 + call, 200 + call % 200);
    let rows: String = (0..2400).map(row).collect();
    let run = |titles: &str| {
        let arguments = ["token_bucket count=20000 time=1m", "--by", "global", "--log", "-", "--json"];
        let out = Folder::new().run_with_input(&arguments, &format!("{titles}\n{rows}")).ok();
        serde_json::from_str::<serde_json::Value>(&out).unwrap()["notes"].to_string()
    };
    let notes = run("time,caller,ceiling,used,seconds");
    let passed = |after: &str| {
        let number = notes.split_once(after).unwrap_or_else(|| panic!("{notes}")).1;
        number.split(' ').next().unwrap().parse::<u32>().unwrap()
    };
    let (ceilings, learned) = (passed("A: charged their ceilings, "), passed("charged by `learn`, "));
    assert!(learned > 4 * ceilings, "{notes}");
    assert!(notes.contains("one class for all calls"), "{notes}");
    assert!(!run("time,caller,most,spent,seconds").contains("learn"), "{notes}");
}
