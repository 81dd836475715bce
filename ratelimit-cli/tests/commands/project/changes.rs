//! Tests of limits that clash, and of limits that have changed.

use super::Project;
use std::fs;

#[test]
fn functions_with_one_name_and_different_limits_clash() {
    let library = |second: &str| {
        format!(
            "#[rate_limit(key = \"a\", count = 5)] async fn a() -> Result<(), Rejection> {{ Ok(()) }}\n#[rate_limit(key = \"a\", {second})] async fn b() -> Result<(), Rejection> {{ Ok(()) }}"
        )
    };
    for (second, clashes) in [
        ("count = 6", true),
        ("count = 5, time = \"1h\"", true),
        ("count = 5, algorithm = \"sliding_log\"", true),
        ("count = 5, algorithm = \"token_bucket\"", true),
        ("count = 5, block = \"1m\", by = \"ip\"", true),
        ("count = 5, time = \"day\"", true),
        ("count = 5", false),
        ("count = 5, time = \"60s\", by = \"ip\"", false),
        ("count = MAX", false),
        ("limit = plan", false),
    ] {
        let project = Project::of("clashes", &library(second));
        let ran = project.run(&["list"]).exits(i32::from(clashes));
        assert_eq!(
            ran.err.contains("src/lib.rs:2: the limit `a` is counter count="),
            clashes && !second.contains("algorithm"),
            "{second}"
        );
        assert_eq!(
            ran.err.contains("do not share a state"),
            second.contains("algorithm"),
            "{second} {ran:?}"
        );
        assert_eq!(
            ran.err.contains("counter count=5 time=1m in src/lib.rs:1: functions with one name"),
            clashes,
            "{second} {ran:?}"
        );
    }
    let bin = |name: &str| {
        format!(
            "#[rate_limit(key = \"a\", count = 1)] async fn {name}() -> Result<(), Rejection> {{ Ok(()) }}"
        )
    };
    let two = |count: &str| bin("x").replace("count = 1", count);
    let (first, second) = (two("count = 1"), two("count = 2"));
    let project = Project::new(
        "programs",
        &[("src/lib.rs", ""), ("src/bin/one.rs", &first), ("src/bin/two.rs", &second)],
    );
    project.run(&["list"]).exits(0);
    project.write("src/lib.rs", &bin("lib"));
    project.run(&["list"]).exits(1).complains(&["src/bin/two.rs:1", "src/lib.rs:1"]);
}

#[test]
fn a_changed_limit_does_not_pass_the_check() {
    let library = |count: &str| {
        format!(
            "\n#[rate_limit(key = \"login\", {count})] async fn login() -> Result<(), Rejection> {{ Ok(()) }}\n#[rate_limit(key = \"mail\")] async fn mail() -> Result<(), Rejection> {{ Ok(()) }}"
        )
    };
    let project = Project::of("check", &library("count = 5"));
    project
        .run(&["check"])
        .exits(1)
        .complains(&["ratelimits.json does not exist", "cargo ratelimit check --write"]);
    project.run(&["check", "--write"]).exits(0).says(&["wrote 2 limits"]);
    let committed = project.read("ratelimits.json");
    assert!(!committed.contains("\"line\"") && committed.ends_with("}\n"), "{committed}");
    project.run(&["check"]).exits(0).says(&["2 limits, no change"]);

    // A limit that moves to another line has not changed.
    project.write("src/lib.rs", &format!("// A line.\n{}", library("count = 5")));
    project.run(&["check"]).exits(0);
    project.run(&["check", "--write"]).exits(0);
    assert_eq!(project.read("ratelimits.json"), committed);

    project.write("src/lib.rs", &library("count = 500, by = \"ip\"").replace("mail", "post"));
    project
        .run(&["check"])
        .exits(1)
        .says(&[
            "changed  `login`: by from global to ip, count from 5 to 500  (shop::login, src/lib.rs:2)\n",
            "new      `post`: counter count=100 time=1m, by \"global\"  (shop::post, src/lib.rs:3)\n",
            "removed  `mail`: counter count=100 time=1m  (shop::mail, src/lib.rs)\n",
        ])
        .complains(&["differ from", "add `--write` to this command, and commit the file"]);
    assert_eq!(project.read("ratelimits.json"), committed, "a check writes nothing");

    // The JSON of `list` is also accepted.
    let listed = project.run(&["list", "--json"]).exits(0).out;
    project.write("listed.json", &listed);
    project.run(&["check", "--file", "listed.json"]).exits(0);

    for (text, why) in [
        ("{", "is not a manifest of limits"),
        ("{\"version\": 1}", "is not a manifest of limits"),
        ("{\"version\": 2, \"limits\": []}", "has version 2"),
    ] {
        project.write("ratelimits.json", text);
        project.run(&["check"]).exits(1).complains(&[why]);
    }
    let ran = project.run(&["check", "--write", "--file", "no/folder.json"]).exits(1);
    ran.complains(&["cannot write `no/folder.json`"]);
    assert!(
        fs::read_dir(&project.0).unwrap().all(|entry| !entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with(".tmp"))
    );
}
