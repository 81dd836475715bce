//! The store that the URL names: its limiter, and its servers for commands of this tool.

use crate::arguments::Global;
use crate::exit::Failure;
use ratelimit::store::RedisServer;
use ratelimit::{OnError, RateLimiter, RateLimiterBuilder, RedisStore};
use redis::{Cmd, Pipeline, Value};
use std::time::Duration;

/// The longest time for one command.
const DEADLINE: Duration = Duration::from_secs(5);

/// The store, and a limiter with the prefix of the command line.
pub(crate) struct Server {
    pub(crate) store: RedisStore,
    pub(crate) limiter: RateLimiter,
    pub(crate) prefix: String,
}

impl Server {
    /// Creates the store. It connects when it is first used.
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        if std::env::var_os("RATELIMIT_OFF").is_some_and(|value| value != "0" && value != "false") {
            return Err(Failure::usage("RATELIMIT_OFF turns limits off in this process, too; unset it"));
        }
        let store = RedisStore::new(url(global)?).map_err(Failure::usage)?;
        let limiter = futures_util::FutureExt::now_or_never(builder(&store, &global.prefix).build());
        let limiter = limiter.ok_or_else(|| Failure::usage("the limiter is not ready"))?;
        Ok(Self { store, limiter: limiter.map_err(Failure::usage)?, prefix: global.prefix.clone() })
    }

    /// The servers that decide now, of which each replies.
    pub(crate) async fn all(&self) -> Result<Vec<RedisServer>, Failure> {
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
}

/// Explains an error of the key that holds the overrides.
pub(crate) fn of_overrides(error: ratelimit::Error, prefix: &str) -> Failure {
    if !error.to_string().contains("WRONGTYPE") {
        return error.into();
    }
    Failure::server(format!(
        "the key `{prefix}:{{#}}:overrides` holds a value of another program, so there are no overrides ({error}); delete the key, or give each program its own prefix"
    ))
}

/// A limiter for this tool: it asks the store each time and never decides by itself.
pub(crate) fn builder(store: &RedisStore, prefix: &str) -> RateLimiterBuilder {
    let builder = RateLimiter::builder().store(store.clone()).prefix(prefix);
    builder.deadline(DEADLINE).on_error(OnError::Deny).deny_cache(false)
}

/// The URL of the command line, or of the environment.
pub(crate) fn url(global: &Global) -> Result<&str, Failure> {
    let missing = "no server is named; write `--url redis://127.0.0.1`, or set RATELIMIT_URL";
    global.url.as_deref().filter(|url| !url.is_empty()).ok_or_else(|| Failure::usage(missing))
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
