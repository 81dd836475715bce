//! The limiter of a process: installed before the first call, or built by the first call from `RATELIMIT_URL` and
//! `RATELIMIT_TRUSTED_PROXIES`.

use std::process::Command;
use support::RedisServer;

/// Runs a process. Returns the lines that it prints, and its log.
fn run(url: Option<&str>, steps: &[&str]) -> (Vec<String>, String) {
    run_with(url.map(|url| ("RATELIMIT_URL", url)).as_slice(), steps)
}

/// Runs a process with these environment variables, and with no other variables of this library.
fn run_with(variables: &[(&str, &str)], steps: &[&str]) -> (Vec<String>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_default_limiter_process"));
    for name in ["URL", "PREFIX", "HASH_SECRET", "TRUSTED_PROXIES", "OFF"] {
        command.env_remove(format!("RATELIMIT_{name}"));
    }
    command.args(steps).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let [printed, logged] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.success(), !steps.contains(&"return error"), "{logged}");
    (printed.lines().map(str::to_owned).collect(), logged)
}

#[test]
fn without_a_url_limits_are_kept_in_memory_with_one_warning() {
    let (printed, logged) = run(None, &["call", "call", "call"]);
    assert_eq!(printed[..2], ["passed", "passed"]);
    assert!(printed[2].starts_with("refused: too many requests: try again in 60 minutes"), "{printed:?}");
    assert_eq!(logged.matches("WARN").count(), 1, "{logged}");
    assert!(logged.contains("kept in memory and apply only to this process"), "{logged}");
}

#[test]
fn the_environment_names_a_server_that_all_processes_share() {
    // The environment sets no deadline, so the default of 100 ms applies. If the machine stalls for longer, each process counts
    // by itself and logs a warning.
    let without_outage = (0..20).find_map(|_| {
        let server = RedisServer::start();
        let [first, second] = [1, 2].map(|calls| run(Some(&server.url()), &["call", "call"][..calls]));
        (!first.1.contains("WARN") && !second.1.contains("WARN")).then_some((first.0, second))
    });
    let (first, (printed, logged)) = without_outage.expect("a run without an outage");
    assert_eq!(first, ["passed"]);
    assert_eq!(printed[0], "passed");
    assert!(printed[1].starts_with("refused: "), "{printed:?}");
    // With the feature `trace`, the log has a line about the refusal.
    assert!(logged.lines().all(|line| line.contains("INFO ratelimit::refusals: ")), "{logged}");
}

#[test]
fn without_a_subscriber_the_first_error_is_on_stderr() {
    let wrong = Some("http://:sesame@localhost");
    let (printed, said) = run(wrong, &["unheard", "call", "call"]);
    assert!(printed.iter().all(|line| line.starts_with("unavailable: ")), "{printed:?}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("ratelimit: cannot decide about this limit; rejecting its calls: RATELIMIT_URL: ")
    );
    assert!(said.contains("limit `twice`") && !said.contains("sesame"), "{said}");
    assert_eq!(run(wrong, &["filtered", "call", "call"]).1, "", "a subscriber that filters was asked");
    assert_eq!(run(None, &["unheard", "call", "call", "call"]).1, "", "a refusal is no error");
}

#[test]
fn a_main_that_returns_an_error_prints_its_message() {
    let (_, said) = run(Some("http://localhost"), &["filtered", "return error"]);
    let first = "Error: temporarily unavailable: try again in 1 second (limit `twice`)\n\nCaused by:\n    RATELIMIT_URL: ";
    assert!(said.starts_with(first), "{said}");
}

#[test]
fn a_wrong_url_in_the_environment_rejects_all_calls() {
    for (url, says) in [
        ("", "it is empty"),
        ("http://:sesame@localhost", "unknown scheme; expected"),
        ("redis://:sesame@localhost\n", "it ends with a line break; remove it"),
        ("redis://:sesame@localhost:port", "the port is no number"),
    ] {
        let (printed, logged) = run(Some(url), &["call", "call"]);
        assert_eq!(logged.matches("ERROR").count(), 1, "{logged}");
        assert!(!logged.contains("sesame"), "{logged}");
        assert!(printed[0].starts_with("unavailable: ") && printed[0].contains(says), "{url}: {printed:?}");
        assert!(!printed[0].contains("sesame"), "{printed:?}");
        assert!(printed[0].contains("RATELIMIT_URL: "), "the message must name the variable: {printed:?}");
    }
}

#[test]
fn a_builder_warns_that_it_does_not_read_the_environment() {
    let (printed, logged) = run(Some("redis://:sesame@localhost"), &["build"]);
    assert_eq!(printed, ["built"]);
    assert_eq!(logged.matches("WARN").count(), 1, "{logged}");
    assert!(logged.contains("RATELIMIT_URL") && !logged.contains("sesame"), "{logged}");
    assert_eq!(run(None, &["build"]), (vec!["built".to_owned()], String::new()));
}

#[test]
fn wrong_proxies_in_the_environment_reject_all_calls() {
    for (proxies, says) in [
        ("", "it is empty; remove the variable"),
        ("10.0.0.0/8,", "remove the empty entry"),
        ("10.0.0.0/8,\n", "remove the empty entry"),
        ("10.0.0.0/8, proxy", "invalid trusted proxy \"proxy\""),
        ("0.0.0.0/0", "trust everybody"),
        ("10.0.0.1/8", "has bits set"),
    ] {
        let (printed, logged) = run_with(&[("RATELIMIT_TRUSTED_PROXIES", proxies)], &["call", "call"]);
        assert_eq!(logged.matches("ERROR").count(), 1, "{logged}");
        assert!(printed[1].starts_with("unavailable: RATELIMIT_TRUSTED_PROXIES: "), "{proxies}: {printed:?}");
        assert!(printed[1].contains(says), "{proxies}: {printed:?}");
    }
    for proxies in ["10.0.0.0/8, 192.0.2.1,unix", "10.0.0.0/8,\n192.0.2.1\n"] {
        let (printed, _) = run_with(&[("RATELIMIT_TRUSTED_PROXIES", proxies)], &["call"]);
        assert_eq!(printed, ["passed"]);
    }
}

