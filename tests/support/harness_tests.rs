//! Tests of the harness: keys that never expire are counted, and a killed test leaves no process and no directory.

use crate::server::RedisServer;
use redis::{Commands, Connection};
use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const VICTIM: &str = "RATELIMIT_TEST_VICTIM";

fn directory(connection: &mut Connection) -> PathBuf {
    let (_, path): (String, String) = redis::cmd("CONFIG").arg("GET").arg("dir").query(connection).unwrap();
    PathBuf::from(path)
}

fn process_id(connection: &mut Connection) -> String {
    let info: String = redis::cmd("INFO").arg("server").query(connection).unwrap();
    info.lines().find_map(|line| line.strip_prefix("process_id:")).unwrap().trim().to_owned()
}

fn is_alive(process_id: &str) -> bool {
    Command::new("kill").args(["-0", process_id]).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
fn keys_without_an_end_are_counted() {
    let server = RedisServer::start();
    assert_eq!((server.keys_without_ttl(), server.max_pttl_ms()), (0, None));
    let mut connection = server.raw();
    for number in 0..1500 {
        let () = connection.pset_ex(number, 1, 60_000).unwrap();
    }
    let () = connection.set("forever", 1).unwrap();
    let () = connection.pset_ex("longest", 1, 90_000).unwrap();
    assert_eq!(server.keys_without_ttl(), 1);
    assert!(server.max_pttl_ms().is_some_and(|pttl| (80_000..=90_000).contains(&pttl)));
}

/// The process that the next test starts and kills. It does nothing in a normal test run.
#[test]
fn victim() {
    if env::var_os(VICTIM).is_none() {
        return;
    }
    let server = RedisServer::start();
    let mut connection = server.raw();
    println!("\nserver {} {}", process_id(&mut connection), directory(&mut connection).display());
    sleep(Duration::from_secs(60));
}

#[test]
fn a_killed_test_process_leaves_neither_process_nor_directory() {
    let mut victim = start_victim();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.into_iter().find(|line| line.starts_with("server ")).unwrap();
    let (process_id, directory) = line["server ".len()..].split_once(' ').unwrap();
    assert!(is_alive(process_id) && Path::new(directory).is_dir());
    victim.kill().unwrap();
    victim.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while is_alive(process_id) || Path::new(directory).exists() {
        assert!(Instant::now() < deadline, "{line} is still there");
        sleep(Duration::from_millis(5));
    }
}

fn start_victim() -> Child {
    let mut victim = Command::new(env::current_exe().unwrap());
    victim.args(["--exact", "harness_tests::victim", "--nocapture"]).env(VICTIM, "1");
    victim.stdout(Stdio::piped()).spawn().unwrap()
}
