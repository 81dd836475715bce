//! Runs the command, and fills servers with limits.

use ratelimit::overrides::LimitChange;
use ratelimit::{AsKey, Key, Limit, RateLimiter};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{HOUR, RedisServer};

/// The exit code and the output of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Asserts that standard output contains all these texts.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.out.contains(text), "{text:?} is missing:\n{}\n{}", self.out, self.err);
        }
        self
    }

    /// Asserts that standard error contains all these texts.
    #[track_caller]
    pub(crate) fn complains(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.err.contains(text), "{text:?} is missing:\n{}\n{}", self.out, self.err);
        }
        self
    }
}

/// The command with a defined environment.
pub(crate) fn command(url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ratelimit"));
    for name in
        ["RATELIMIT_OFF", "RATELIMIT_HASH_SECRET", "RATELIMIT_PREFIX", "NO_COLOR", "LC_ALL", "LC_CTYPE"]
    {
        command.env_remove(name);
    }
    command.env("LANG", "C.UTF-8").env("RATELIMIT_URL", url).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command to its end.
pub(crate) fn run(url: &str, arguments: &[&str]) -> Ran {
    finish(&mut command(url, arguments))
}

pub(crate) fn finish(command: &mut Command) -> Ran {
    let output = command.output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs `top` until a snapshot is as expected. Returns the whole output, and that snapshot.
pub(crate) fn top_until(
    url: &str,
    more: &[&str],
    is_expected: impl FnMut(&Value) -> bool,
) -> (String, Value) {
    let arguments = [&["top", "--json", "--seconds", "30"], more].concat();
    let mut child = command(url, &arguments).spawn().expect("the command starts");
    let mut out = String::new();
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut snapshots = lines.map(|line| {
        let line = line.expect("UTF-8");
        out += &line;
        serde_json::from_str(&line).expect("JSON")
    });
    let found = snapshots.find(is_expected);
    drop((snapshots, child.kill()));
    child.wait().expect("it ends");
    let found = found.unwrap_or_else(|| panic!("no snapshot is as expected: {out}"));
    (out, found)
}

pub(crate) const LOGIN: Limit = Limit::counter(5, HOUR);
pub(crate) const LOGIN_TEXT: &str = "login=counter count=5 time=1h";

pub(crate) async fn limiter(url: &str) -> RateLimiter {
    RateLimiter::builder().redis(url).deadline(Duration::from_secs(10)).connect().await.unwrap()
}

/// Takes units of some limits: `login` by address, `search` by user, `report:{kind}` with a part, and `all` for everybody.
pub(crate) async fn use_limits(url: &str) -> RateLimiter {
    let limiter = limiter(url).await;
    for (user, calls) in [(1, 5), (2, 3), (3, 1)] {
        let address = std::net::IpAddr::from([203, 0, 113, user]);
        for _ in 0..calls {
            limiter.check(&LOGIN, Key::new("login").by(address)).await.unwrap();
        }
    }
    let bucket = Limit::token_bucket(10, HOUR);
    limiter.check_cost(&bucket, Key::new("search").by("al ice"), 4).await.unwrap();
    let log = Limit::sliding_log(10, HOUR);
    limiter.check_cost(&log, Key::new("report:{kind}").by("bob").part("pdf"), 2).await.unwrap();
    limiter.check(&LOGIN, "all").await.unwrap();
    limiter
}

/// A server on which limits are in use.
pub(crate) async fn used_server() -> (RedisServer, RateLimiter) {
    let server = RedisServer::start();
    let limiter = use_limits(&server.url()).await;
    (server, limiter)
}

/// Overrides a limit.
pub(crate) async fn set(limiter: &RateLimiter, key: impl AsKey, change: &str) {
    let change: LimitChange = change.parse().unwrap();
    limiter.overrides().set(key, change).await.unwrap();
}

/// Writes a field of a hash.
pub(crate) fn write(server: &RedisServer, hash: &str, field: &str, value: impl redis::ToRedisArgs) {
    redis::cmd("HSET").arg(hash).arg(field).arg(value).exec(&mut server.raw()).unwrap();
}

/// The names of all keys of a server.
pub(crate) fn keys(server: &RedisServer) -> Vec<String> {
    let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.raw()).unwrap();
    keys.sort();
    keys
}

/// Waits until a condition holds, at most ten seconds.
pub(crate) async fn wait_for(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds().await {
        assert!(Instant::now() < deadline, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
