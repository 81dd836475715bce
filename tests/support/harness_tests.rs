//! The harness itself: no data is lost or stored by mistake, and no process or directory is left behind.

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

fn value(server: &RedisServer) -> Option<u32> {
    server.raw().get("key").unwrap()
}

#[test]
fn a_server_answers_at_its_url() {
    let server = RedisServer::start();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let () = connection.set("key", 7).unwrap();
    assert_eq!(value(&server), Some(7));
    assert!(server.url().ends_with(&format!(":{}/", server.port())));
}

#[test]
fn a_password_is_required_and_part_of_the_url() {
    let server = RedisServer::builder().password("p@ss/word").start();
    assert_eq!(value(&server), None);
    let anonymous = redis::Client::open(format!("redis://127.0.0.1:{}/", server.port())).unwrap();
    let result = anonymous.get_connection().and_then(|mut connection| connection.get::<_, String>("key"));
    assert!(result.unwrap_err().to_string().contains("NOAUTH"));
}

#[test]
fn further_arguments_reach_the_server() {
    let server = RedisServer::builder().args(["--maxclients", "33"]).start();
    let mut ask = redis::cmd("CONFIG");
    let (_, clients): (String, u32) = ask.arg("GET").arg("maxclients").query(&mut server.raw()).unwrap();
    assert_eq!(clients, 33);
}

#[test]
fn a_persistent_server_keeps_its_data() {
    let mut server = RedisServer::builder().persistent().start();
    let port = server.port();
    let () = server.raw().set("key", 1).unwrap();
    server.kill();
    server.restart();
    assert_eq!(value(&server), Some(1));
    let () = server.raw().set("key", 2).unwrap();
    server.stop();
    server.stop();
    server.restart();
    assert_eq!((value(&server), server.port()), (Some(2), port));
}

#[test]
fn any_other_server_restarts_empty() {
    let mut server = RedisServer::start();
    let () = server.raw().set("key", 1).unwrap();
    server.restart();
    assert_eq!(value(&server), None);
}

#[test]
fn dropping_leaves_neither_process_nor_directory() {
    let server = RedisServer::start();
    let mut connection = server.raw();
    let (process_id, directory) = (process_id(&mut connection), directory(&mut connection));
    assert!(is_alive(&process_id) && directory.is_dir());
    drop(server);
    assert!(!is_alive(&process_id) && !directory.exists());
}

#[test]
fn a_server_that_ended_by_itself_can_be_restarted_or_dropped() {
    let mut server = RedisServer::start();
    let end = |server: &RedisServer| redis::cmd("SHUTDOWN").arg("NOSAVE").query::<()>(&mut server.raw());
    assert!(end(&server).is_err());
    server.restart();
    let directory = directory(&mut server.raw());
    assert!(end(&server).is_err());
    drop(server);
    assert!(!directory.exists());
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

/// The process that the next test starts and kills. Run alone, it does nothing.
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
