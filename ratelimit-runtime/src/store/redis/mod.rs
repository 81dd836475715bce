//! The shared store: one atomic Lua script decides for all processes.

mod address;
mod connection;
mod failure;
mod health;
mod script;

use super::{Decisions, Reply, Request, Store, stacks};
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;
use address::Address;
use connection::Link;
use redis::{ErrorKind as RedisKind, ServerErrorKind, Value};
use script::{Mode, Script};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Keeps limits in Redis or Valkey, shared by all processes that use the same server and prefix.
///
/// One multiplexed connection serves all calls, and each decision is one script call. The script decides with the
/// server's clock, so processes need no synchronised clocks of their own.
///
/// A connection that has broken is made anew by the next call, within its deadline; while the server stays away,
/// one attempt at a time is made in the background and calls fail at once
/// ([`ErrorKind::Unavailable`]). A call whose answer was lost is never sent again: it may have been counted.
///
/// The futures need a tokio runtime with I/O and time enabled. When the runtime that made the connection is gone, the
/// next call makes one on its own runtime.
#[derive(Clone)]
pub struct RedisStore {
    shared: Arc<Shared>,
}

struct Shared {
    address: Address,
    link: Link,
    script: Script,
}

impl RedisStore {
    /// A store that connects when it is first used. A [`RateLimiter`](crate::RateLimiter) built on the URL connects
    /// at once instead, and says what is wrong.
    ///
    /// `url` is `redis://[user:password@]host[:port][/database]`, or `unix:///path/to/socket[?db=n&pass=..]`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`] if the URL cannot be read. No message holds its password.
    pub fn new(url: &str) -> Result<Self, Error> {
        Self::with_script(url, Script::new(""))
    }

    /// For tests: Lua in front of the script, such as a clock that stands in for the server's.
    #[doc(hidden)]
    pub fn with_prelude(url: &str, prelude: &str) -> Result<Self, Error> {
        Self::with_script(url, Script::new(prelude))
    }

    /// For tests: the script that every decision runs.
    #[doc(hidden)]
    #[must_use]
    pub const fn script() -> &'static str {
        script::TEXT
    }

    fn with_script(url: &str, script: Script) -> Result<Self, Error> {
        let address = Address::parse(url)?;
        Ok(Self { shared: Arc::new(Shared { link: Link::new(address.clone()), address, script }) })
    }

    /// Connects, decides something, and forgets it: the server is there, takes the password, and permits what is
    /// needed. This also leaves the script in its cache.
    pub(crate) async fn verify(&self, prefix: &str) -> Result<(), Error> {
        const PROBE: Limit = Limit::counter(1, Duration::from_millis(1));
        // No identity is a lone `#`.
        Error::unless_runtime()?;
        let key = format!("{prefix}:{{#}}:probe:{}", PROBE.form());
        let probe = Request::new(StoreKey::new(key.as_bytes()), &PROBE, 1);
        let probing = async {
            self.decide(&[probe]).await?;
            self.reset(&[*probe.key()]).await
        };
        match tokio::time::timeout(CONNECT, probing).await {
            Ok(answer) => answer,
            Err(_) => Err(self.shared.address.error(
                ErrorKind::Unavailable,
                "no answer from",
                "not within 5 seconds",
            )),
        }
    }

    fn answer(&self, requests: &[Request<'_>], mode: Mode) -> Reply<Decisions> {
        if let Err(error) = stacks(requests) {
            return Reply::ready(Err(error));
        }
        let call = Call::new(&self.shared.script, requests, mode);
        let limits: smallvec::SmallVec<[Limit; 1]> =
            requests.iter().map(|request| *request.limit()).collect();
        let shared = Arc::clone(&self.shared);
        Reply::pending(async move {
            let value = shared.run(call).await?;
            script::decisions(&value, &limits).map_err(|what| {
                shared.address.error(ErrorKind::Configuration, "cannot use the answer of", what)
            })
        })
    }
}

/// How long building a limiter waits for a server that does not answer.
const CONNECT: Duration = Duration::from_secs(5);

/// One script call, by digest, and by text where the server does not know it yet.
struct Call {
    by_digest: redis::Cmd,
    script: Arc<str>,
}

impl Call {
    fn new(script: &Script, requests: &[Request<'_>], mode: Mode) -> Self {
        let mut by_digest = redis::cmd("EVALSHA");
        by_digest.arg(script.digest());
        script::encode(&mut by_digest, requests, mode);
        Self { by_digest, script: script.text() }
    }

    fn by_text(&self) -> redis::Cmd {
        let mut by_text = redis::cmd("EVAL");
        by_text.arg(&*self.script);
        for argument in self.by_digest.args_iter().skip(2) {
            if let redis::Arg::Simple(argument) = argument {
                by_text.arg(argument);
            }
        }
        by_text
    }
}

impl Shared {
    async fn run(&self, call: Call) -> Result<Value, Error> {
        let answer = self.send(&call.by_digest).await;
        let answer = match answer {
            // It was not executed, so it may be sent again; the text stays in the server's cache.
            Err(Failed::Answer(error)) if error.kind() == RedisKind::Server(ServerErrorKind::NoScript) => {
                self.send(&call.by_text()).await
            }
            other => other,
        };
        answer.map_err(|failed| match failed {
            Failed::Connect(error) => error,
            Failed::Answer(error) => failure::explain(&self.address, &error),
        })
    }

    async fn send(&self, command: &redis::Cmd) -> Result<Value, Failed> {
        let mut connection = self.link.get().await.map_err(Failed::Connect)?;
        connection.send(command).await.map_err(Failed::Answer)
    }
}

enum Failed {
    Connect(Error),
    Answer(redis::RedisError),
}

impl Store for RedisStore {
    fn decide(&self, requests: &[Request<'_>]) -> Reply<Decisions> {
        self.answer(requests, Mode::Charge)
    }

    fn peek(&self, requests: &[Request<'_>]) -> Reply<Decisions> {
        self.answer(requests, Mode::Peek)
    }

    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<()> {
        let mut command = redis::cmd("DEL");
        for key in keys {
            command.arg(key.as_bytes());
        }
        let shared = Arc::clone(&self.shared);
        Reply::pending(async move {
            match shared.send(&command).await {
                Ok(_) => Ok(()),
                Err(Failed::Connect(error)) => Err(error),
                Err(Failed::Answer(error)) => Err(failure::explain(&shared.address, &error)),
            }
        })
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("address", &self.shared.address).finish_non_exhaustive()
    }
}
