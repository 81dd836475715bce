//! The limits that `cargo ratelimit list` finds, and the errors that it reports.

use super::{Project, run_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The names and lines of limits.
fn places(limits: &[Value]) -> Vec<(&str, u64)> {
    limits.iter().map(|limit| (limit["name"].as_str().unwrap(), limit["line"].as_u64().unwrap())).collect()
}

#[test]
fn a_limit_is_described_with_all_its_arguments() {
    let project = Project::of(
        "described",
        r#"
use ratelimit::rate_limit;
#[rate_limit(key = "login", time = "1h30m", count = LOGINS /* a day */, by = ("ip", user.id), cost = 2, on_error = "deny",
    skip_if = user . is_admin, refund_if = Result::is_ok)]
pub async fn login(user: User) -> Result<(), Error> { Ok(()) }
"#,
    );
    let expected = json!([{
        "name": "login", "package": "shop", "target": "lib", "function": "shop::login", "file": "src/lib.rs", "line": 3,
        "algorithm": "counter", "count": { "expression": "LOGINS" }, "time": "90m",
        "by": ["ip", { "expression": "user.id" }], "cost": 2, "on_error": "deny",
        "skip_if": { "expression": "user . is_admin" }, "refund_if": { "expression": "Result::is_ok" },
    }]);
    assert_eq!(Value::from(project.limits(&[])), expected);
    project.run(&["list"]).exits(0).says(&[
        "NAME",
        "login  counter count=LOGINS time=90m  \"ip\", user.id  deny",
        "src/lib.rs:3",
        "1 limit\n",
    ]);
}

#[test]
fn a_window_of_the_calendar_and_kept_units_are_described() {
    let project = Project::of(
        "calendar",
        r#"
use ratelimit::rate_limit;
#[rate_limit(key = "mails", time = "month", zone = "+01:00", count = 500, by = user, keep = if paid { 0 } else { 20 })]
pub async fn mail(user: u64, paid: bool) -> Result<(), Error> { Ok(()) }
"#,
    );
    let expected = json!([{
        "name": "mails", "package": "shop", "target": "lib", "function": "shop::mail", "file": "src/lib.rs", "line": 3,
        "algorithm": "counter", "count": 500, "time": "month", "zone": "+01:00",
        "by": [{ "expression": "user" }], "keep": { "expression": "if paid { 0 } else { 20 }" },
    }]);
    assert_eq!(Value::from(project.limits(&[])), expected);
    project.run(&["list"]).exits(0).says(&["mails  counter count=500 time=month zone=+01:00"]);
}

#[test]
fn blocks_and_pauses_are_described() {
    let project = Project::of(
        "blocks",
        r#"
use ratelimit::rate_limit;
#[rate_limit(key = "login", count = 5, by = "global", block = ["1m", "600s", HOUR])]
pub async fn login() -> Result<(), Error> { Ok(()) }
#[rate_limit(key = "partner", count = 50, by = "global", block = "15m", pause_if = later)]
pub async fn ask() -> Result<(), Error> { Ok(()) }
"#,
    );
    let limits = project.limits(&[]);
    assert_eq!(limits[0]["block"], json!(["1m", "10m", { "expression": "HOUR" }]));
    assert_eq!(
        (&limits[1]["block"], &limits[1]["pause_if"]),
        (&json!(["15m"]), &json!({ "expression": "later" }))
    );
    project.run(&["list"]).exits(0).says(&["partner  counter count=50 time=1m block=15m"]);
}