#[test]
fn a_builder_does_not_read_the_proxies_in_the_environment() {
    let (printed, logged) = run_with(&[("RATELIMIT_TRUSTED_PROXIES", "proxy")], &["build"]);
    assert_eq!((printed, logged.matches("WARN").count()), (vec!["built".to_owned()], 1), "{logged}");
    assert!(logged.contains("RATELIMIT_TRUSTED_PROXIES; this limiter trusts no proxies"), "{logged}");
}

#[test]
fn an_outage_is_logged_once() {
    let mut server = RedisServer::start();
    let url = server.url();
    server.stop();
    let (printed, logged) = run(Some(&url), &["call", "call", "call"]);
    assert_eq!(printed[..2], ["passed", "passed"], "by the same limit, in memory");
    assert!(printed[2].starts_with("refused: "), "{printed:?}");
    assert_eq!(logged.matches("WARN").count(), 1, "{logged}");
    assert!(logged.contains("cannot connect to Redis at 127.0.0.1"), "{logged}");
}

#[test]
fn a_limiter_is_installed_once_and_before_the_first_call() {
    let (printed, logged) = run(None, &["install", "call", "install"]);
    assert_eq!(printed[..2], ["installed", "passed"]);
    assert!(printed[2].starts_with("a limiter is already installed"), "{printed:?}");
    assert_eq!(logged, "");
    let (printed, _) = run(None, &["call", "install"]);
    assert!(
        printed[1].contains("the first call of the limit `twice` has already built the default limiter"),
        "{printed:?}"
    );
}

#[test]
fn the_environment_turns_limits_off() {
    for value in ["1", "true"] {
        let (printed, logged) =
            run_with(&[("RATELIMIT_URL", "redis://127.0.0.1:1"), ("RATELIMIT_OFF", value)], &["call"; 5]);
        assert_eq!(printed, ["passed"; 5]);
        assert_eq!(logged.matches("WARN").count(), 1, "{logged}");
        assert!(logged.contains("rate limits are off, because RATELIMIT_OFF is set"), "{logged}");
    }
    for value in ["0", "false"] {
        let (printed, logged) = run_with(&[("RATELIMIT_OFF", value)], &["call", "call", "call"]);
        assert!(printed[2].starts_with("refused: "), "{printed:?}");
        assert!(!logged.contains("limits are off"), "{logged}");
    }
}

#[test]
fn an_unknown_value_in_the_environment_rejects_all_calls() {
    for (value, says) in [
        ("", "RATELIMIT_OFF: it is empty"),
        ("on", "unknown value of RATELIMIT_OFF; expected"),
        ("sesame", "unknown value of RATELIMIT_OFF; expected"),
        ("1\n", "; it ends with a line break"),
    ] {
        let (printed, logged) = run_with(&[("RATELIMIT_OFF", value)], &["call"]);
        assert!(printed[0].starts_with("unavailable: ") && printed[0].contains(says), "{printed:?}");
        assert!(logged.contains("RATELIMIT_OFF") && !logged.contains("sesame"), "{logged}");
    }
}

#[test]
fn the_environment_does_not_turn_off_a_limiter_that_code_has_built() {
    for value in ["1", "sesame"] {
        let (printed, logged) =
            run_with(&[("RATELIMIT_OFF", value)], &["install built", "call", "call", "call"]);
        assert_eq!(printed[..3], ["installed", "passed", "passed"], "{value}");
        assert!(printed[3].starts_with("refused: "), "{printed:?}");
        assert_eq!(logged.matches("WARN").count(), 1, "{logged}");
        assert!(logged.contains("a builder does not read RATELIMIT_OFF"), "{logged}");
    }
}

#[test]
fn a_hash_secret_with_a_line_break_is_an_error() {
    for (secret, says) in [
        ("walrus\n", "it ends with a line break"),
        (" walrus", "it begins with a space"),
        ("", "it is empty"),
    ] {
        let (printed, logged) = run_with(&[("RATELIMIT_HASH_SECRET", secret)], &["build", "call"]);
        assert_eq!(printed[0], "not built");
        assert!(printed[1].starts_with("unavailable: RATELIMIT_HASH_SECRET: "), "{printed:?}");
        assert!(
            printed[1].contains(says) && !(printed[1].clone() + &logged).contains("walrus"),
            "{printed:?}"
        );
    }
    assert_eq!(run_with(&[("RATELIMIT_HASH_SECRET", "a b")], &["build", "call"]).0, ["built", "passed"]);
}

#[test]
fn the_environment_names_the_prefix() {
    let server = RedisServer::start();
    let variables = [("RATELIMIT_URL", &server.url()[..]), ("RATELIMIT_PREFIX", "shop")];
    assert_eq!(run_with(&variables, &["call"]).0, ["passed"]);
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.raw()).unwrap();
    assert!(!keys.is_empty() && keys.iter().all(|key| key.starts_with("shop:{")), "{keys:?}");
    let (printed, _) = run_with(&[("RATELIMIT_PREFIX", "a b")], &["call", "build"]);
    assert!(printed[0].contains("invalid prefix \"a b\"") && printed[1] == "not built", "{printed:?}");
}
