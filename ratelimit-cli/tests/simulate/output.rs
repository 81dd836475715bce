//! Tests of the output of the command.

use crate::harness::{Folder, log_line};

const LIMITS: [&str; 2] = ["counter count=100 time=1m", "token_bucket count=100 time=1m burst=20"];
const TRAFFIC: [&str; 6] = ["--steady", "60/min", "--burst", "100", "--every", "59s"];

#[test]
fn the_table_and_the_chart_of_two_limits() {
    let arguments = [&LIMITS[..], &TRAFFIC, &["--for", "4m", "--width", "60"]].concat();
    let out = Folder::new().run(&arguments).ok();
    let expected = include_str!("expected/two_limits.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/simulate/expected/two_limits.txt");
        std::fs::write(path, &out).unwrap();
        return;
    }
    assert_eq!(out, expected, "run with UPDATE_EXPECT=1 to accept\n{out}");
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for width in ["40", "80", "200"] {
        let arguments = [&LIMITS[..1], &TRAFFIC, &["--width", width]].concat();
        let out = Folder::new().run(&arguments).ok();
        let widest =
            out.lines().filter(|line| line.contains(['█', '─'])).map(|line| line.chars().count()).max();
        assert!(widest.unwrap() <= width.parse::<usize>().unwrap(), "{out}");
    }
}

#[test]
fn a_label_at_the_end_of_the_axis_is_left_out() {
    // The tick of 12:25 is in the last column.
    let log: String = (70..=1505).map(|second| log_line(second, "203.0.113.7", "-", "/")).collect();
    let out = Folder::new().run_with_input(&[LIMITS[0], "--log", "-", "--width", "80"], &log).ok();
    assert!(out.contains("calls per 20s") && out.contains("12:20") && !out.contains("12:25"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}

#[test]
fn output_that_is_not_a_terminal_has_no_colors() {
    let folder = Folder::new();
    assert!(!folder.run(&[LIMITS[0]]).ok().contains('\u{1b}'));
    assert!(folder.run(&[LIMITS[0], "--color", "always"]).ok().contains("\u{1b}[94m█"));
}

#[test]
fn random_traffic_repeats_with_its_seed() {
    let folder = Folder::new();
    let run = |seed| folder.run(&[LIMITS[0], "--callers", "9", "--seed", seed, "--json"]).ok();
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn json_has_the_numbers() {
    let arguments = [&LIMITS[..1], &TRAFFIC, &["--for", "4m", "--json"]].concat();
    let out: serde_json::Value = serde_json::from_str(&Folder::new().run(&arguments).ok()).unwrap();
    assert_eq!(out["traffic"]["calls"], 240 + 500);
    let limit = &out["limits"][0];
    assert_eq!(limit["limit"], LIMITS[0]);
    assert_eq!(limit["admitted"].as_u64().unwrap() + limit["refused"].as_u64().unwrap(), 740);
    // A window starts at 0 s and is used up. The burst at 59 s is refused, and the burst at 118 s is admitted.
    assert!(limit["worst_window"]["units"].as_u64().unwrap() >= 100);
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let folder = Folder::new();
    let mut child = folder
        .command(&[LIMITS[0], "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
