//! Processes that one process has forked. Each of them has a copy of its memory, also of the state of random numbers.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use support::RedisServer;

#[test]
fn forked_processes_take_different_permits() {
    let server = RedisServer::start();
    let mut command = Command::new(env!("CARGO_BIN_EXE_forking_process"));
    command.args([&server.url(), "8"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut outcomes: Vec<String> = lines.take(8).map(Result::unwrap).collect();
    outcomes.sort();
    let mut expected = vec!["held"; 2];
    expected.extend(["refused"; 6]);
    assert_eq!(outcomes, expected);
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
    let keys: Vec<String> = redis::cmd("KEYS").arg("*:cc2").query(&mut server.raw()).unwrap();
    assert_eq!(keys, [""; 0], "all permits were returned");
}
