//! Tests the command in a terminal: `top` restores the terminal, and `reset --all` asks for a confirmation. Needs `python3`.
#![cfg(unix)]

use crate::harness::{command, keys, used_server};
use serde_json::Value;
use std::process::Command;
use std::thread;
use support::RedisServer;

/// Runs the command in a terminal. Each step is a text, and the action to take when the text is shown.
fn in_terminal(server: &RedisServer, columns: u16, steps: &[[&str; 2]], arguments: &[&str]) -> Value {
    let mut python = Command::new("python3");
    let steps = serde_json::json!(steps).to_string();
    python.args(["-c", include_str!("terminal.py"), &columns.to_string(), &steps]);
    python.arg(env!("CARGO_BIN_EXE_ratelimit")).args(arguments).env("TERM", "xterm-256color");
    let environment = command(&server.url(), &[]);
    for (name, value) in environment.get_envs() {
        match value {
            Some(value) => python.env(name, value),
            None => python.env_remove(name),
        };
    }
    let output = python.output().expect("python3 starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";

#[tokio::test(flavor = "multi_thread")]
async fn the_live_view_restores_the_terminal() {
    let (server, _) = used_server().await;
    let leaves = |(columns, action, code): (u16, &str, u8)| {
        let ran = in_terminal(&server, columns, &[["login", action]], &["top"]);
        let output = ran["output"].as_str().unwrap();
        assert_eq!((&ran["code"], &ran["restored"]), (&code.into(), &true.into()), "{ran}");
        assert!(output.contains(ENTER) && output.rfind(LEAVE) > output.rfind("login"), "{ran}");
    };
    thread::scope(|scope| {
        for action in [(80, "q", 0), (200, "\x03", 0), (80, "SIGTERM", 130), (40, "SIGINT", 130)] {
            scope.spawn(move || leaves(action));
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_server_is_shown_in_the_live_view() {
    let (mut server, _) = used_server().await;
    let stop = format!("stop:{}", server.port());
    let steps = [["login", &stop], ["Redis at 127.0.0.1", "q"]];
    let ran = in_terminal(&server, 200, &steps, &["top"]);
    assert_eq!((&ran["code"], &ran["restored"]), (&0.into(), &true.into()), "{ran}");
    server.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_of_everybody_asks() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    let ran = in_terminal(&server, 80, &[["[y/N]", "n\n"]], &["reset", "login", "--all"]);
    assert_eq!((&ran["code"], keys(&server)), (&1.into(), before.clone()), "{ran}");
    assert!(ran["output"].as_str().unwrap().contains("delete 3 keys of `login`?"), "{ran}");
    let ran = in_terminal(&server, 80, &[["[y/N]", "y\n"]], &["reset", "login", "--all"]);
    assert_eq!((&ran["code"], keys(&server).len()), (&0.into(), before.len() - 3), "{ran}");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_and_colors_are_for_terminals() {
    let (server, _) = used_server().await;
    let ran = in_terminal(&server, 80, &[], &["list"]);
    let output = ran["output"].as_str().unwrap();
    assert!(output.contains("\x1b[1m") && output.contains("\x1b[2K"), "{ran}");
    assert_eq!(ran["code"], 0);
}