#[test]
fn limits_are_found_wherever_they_are() {
    let library = r#"
mod api;
#[path = "elsewhere/named.rs"] mod renamed;
include!("part.rs");
use ratelimit::{Rejection, rate_limit as limit};
#[limit(key = "renamed")] async fn a() -> Result<(), Rejection> { Ok(()) }
#[::ratelimit::rate_limit(key = "path")] async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "stack", time = 1)]
#[rate_limit(key = "stack", time = "1d")]
async fn c() -> Result<(), Rejection> {
    #[rate_limit] async fn inner() -> Result<(), Rejection> { Ok(()) }
    inner().await
}
mod inline { mod deep { #[rate_limit(shadow = true)] async fn d() -> Result<(), Rejection> { Ok(()) } } }
struct Api;
#[rate_limit(count = 3, by = "ip")]
impl Api {
    async fn first(&self) -> Result<(), Rejection> { Ok(()) }
    #[rate_limit(skip)] async fn second(&self) -> Result<(), Rejection> { Ok(()) }
    #[rate_limit(key = "own")] async fn third(&self) -> Result<(), Rejection> { Ok(()) }
    fn fourth(&self) {}
}
trait Service {
    #[rate_limit(key = "trait")] async fn e() -> Result<(), Rejection> { Ok(()) }
}
#[cfg_attr(feature = "limits", rate_limit(key = "feature"))] async fn f() -> Result<(), Rejection> { Ok(()) }
#[cfg_attr(not(test), rate_limit(key = "either", count = 5))]
#[cfg_attr(test, rate_limit(key = "either", count = 500))]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[other::rate_limit(5)] async fn foreign() {}
#[other::rewrites]
#[rate_limit(key = "rewritten", fallible)] async fn h() -> Result<(), Rejection> { Ok(()) }
macro_rules! unread { () => { #[rate_limit(key = "unread")] async fn i() -> Result<(), Rejection> { Ok(()) } } }
#[cfg(test)] mod tests { #[rate_limit(key = "of a test")] async fn j() -> Result<(), Rejection> { Ok(()) } }
"#;
    let one = |key: &str| {
        format!("#[rate_limit(key = {key:?})] async fn x() -> Result<(), Rejection> {{ Ok(()) }}\n")
    };
    let project = Project::new(
        "places",
        &[
            ("src/lib.rs", library),
            ("src/api/mod.rs", "pub mod v1;"),
            ("src/api/v1.rs", "#[rate_limit] async fn x() -> Result<(), Rejection> { Ok(()) }"),
            ("src/elsewhere/named.rs", &one("named")),
            ("src/part.rs", &one("included")),
            ("src/no_module.rs", &one("no module")),
            ("src/bin/tool.rs", &one("binary")),
            ("tests/all.rs", &one("integration")),
            ("examples/demo.rs", &one("example")),
        ],
    );
    let limits = project.limits(&[]);
    let expected = [
        ("binary", 1),
        ("shop::api::v1::x", 1),
        ("named", 1),
        ("renamed", 6),
        ("path", 7),
        ("stack/1s", 8),
        ("stack/1d", 9),
        ("shop::inner", 11),
        ("shop::inline::deep::d/shadow", 14),
        ("shop::first", 18),
        ("own", 20),
        ("trait", 24),
        ("feature", 26),
        ("either", 27),
        ("rewritten", 32),
        ("included", 1),
    ];
    assert_eq!(places(&limits), expected);
    let of = |name: &str| limits.iter().find(|limit| limit["name"] == name).unwrap();
    assert_eq!(of("shop::inner")["function"], "shop::c::inner");
    assert_eq!(of("shop::first")["function"], "shop::Api::first");
    assert_eq!(of("trait")["function"], "shop::Service::e");
    assert_eq!(of("feature")["cfg"], "feature = \"limits\"");
    assert_eq!((&of("either")["count"], &of("either")["cfg"]), (&json!(5), &json!("not(test)")));
    assert_eq!(of("binary")["target"], "bin tool");
    let all = project.limits(&["--all-targets"]);
    for name in ["of a test", "integration", "example"] {
        assert!(all.iter().any(|limit| limit["name"] == name), "{name}");
    }
    assert_eq!(all.iter().filter(|limit| limit["name"] == "either").count(), 2);
    assert_eq!(all.len(), limits.len() + 4);
}

#[test]
fn errors_have_file_and_line_and_hide_no_other_limit() {
    let project = Project::new(
        "errors",
        &[
            (
                "src/lib.rs",
                "mod broken;\nmod missing;\n\n#[rate_limit(tiem = 60, count = 0)] async fn a() {}\n#[rate_limit]\nfn b() {}\n#[rate_limit] struct S;\n#[rate_limit(key = \"good\")] async fn c() -> Result<(), Rejection> { Ok(()) }",
            ),
            ("src/broken.rs", "fn fine() {}\nfn broken( {}\n"),
        ],
    );
    let ran = project.run(&["list"]).exits(1).says(&["good", "1 limit\n"]).complains(&[
        "error: src/broken.rs:2: cannot parse this file, so its limits are missing: a bracket or a quote",
        "error: src/missing.rs: cannot find this file of a module",
        "error: src/lib.rs:4: unknown argument `tiem`; did you mean `time`?",
        "error: src/lib.rs:4: `count` must be at least 1",
        "error: src/lib.rs:6: `#[rate_limit]` awaits a decision",
        "error: src/lib.rs:7: `#[rate_limit]` goes on an `async fn` or an `impl` block, not on a struct",
    ]);
    assert_eq!(ran.err.lines().count(), 6, "{}", ran.err);
    let problems = project.run(&["list", "--json"]).exits(1).json();
    assert_eq!(problems["problems"][0]["kind"], "source");
    assert_eq!(problems["problems"].as_array().unwrap().len(), 6);
    project.run(&["check", "--write"]).exits(1).complains(&["was not written, because of these errors"]);
    assert!(!project.0.join("ratelimits.json").exists());
}

#[test]
fn a_wrong_command_line_is_explained() {
    let project = Project::of("command_line", "");
    project.run(&["list"]).exits(0).says(&["no limits\n"]);
    project.run(&["list", "--package", "shp"]).exits(2).complains(&["no package `shp`"]);
    project.run(&["top"]).exits(2).complains(&["run `ratelimit top`"]);
    project.run(&["lst"]).exits(2).complains(&["unknown command `lst`"]);
    project.run(&["list", "--manifest-path", "no/Cargo.toml"]).exits(2).complains(&["no/Cargo.toml"]);
    project.run(&["--help"]).exits(0).says(&["list", "check", "Exit codes:"]);
    project.write("Cargo.toml", "[package");
    let ran = project.run(&["list"]).exits(2).complains(&["error: "]);
    assert!(!ran.err.contains("error: error"), "{}", ran.err);
}

#[test]
fn all_limits_of_the_examples_are_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let ran = run_in(
        root,
        &[
            "list",
            "--all-targets",
            "--json",
            "--package",
            "ratelimit-examples",
            "--package",
            "ratelimit-framework-examples",
            "--package",
            "ratelimit-observability-examples",
            "--package",
            "ratelimit-openapi-example",
            "--package",
            "ratelimit-sqlite-example",
        ],
    );
    let listed = ran.exits(0).json()["limits"].as_array().unwrap().len();
    let mut folders = vec![root.join("examples")];
    let mut written = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(path).unwrap();
                written += text.lines().filter(|line| line.trim_start().starts_with("#[rate_limit(")).count();
            }
        }
    }
    assert!(written >= 20, "only {written} found");
    assert_eq!(listed, written);
}

