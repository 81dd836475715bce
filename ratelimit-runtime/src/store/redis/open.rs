//! Makes a store: from a URL, or on a connection that exists already.

use super::RedisStore;
use super::address::Address;
use super::call::Shared;
use super::home::Home;
use super::lone::{self, Lone};
use super::node::Node;
use super::script::{self, Script};
use super::url::Target;
use super::way::Way;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Mode, Request, Store};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long building a limiter waits for a server that does not answer.
const CONNECT: Duration = Duration::from_secs(5);

impl RedisStore {
    /// A store that connects when it is first used. A [`RateLimiter`](crate::RateLimiter) built on the URL connects
    /// at once instead, and says what is wrong.
    ///
    /// | `url` | what is there |
    /// |---|---|
    /// | `redis://[user:password@]host[:port][/database]` | one server |
    /// | `redis+unix:///path/to/socket[?db=n&user=..&pass=..]` | one server on this machine |
    /// | `redis+sentinel://[user:password@]host[:port],host[:port]/name[/database]` | sentinels, and the name of the primary that they watch; `?sentinel_user=..&sentinel_pass=..` where they want one too |
    /// | `redis+cluster://[user:password@]host[:port],host[:port]` | a cluster, by some of its nodes |
    ///
    /// With `rediss` in place of `redis` connections are encrypted, which needs the feature `tls`: the server's certificate is
    /// checked against the authorities that the system knows, or those in the PEM file of `?tls_ca=/path`; `tls_cert` and
    /// `tls_key` name what this client shows. `?protocol=resp3` speaks the newer protocol.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`] if the URL cannot be read. No message holds its password.
    pub fn new(url: &str) -> Result<Self, Error> {
        Self::of_scripts(url, "", [script::DECIDE, script::ADJUST], Some(lone::TEXTS))
    }

    /// A store that uses a connection which is there already: a multiplexed one, one with a manager, or that of a cluster.
    ///
    /// Nothing is checked, and nothing connects anew but what the connection does by itself; once it has broken, it is
    /// tried again after 0.1 to 1 second. A connection that repeats commands after their answers were lost, as redis-rs's
    /// for clusters does, may count a call more than once: a URL is better there.
    pub fn from_connection<C>(connection: C) -> Self
    where
        C: redis::aio::ConnectionLike + Clone + Send + Sync + 'static,
    {
        let handed = Way::Handed(Arc::new(move || Box::new(connection.clone())), Address::handed());
        let (decide, adjust) = (Script::new("", script::DECIDE), Script::new("", script::ADJUST));
        Self::at(Home::Server(Node::new(handed)), decide, adjust, Some(Lone::new("", lone::TEXTS)))
    }

    /// A store with these scripts: `decide` and `adjust`, and those of lone requests. Each begins with `prelude`.
    pub(crate) fn of_scripts(
        url: &str,
        prelude: &str,
        [decide, adjust]: [&str; 2],
        lone: Option<[(&str, &str); 5]>,
    ) -> Result<Self, Error> {
        let (home, lone) = (Home::new(Target::parse(url)?), lone.map(|texts| Lone::new(prelude, texts)));
        Ok(Self::at(home, Script::new(prelude, decide), Script::new(prelude, adjust), lone))
    }

    fn at(home: Home, decide: Script, adjust: Script, lone: Option<Lone>) -> Self {
        let sharded = AtomicBool::new(home.is_cluster());
        Self { shared: Arc::new(Shared { home, decide, adjust, lone, sharded }) }
    }

    /// Connects, decides something, and forgets it: the server is there, takes the password, and permits what is
    /// needed. This also leaves the script in its cache.
    pub(crate) async fn verify(&self, prefix: &str) -> Result<(), Error> {
        const PROBE: Limit = Limit::counter(1, Duration::from_millis(1));
        // No identity is a lone `#`.
        Error::unless_runtime()?;
        let key = format!("{prefix}:{{#}}:probe:{}", PROBE.state_format());
        let probe = Request::new(StoreKey::new(key.as_bytes()), &PROBE, 1);
        let probing = async {
            let _ = self.decide(Mode::Check, &[probe]).await?;
            self.reset(&[*probe.key()]).await.map(drop)
        };
        match tokio::time::timeout(CONNECT, probing).await {
            Ok(answer) => answer,
            Err(_) => Err(self.shared.address().error(
                ErrorKind::Unavailable,
                "no answer from",
                "not within 5 seconds",
            )),
        }
    }
}
