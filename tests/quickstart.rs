//! The quickstart is what newcomers run first: its table, its messages and its exit codes are promises.
#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;
use support::RedisServer;

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const URL: &str = "RATELIMIT_URL";
const PATIENCE: Duration = Duration::from_secs(10);

#[test]
fn on_the_embedded_store_the_sixth_login_is_refused() {
    let page = Text::page(&quickstart().output().unwrap());
    page.has("in the embedded memory store, for this process alone.\n");
    page.has_whole_limits();
}

#[test]
fn on_redis_the_table_is_the_same() {
    let server = RedisServer::builder().password("sesame").start();
    let page = run_on(&server);
    page.has(&format!("Redis at 127.0.0.1:{}, shared by all", server.port()));
    page.has_not("sesame");
    page.has_whole_limits();
    assert_eq!(server.keys_without_ttl(), 0);
}

#[test]
fn a_second_process_finds_the_limit_used_up() {
    let server = RedisServer::start();
    run_on(&server).has_whole_limits();
    let second = run_on(&server);
    second.has_answers(HOME, "/login", &[(429, 0); 6]);
    second.has("The first login of 127.0.0.1 was refused already, because ");
    if is_local(OTHER) {
        second.has_answers(OTHER, "/login", &[(200, 2), (200, 1)]);
        second.has("; 127.0.0.2 has its own limit, and passed.\n");
    }
}

#[test]
fn two_processes_at_the_same_time_pass_no_more_than_the_limit() {
    let server = RedisServer::start();
    let start = || quickstart().env(URL, server.url()).spawn().unwrap();
    let pages = [start(), start()].map(|child| Text::page(&child.wait_with_output().unwrap()));
    let logins = pages.iter().flat_map(|page| page.answers(HOME, "/login"));
    let passed = logins.filter(|(status, _)| *status == 200).count();
    assert_eq!(passed, 5, "{pages:#?}");
}

#[test]
fn a_store_that_cannot_be_used_is_one_line_without_the_password() {
    let server = RedisServer::builder().password("open").start();
    let guarded = &*format!("127.0.0.1:{}", server.port());
    let nobody = "127.0.0.1:1"; // reserved, so that no other test's server can take it
    for (url, address, reason) in [
        (format!("http://:sesame@{nobody}"), nobody, "write `redis://"),
        (format!("redis://:sesame@{guarded}"), guarded, "cannot log in to"),
        (format!("redis://{guarded}"), guarded, "cannot log in to"),
        (format!("redis://:sesame@{nobody}"), nobody, "cannot connect to Redis"),
    ] {
        let message = Text::complaint(quickstart().env(URL, &url), 1);
        message.has(address);
        message.has(reason);
        message.has_not("sesame");
    }
}

#[test]
fn the_command_line_is_checked() {
    Text::complaint(quickstart().args(["--serve", "--sevre"]), 2).has("`--sevre`");
    Text::complaint(quickstart().args(["--port", "http"]), 2).has("not `http`");
    let help = Text::page(&quickstart().arg("--help").output().unwrap());
    for option in ["--serve", "--port N", "--help", URL] {
        help.has(option);
    }
}

#[test]
fn a_server_that_stays_answers_until_it_is_interrupted() {
    let mut server = Ended(quickstart().arg("--serve").spawn().unwrap());
    let output = BufReader::new(server.0.stdout.take().unwrap());
    let mut lines = output.lines().map(Result::unwrap);
    let advice = lines.by_ref().take_while(|line| line != "Ctrl-C ends it.");
    let advice = Text(advice.collect::<Vec<_>>().join("\n"));
    let address: SocketAddr = advice.0.split(['/', ',']).nth(2).unwrap().parse().unwrap();
    for place in [", with limits", "/login\n", "/report/acme\n"] {
        advice.has(&format!("http://{address}{place}"));
    }
    (0..5).for_each(|_| login(address).has("http/1.1 200 ok\r\n"));
    login(address).has("http/1.1 429 too many requests\r\n");
    login(address).has("\r\nretry-after: ");
    let port = address.port().to_string();
    Text::complaint(quickstart().args(["--port", &port]), 1).has(&format!("cannot listen on {address}"));

    let interrupt = ["-INT", &server.0.id().to_string()];
    assert!(Command::new("kill").args(interrupt).status().unwrap().success());
    let (sender, closed) = mpsc::channel();
    thread::spawn(move || sender.send(lines.count()));
    assert_eq!(closed.recv_timeout(PATIENCE), Ok(0), "it ends, and says no more");
    assert!(server.0.wait().unwrap().success());
}