#[test]
fn a_shadow_limit_does_not_look_enforced() {
    let project = Project::of(
        "shadow",
        "#[rate_limit(key = \"a\", shadow = trial())] async fn a() -> Result<(), Rejection> { Ok(()) }\n\
         #[rate_limit(key = \"b\", shadow = true)] async fn b() -> Result<(), Rejection> { Ok(()) }\n\
         #[rate_limit(key = \"c\")] async fn c() -> Result<(), Rejection> { Ok(()) }",
    );
    project.run(&["list"]).exits(0).says(&[
        "a         counter count=100 time=1m (maybe shadow)  \"global\"",
        "b/shadow  counter count=100 time=1m (shadow)        \"global\"",
        "c         counter count=100 time=1m                 \"global\"",
    ]);
}

#[test]
fn code_that_is_nested_too_deeply_is_an_error() {
    let nested =
        |levels: usize| format!("fn deep() -> u8 {{ {}1{} }}\n", "(".repeat(levels), ")".repeat(levels));
    let limited = "#[rate_limit(key = \"a\")] async fn a() -> Result<(), Rejection> { Ok(()) }\n";
    let project = Project::of("deep", &(limited.to_owned() + &nested(60_000)));
    for arguments in [&["list"][..], &["check"], &["check", "--write"]] {
        project.run(arguments).exits(2).complains(&["error: src/lib.rs is nested too deeply to be parsed"]);
    }
    project.write("src/lib.rs", &(limited.to_owned() + &nested(4000)));
    project.run(&["list"]).exits(0).says(&["1 limit\n"]);
}
