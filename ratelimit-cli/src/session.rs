//! The session of a command: the store of the command line, its limiter, the signals and the output.

use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::output::Output;
use ratelimit::overrides::Override;
use ratelimit::store::RedisServer;
use ratelimit::{OnError, RateLimiter, RateLimiterBuilder, RedisStore};
use redis::{Cmd, Pipeline, Value};
use std::time::Duration;

/// The longest time for one command.
const DEADLINE: Duration = Duration::from_secs(5);

/// The store, a limiter with the prefix of the command line, the signals, and the output.
pub(crate) struct Session {
    pub(crate) store: RedisStore,
    pub(crate) limiter: RateLimiter,
    pub(crate) prefix: String,
    /// Whether the URL names a cluster.
    pub(crate) is_cluster: bool,
    pub(crate) interrupt: Interrupt,
    pub(crate) output: Output,
}

impl Session {
    /// Creates the store, which connects when it is first used, and begins to listen for signals.
    pub(crate) fn open(url: Option<&str>, prefix: &str, output: Output) -> Result<Self, Failure> {
        if std::env::var_os("RATELIMIT_OFF").is_some_and(|value| value != "0" && value != "false") {
            return Err(Failure::usage("RATELIMIT_OFF turns limits off in this process, too; unset it"));
        }
        let missing = "no server is named; write `--url redis://127.0.0.1`, or set RATELIMIT_URL";
        let url = url.filter(|url| !url.is_empty()).ok_or_else(|| Failure::usage(missing))?;
        let store = RedisStore::new(url).map_err(Failure::usage)?;
        let limiter = builder(&store, prefix).build().map_err(Failure::usage)?;
        Ok(Self {
            store,
            limiter,
            prefix: prefix.to_owned(),
            is_cluster: url.contains("+cluster://"),
            interrupt: Interrupt::listen(),
            output,
        })
    }

    /// The servers that make decisions now. Each of them has replied to a command.
    pub(crate) async fn servers(&self) -> Result<Vec<RedisServer>, Failure> {
        let servers = in_time(self.store.servers(), "the cluster").await?;
        if servers.is_empty() {
            return Err(Failure::server("no node of the cluster serves any slot"));
        }
        for server in &servers {
            // `HELLO` needs no permission.
            ask(server, &redis::cmd("HELLO")).await?;
        }
        Ok(servers)
    }

    /// All overrides of the prefix.
    pub(crate) async fn overrides(&self) -> Result<Vec<Override>, Failure> {
        self.limiter.overrides().list().await.map_err(|error| self.of_overrides(error))
    }

    /// Explains an error of the key that holds the overrides.
    pub(crate) fn of_overrides(&self, error: ratelimit::Error) -> Failure {
        if !error.to_string().contains("WRONGTYPE") {
            return error.into();
        }
        Failure::server(format!(
            "the key `{}:{{#}}:overrides` holds a value of another program, so there are no overrides ({error}); delete the key, or give each program its own prefix",
            self.prefix
        ))
    }
}

/// Returns the builder of a limiter that asks the store each time and never decides without the store.
pub(crate) fn builder(store: &RedisStore, prefix: &str) -> RateLimiterBuilder {
    let builder = RateLimiter::builder().store(store.clone()).prefix(prefix);
    builder.deadline(DEADLINE).on_error(OnError::Deny).deny_cache(false)
}

/// Sends a command.
pub(crate) async fn ask(server: &RedisServer, command: &Cmd) -> Result<Value, Failure> {
    in_time(server.send(command), server).await
}

/// Sends several commands at once. Each reply may be an error.
pub(crate) async fn ask_all(
    server: &RedisServer,
    commands: &Pipeline,
) -> Result<Vec<Result<Value, ratelimit::Error>>, Failure> {
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    in_time(server.send_all(commands), server).await
}

/// The time of a server's clock, since 1970.
pub(crate) async fn server_time(server: &RedisServer) -> Result<Duration, Failure> {
    let reply = ask(server, &redis::cmd("TIME")).await?;
    let invalid = |_| Failure::server(format!("invalid reply to `TIME` from {server}"));
    let (seconds, micros): (u64, u64) = redis::from_redis_value(reply).map_err(invalid)?;
    Ok(Duration::from_secs(seconds) + Duration::from_micros(micros))
}

/// The text of a reply, or an empty text.
pub(crate) fn text(reply: &Value) -> String {
    match reply {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => text.clone(),
        _ => String::new(),
    }
}

async fn in_time<T>(
    asked: impl Future<Output = Result<T, ratelimit::Error>>,
    who: impl std::fmt::Display,
) -> Result<T, Failure> {
    match tokio::time::timeout(DEADLINE, asked).await {
        Ok(reply) => reply.map_err(Failure::from),
        Err(_) => Err(Failure::server(format!("{who} did not reply within {} s", DEADLINE.as_secs()))),
    }
}
