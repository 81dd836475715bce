//! Runs the quickstart example as a newcomer does, and checks its output and its exit codes.
#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use support::RedisServer;

const FIRST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const SECOND: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const URL: &str = "RATELIMIT_URL";
const USED_BEFORE: &str = "Another run has used this limit before.";

#[test]
fn in_memory_the_sixth_login_is_refused() {
    let page = Text::page(&quickstart().output().unwrap());
    page.has("in the memory of this process.\n");
    page.has_whole_limits();
}

#[test]
fn on_redis_the_responses_are_the_same() {
    let server = RedisServer::builder().password("sesame").start();
    let page = run_on(&server);
    page.has("in the Redis of RATELIMIT_URL.");
    page.has_not("sesame");
    page.has_whole_limits();
    assert_eq!(server.keys_without_ttl(), 0);
}

#[test]
fn a_second_run_finds_the_limit_used_up() {
    let server = RedisServer::start();
    run_on(&server).has_whole_limits();
    let second = run_on(&server);
    second.has_statuses(FIRST, "/login", &[429; 6]);
    second.has(USED_BEFORE);
    if can_send_from(SECOND) {
        second.has_statuses(SECOND, "/login", &[200]);
    }
}

#[test]
fn two_runs_at_the_same_time_share_the_limit() {
    let server = RedisServer::start();
    let start = || quickstart().env(URL, server.url()).spawn().unwrap();
    let pages = [start(), start()].map(|child| Text::page(&child.wait_with_output().unwrap()));
    let logins = pages.iter().flat_map(|page| page.statuses(FIRST, "/login"));
    assert_eq!(logins.filter(|status| *status == 200).count(), 5, "{pages:#?}");
}

#[test]
fn an_unusable_store_is_one_line_without_the_password() {
    let server = RedisServer::builder().password("open").start();
    let guarded = &*format!("127.0.0.1:{}", server.port());
    let unused = "127.0.0.1:1"; // a reserved port, so that no other test's server can use it
    for (url, address, reason) in [
        (format!("http://:sesame@{unused}"), unused, "write `redis://"),
        (format!("redis://:sesame@{guarded}"), guarded, "cannot log in to"),
        (format!("redis://{guarded}"), guarded, "cannot log in to"),
        (format!("redis://:sesame@{unused}"), unused, "cannot connect to Redis"),
    ] {
        let message = Text::error(quickstart().env(URL, &url), 1);
        message.has(address);
        message.has(reason);
        message.has_not("sesame");
    }
}

#[test]
fn the_command_line_is_checked() {
    Text::error(quickstart().args(["--serve", "--sevre"]), 2).has("--sevre");
    let help = Text::page(&quickstart().arg("--help").output().unwrap());
    for option in ["--serve", URL] {
        help.has(option);
    }
}

#[test]
fn serve_prints_commands_and_keeps_serving() {
    let mut server = KillOnDrop(quickstart().arg("--serve").spawn().unwrap());
    let lines = BufReader::new(server.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let commands = lines.filter(|line| line.contains("curl")).take(2);
    let commands = Text(commands.collect::<Vec<_>>().join("\n") + "\n");
    let address: SocketAddr = commands.0.split('/').nth(2).unwrap().parse().unwrap();
    for path in ["/login\n", "/report/acme\n"] {
        commands.has(&format!("http://{address}{path}"));
    }
    (0..5).for_each(|_| login(address).has("http/1.1 200 ok\r\n"));
    let refused = login(address);
    refused.has("http/1.1 429 too many requests\r\n");
    refused.has("\r\nretry-after: ");
}

/// A newcomer waits until each crate is compiled. `cargo tree` lists the crates that `cargo run --example quickstart`
/// compiles, including the packages of this repository.
#[test]
fn a_newcomer_compiles_at_most_110_crates() {
    let arguments = "tree --locked --edges normal,build,dev --prefix none --format {p}";
    let output = support::cargo().args(arguments.split(' ')).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let list = String::from_utf8(output.stdout).unwrap();
    let crates: BTreeSet<_> = list.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(crates.iter().any(|name| name.starts_with("ratelimit-runtime ")), "{list}");
    assert!(crates.len() <= 110, "{} crates: {crates:#?}", crates.len());
}

/// The output of a program. A failed assertion prints all of it.
#[derive(Debug)]
struct Text(String);

impl Text {
    /// Returns the output of a successful run. Panics if the run fails or prints errors.
    fn page(output: &Output) -> Self {
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        Self(String::from_utf8(output.stdout.clone()).unwrap())
    }

    /// Returns the single line of a run that fails. Panics if the exit code is not `code`.
    fn error(command: &mut Command, code: i32) -> Self {
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
    fn has_statuses(&self, client: IpAddr, path: &str, expected: &[u16]) {
        assert_eq!(self.statuses(client, path), expected, "{client} {path} in:\n{}", self.0);
    }

    /// Asserts the responses of a run whose limits nobody else uses.
    #[track_caller]
    fn has_whole_limits(&self) {
        self.has("Each address may log in five times per minute.\n#[rate_limit(key = \"login\", time = 60, ");
        self.has_statuses(FIRST, "/login", &[200, 200, 200, 200, 200, 429]);
        assert!(matches!(self.retry_after("/login")[..], [1..=60]), "{}", self.0);
        if can_send_from(SECOND) {
            self.has_statuses(SECOND, "/login", &[200]);
        }
        self.has("#[rate_limit(key = \"report:{tenant}\", time = 60, ");
        self.has_statuses(FIRST, "/report/acme", &[200, 200, 200, 429]);
        assert!(matches!(self.retry_after("/report/acme")[..], [1..=10]), "{}", self.0);
        self.has_statuses(FIRST, "/report/globex", &[200]);
        self.has_not(USED_BEFORE);
    }

    /// Returns the status codes in the lines of one client and path.
    fn statuses(&self, client: IpAddr, path: &str) -> Vec<u16> {
        let client = client.to_string();
        let lines = self.responses(path).filter(|words| words[1] == client);
        lines.map(|words| words[4].parse().unwrap()).collect()
    }

    /// Returns the seconds of retry-after in the lines of a path. Omits lines without it.
    fn retry_after(&self, path: &str) -> Vec<u64> {
        let seconds = |words: Vec<&str>| {
            let at = words.iter().position(|word| *word == "retry-after:")?;
            words.get(at + 1)?.parse().ok()
        };
        self.responses(path).filter_map(seconds).collect()
    }

    /// Returns the words of the lines that show a response to a path: `from 127.0.0.1 POST /login 200 OK`.
    fn responses<'a>(&'a self, path: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
        let lines = self.0.lines().map(|line| line.split_whitespace().collect());
        lines.filter(move |words: &Vec<_>| words.len() > 5 && words[0] == "from" && words[3] == path)
    }
}

fn run_on(server: &RedisServer) -> Text {
    Text::page(&quickstart().env(URL, server.url()).output().unwrap())
}

/// Sends a login. Returns the response in lower case, because header names may have any case.
fn login(address: SocketAddr) -> Text {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let request = format!("POST /login HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    Text(response.to_lowercase())
}

fn can_send_from(client: IpAddr) -> bool {
    TcpListener::bind((client, 0)).is_ok()
}

/// A child process that is killed when the test ends.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the example without the environment variable that changes it.
fn quickstart() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let mut command = Command::new(PROGRAM.get_or_init(|| support::example("quickstart")));
    command.env_remove(URL).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