/// What a program has said. Assertions about it show all of it.
#[derive(Debug)]
struct Text(String);

impl Text {
    /// The output of a run that went well: into a pipe, so without colours.
    fn page(output: &Output) -> Self {
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let page = Self(String::from_utf8(output.stdout.clone()).unwrap());
        page.has_not("\x1b");
        page
    }

    /// The one line of a run that went wrong.
    fn complaint(command: &mut Command, code: i32) -> Self {
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), &*output.stdout), (Some(code), &b""[..]));
        let message = Self(String::from_utf8(output.stderr).unwrap());
        assert_eq!(message.0.lines().count(), 1, "{message:?}");
        message.has("error: ");
        message
    }

    #[track_caller]
    fn has(&self, part: &str) {
        assert!(self.0.contains(part), "no `{part}` in:\n{}", self.0);
    }

    #[track_caller]
    fn has_not(&self, part: &str) {
        assert!(!self.0.contains(part), "`{part}` in:\n{}", self.0);
    }

    #[track_caller]
    fn has_answers(&self, caller: IpAddr, path: &str, expected: &[(u16, u32)]) {
        let answers = self.answers(caller, path);
        assert_eq!(answers, expected, "{caller} {path} in:\n{}", self.0);
    }

    /// What a run shows that has all limits for itself.
    #[track_caller]
    fn has_whole_limits(&self) {
        let logins = [(200, 4), (200, 3), (200, 2), (200, 1), (200, 0), (429, 0)];
        self.has_answers(HOME, "/login", &logins);
        assert!(matches!(self.waits("/login")[..], [1..=60]), "{}", self.0);
        self.has("The sixth login of 127.0.0.1 within a minute was refused");
        if is_local(OTHER) {
            self.has_answers(OTHER, "/login", &logins[..2]);
            self.has(" was refused; 127.0.0.2 has its own limit, and passed.\n");
        } else {
            self.has("No client can call from 127.0.0.2");
        }
        self.has("#[rate_limit(key = \"report:{tenant}\", time = 60, ");
        let reports = [(200, 2), (200, 1), (200, 0), (429, 0)];
        self.has_answers(HOME, "/report/acme", &reports);
        assert!(matches!(self.waits("/report/acme")[..], [1..=10]), "{}", self.0);
        self.has_answers(HOME, "/report/globex", &reports[..1]);
        self.has("The fourth report of acme in a row was refused; globex has its own limit, and passed.\n");
    }

    /// Status and remaining units in the lines of one caller and path.
    fn answers(&self, caller: IpAddr, path: &str) -> Vec<(u16, u32)> {
        let caller = caller.to_string();
        let lines = self.calls(path).filter(|words| words[0] == caller);
        let numbers = |words: Vec<&str>| (words[3].parse().unwrap(), words[5].parse().unwrap());
        lines.map(numbers).collect()
    }

    /// The seconds after which to retry, in the lines of a path that have them.
    fn waits(&self, path: &str) -> Vec<u64> {
        let seconds = |words: Vec<&str>| words.get(6)?.parse().ok();
        self.calls(path).filter_map(seconds).collect()
    }

    fn calls<'a>(&'a self, path: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
        let lines = self.0.lines().map(|line| line.split_whitespace().collect());
        lines.filter(move |words: &Vec<_>| words.len() > 5 && words[2] == path)
    }
}

fn run_on(server: &RedisServer) -> Text {
    Text::page(&quickstart().env(URL, server.url()).output().unwrap())
}

/// The answer of a server to one login, in lower case, as header names may come in any.
fn login(address: SocketAddr) -> Text {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("POST /login HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    Text(answer.to_lowercase())
}

fn is_local(address: IpAddr) -> bool {
    TcpListener::bind((address, 0)).is_ok()
}

/// A child that does not outlive its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The example, without what this process's environment would change in it.
fn quickstart() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let mut command = Command::new(PROGRAM.get_or_init(build));
    command.env_remove(URL).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Builds the example, which a test of this package alone has not done. The features are those of `cargo xtask
/// test`, so that after it nothing is compiled twice.
fn build() -> PathBuf {
    let arguments = "build --locked --workspace --all-features --example quickstart --message-format json";
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments.split(' ')).arg("--target-dir").arg(target);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let messages = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = messages.split_once("\"executable\":\"").unwrap();
    rest.split('"').next().unwrap().into()
}
