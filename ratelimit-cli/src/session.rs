//! The session of a command: the store of the command line, its limiter, the signals and the output.
//!
//! It begins with the nodes that reply: a command says which nodes of a cluster are missing, and works on the others, as the
//! library does.

use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Output, note};
use futures_util::future::join_all;
use ratelimit::overrides::Override;
use ratelimit::store::{RedisServer, StoreKey};
use ratelimit::{OnError, RateLimiter, RateLimiterBuilder, RedisStore};
use redis::{Cmd, Pipeline, Value};
use std::collections::HashSet;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

/// The longest time for one command.
const DEADLINE: Duration = Duration::from_secs(5);
/// The number of slots of a cluster.
pub(crate) const SLOTS: u32 = 16_384;

/// The store, a limiter with the prefix of the command line, the signals, and the output.
pub(crate) struct Session {
    pub(crate) store: RedisStore,
    pub(crate) limiter: RateLimiter,
    pub(crate) prefix: String,
    /// Whether the URL names a cluster.
    pub(crate) is_cluster: bool,
    /// The servers that decided when the command began.
    pub(crate) servers: Servers,
    pub(crate) interrupt: Interrupt,
    pub(crate) output: Output,
    /// The notes that were printed.
    noted: Mutex<HashSet<String>>,
}

/// The servers that make decisions. At least one of them can be reached.
#[derive(Clone, Default)]
pub(crate) struct Servers {
    /// Each of these servers has replied to a command.
    pub(crate) reachable: Vec<RedisServer>,
    pub(crate) missing: Vec<Missing>,
}

/// A node of a cluster that cannot be reached.
#[derive(Clone)]
pub(crate) struct Missing {
    pub(crate) server: RedisServer,
    /// The reason, which names the server.
    pub(crate) why: String,
}

impl Servers {
    /// Asks all servers at the same time.
    ///
    /// # Errors
    ///
    /// If no server can be reached, or if a server refuses the login.
    pub(crate) async fn of(store: &RedisStore) -> Result<Self, Failure> {
        let all = in_time(store.servers(), "the cluster").await?;
        let mut servers = Self::default();
        // `HELLO` needs no permission.
        let hello = redis::cmd("HELLO");
        let replies = join_all(all.iter().map(|server| ask(server, &hello))).await;
        for (server, reply) in all.iter().zip(replies) {
            match reply {
                Ok(_) => servers.reachable.push(server.clone()),
                Err(failure) if failure.is_transient() && all.len() > 1 => {
                    servers.missing.push(Missing { server: server.clone(), why: failure.to_string() });
                }
                Err(failure) => return Err(failure),
            }
        }
        match (&servers.reachable[..], servers.missing.first()) {
            ([], Some(missing)) => Err(Failure::server(&missing.why)),
            ([], None) => Err(Failure::server("no node of the cluster serves any slot")),
            _ => Ok(servers),
        }
    }

    /// The missing node that serves a key. `None` if another node serves it.
    pub(crate) fn missing(&self, key: &StoreKey) -> Option<&Missing> {
        self.missing.iter().find(|missing| missing.server.serves(key))
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.server.slots();
        let percent = (u32::from(slots) * 100 / SLOTS).max(1);
        write!(
            f,
            "{}: this node serves {slots} of {SLOTS} slots, so about {percent} % of the identities; the failure policy of \
             each limit decides their calls",
            self.why
        )
    }
}

impl Session {
    /// Connects to the servers, and begins to listen for signals. Notes which nodes of a cluster are missing.
    pub(crate) async fn open(url: Option<&str>, prefix: &str, output: Output) -> Result<Self, Failure> {
        let missing = "no server is named; write `--url redis://127.0.0.1`, or set RATELIMIT_URL";
        let url = url.filter(|url| !url.is_empty()).ok_or_else(|| Failure::usage(missing))?;
        let store = RedisStore::new(url).map_err(Failure::usage)?;
        let limiter = builder(&store, prefix).build().map_err(Failure::usage)?;
        let interrupt = Interrupt::listen();
        let servers = Servers::of(&store).await?;
        servers.missing.iter().for_each(note);
        Ok(Self {
            store,
            limiter,
            prefix: prefix.to_owned(),
            is_cluster: url.contains("+cluster://"),
            servers,
            interrupt,
            output,
            noted: Mutex::default(),
        })
    }

    /// Prints a note, unless it was printed before.
    pub(crate) fn note_once(&self, text: String) {
        if self.noted.lock().is_ok_and(|mut noted| noted.insert(text.clone())) {
            note(text);
        }
    }

    /// All overrides of the prefix.
    pub(crate) async fn overrides(&self) -> Result<Vec<Override>, Failure> {
        self.limiter.overrides().list().await.map_err(|error| self.of_overrides(error))
    }

    /// The node that has the overrides and the published limits, if it is missing.
    pub(crate) fn missing_overrides(&self) -> Option<&Missing> {
        self.servers.missing(&self.overrides_key())
    }

    /// The server that decides about a key.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached, or if no node serves the slot of the key.
    pub(crate) fn server_of(&self, key: &StoreKey) -> Result<&RedisServer, Failure> {
        let serving = self.servers.reachable.iter().find(|server| server.serves(key));
        serving.ok_or_else(|| match self.servers.missing(key) {
            Some(missing) => Failure::server(&missing.why),
            None => Failure::server("no node serves the slot of this key"),
        })
    }

    fn overrides_key(&self) -> StoreKey {
        StoreKey::new(format!("{}:{{#}}:overrides", self.prefix).as_bytes())
    }

    /// Explains an error of the key that holds the overrides.
    pub(crate) fn of_overrides(&self, error: ratelimit::Error) -> Failure {
        if error.is_transient() && self.missing_overrides().is_some() {
            return Failure::from(error).and(
                "this node has the overrides, which can be read and changed again when it is back; running services keep \
                 those that they know",
            );
        }
        if !error.to_string().contains("WRONGTYPE") {
            return error.into();
        }
        Failure::server(format!(
            "the key `{}:{{#}}:overrides` holds a value of another program, so there are no overrides ({error}); delete \
             the key, or give each program its own prefix",
            self.prefix
        ))
    }
}

/// Builds a limiter that asks the store each time and never decides without the store.
pub(crate) fn builder(store: &RedisStore, prefix: &str) -> RateLimiterBuilder {
    let builder = RateLimiter::builder().store(store.clone()).prefix(prefix);
    builder.deadline(DEADLINE).on_error(OnError::Deny).deny_cache(false)
}

/// Sends a command.
pub(crate) async fn ask(server: &RedisServer, command: &Cmd) -> Result<Value, Failure> {
    in_time(server.send(command), server).await
}

impl Session {
    /// Deletes a key. Returns whether it existed.
    pub(crate) async fn delete(&self, key: &StoreKey) -> Result<bool, Failure> {
        let reply = ask(self.server_of(key)?, redis::cmd("DEL").arg(key.as_bytes())).await?;
        Ok(matches!(reply, Value::Int(1..)))
    }
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
        Err(_) => Err(Failure::silent(format!("{who} did not reply within {} s", DEADLINE.as_secs()))),
    }
}
