//! Tests the help, the completions, the exit codes, and the subcommand of cargo.

use crate::harness::run;
use std::process::Command;

#[test]
fn help_explains_the_exit_codes() {
    run("", &["--help"]).exits(0).says(&[
        "list",
        "doctor",
        "Exit codes:",
        "  130  interrupted",
        "[env: RATELIMIT_URL]",
    ]);
    run("", &["top", "--help"]).exits(0).says(&["because a refusal writes nothing"]);
    run("redis://:sesame@host", &["--help"]).exits(0);
    assert!(!run("redis://:sesame@host", &["list", "--help"]).out.contains("sesame"));
    run("", &[]).exits(2);
}

#[test]
fn each_command_has_its_own_pace() {
    for (command, pace) in [("list", "100000"), ("reset", "100000"), ("doctor", "20000"), ("top", "10000")] {
        run("", &[command, "--help"])
            .exits(0)
            .says(&[&format!("[default: {pace}]"), "Options of all commands:"]);
    }
}

#[test]
fn shells_complete_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        run("", &["completions", shell]).exits(0).says(&["doctor", "keys-per-second"]);
    }
}

#[test]
fn cargo_finds_the_command() {
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_cargo-ratelimit")).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, version) = cargo(&["ratelimit", "--version"]);
    assert_eq!(
        (code, version.as_str()),
        (Some(0), concat!("cargo ratelimit ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    assert_eq!(cargo(&["--version"]), (code, version));
}
