//! The shared store: one atomic Lua script decides for all processes.

mod address;
mod batch;
mod breaker;
mod call;
mod cluster;
mod commit;
mod connection;
mod failure;
mod gate;
mod greeting;
mod group;
mod health;
mod home;
mod link;
mod lone;
mod node;
mod overrides;
mod pace;
mod script;
mod seat;
mod sentinel;
mod slot_map;
mod slots;
mod sync;
mod tls;
mod url;
mod way;

use super::{
    Adjusted, Adjustment, Decisions, Mode, Overridden, OwnedAdjustment, OwnedRequest, Reply, Request, Store,
    stacks,
};
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;
use address::Address;
use call::{Alone, Call, Shared};
use home::Home;
use lone::Lone;
use node::Node;
use script::Script;
use slots::slot;
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use url::Target;
use way::Way;

/// Keeps limits in Redis or Valkey, shared by all processes that use the same server and prefix.
///
/// One multiplexed connection to each server serves all calls. A decision is one script call; decisions that are asked for while others
/// are under way go together, up to 128 in one call, each decided for itself and in order of arrival. The script decides with
/// the server's clock, so processes need no synchronised clocks of their own. At most 16 384 calls wait to be sent; more fail
/// at once ([`ErrorKind::Unavailable`]).
///
/// A connection that has broken is made anew by the next call, within its deadline. While the server stays away, calls fail at
/// once ([`ErrorKind::Unavailable`]), and one attempt at a time is made in the background, after 0.1 to 1 second. So it is
/// where five calls in a row have missed their deadlines and none was answered in between: then a `PING` at a time asks
/// whether the server answers within the longest of these deadlines, and one that is not answered at all in half a second is
/// the last on its connection. All limiters on one store share this, whatever their deadlines.
///
/// A call whose answer was lost is never sent again: it may have been counted.
///
/// The futures need a tokio runtime with I/O and time enabled. When the runtime that made the connection is gone, the
/// next call makes one on its own runtime.
#[derive(Clone)]
pub struct RedisStore {
    shared: Arc<Shared>,
}

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
        Self::with_prelude(url, "")
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

    /// For tests: Lua in front of the scripts, such as a clock that stands in for the server's.
    #[doc(hidden)]
    pub fn with_prelude(url: &str, prelude: &str) -> Result<Self, Error> {
        Self::with_lone_scripts(url, prelude, lone::TEXTS)
    }

    /// For tests: other texts than [`lone_scripts`](Self::lone_scripts).
    #[doc(hidden)]
    pub fn with_lone_scripts(url: &str, prelude: &str, texts: [(&str, &str); 5]) -> Result<Self, Error> {
        let lone = Some(Lone::new(prelude, texts));
        Self::with(url, prelude, script::DECIDE, script::ADJUST, lone)
    }

    /// For tests: other scripts than [`scripts`](Self::scripts), also for lone requests.
    #[doc(hidden)]
    pub fn with_texts(url: &str, prelude: &str, decide: &str, adjust: &str) -> Result<Self, Error> {
        Self::with(url, prelude, decide, adjust, None)
    }

    /// For tests: the script of every decision but the lone ones, and that of every adjustment.
    #[doc(hidden)]
    #[must_use]
    pub const fn scripts() -> [&'static str; 2] {
        [script::DECIDE, script::ADJUST]
    }

    /// For tests: the scripts of lone requests, by name.
    #[doc(hidden)]
    #[must_use]
    pub const fn lone_scripts() -> [(&'static str, &'static str); 5] {
        lone::TEXTS
    }

    fn with(url: &str, prelude: &str, decide: &str, adjust: &str, lone: Option<Lone>) -> Result<Self, Error> {
        let home = Home::new(Target::parse(url)?);
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
        let key = format!("{prefix}:{{#}}:probe:{}", PROBE.form());
        let probe = Request::new(StoreKey::new(key.as_bytes()), &PROBE, 1);
        let probing = async {
            self.decide(Mode::Check, &[probe]).await?;
            self.reset(&[*probe.key()]).await
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

/// How long building a limiter waits for a server that does not answer.
const CONNECT: Duration = Duration::from_secs(5);

impl Store for RedisStore {
    fn decide(&self, mode: Mode, requests: &[Request<'_>]) -> Reply<Decisions> {
        if let Err(error) = stacks(requests) {
            return Reply::ready(Err(error));
        }
        if let Some(error) =
            requests.first().and_then(|request| self.shared.home.away(|| slot(request.key())))
        {
            return Reply::ready(Err(error));
        }
        let shared = Arc::clone(&self.shared);
        if let [request] = requests
            && batch::fits(mode, request)
        {
            return Reply::pending(commit::decide(shared, commit::seat(mode, request)));
        }
        if let Some(script) = shared.lone.as_ref().and_then(|lone| lone.script(mode, requests)) {
            let call = Call::new(script, |command| lone::encode(command, &requests[0]));
            let alone = Alone::of(&requests[0]);
            return Reply::pending(async move {
                let node = shared.home.node(|| call.slot()).await?;
                let answer = shared.decide_alone(&call, mode, &alone).await;
                node.heard(&answer);
                answer
            });
        }
        let owned: SmallVec<[OwnedRequest; 1]> = requests.iter().map(OwnedRequest::of).collect();
        Reply::pending(async move {
            let requests: SmallVec<[Request<'_>; 1]> = owned.iter().map(OwnedRequest::request).collect();
            let Some(first) = requests.first() else { return Ok(Decisions::new()) };
            let node = shared.home.node(|| slot(first.key())).await?;
            let answer = slots::decide(&shared, mode, &requests).await;
            node.heard(&answer);
            answer
        })
    }

    fn adjust(&self, adjustments: &[Adjustment<'_>]) -> Reply<Adjusted> {
        if let Err(error) = adjustments.iter().try_for_each(Adjustment::check) {
            return Reply::ready(Err(error));
        }
        let shared = Arc::clone(&self.shared);
        let owned: SmallVec<[OwnedAdjustment; 1]> = adjustments.iter().map(OwnedAdjustment::of).collect();
        Reply::pending(async move {
            let adjustments: SmallVec<[Adjustment<'_>; 1]> =
                owned.iter().map(OwnedAdjustment::adjustment).collect();
            slots::adjust(&shared, &adjustments).await
        })
    }

    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<()> {
        // One command per key: they may live on different slots.
        let keys: SmallVec<[Vec<u8>; 1]> = keys.iter().map(|key| key.as_bytes().to_vec()).collect();
        let shared = Arc::clone(&self.shared);
        Reply::pending(async move {
            for key in &keys {
                shared.ask(&StoreKey::new(key), redis::cmd("DEL").arg(key)).await?;
            }
            Ok(())
        })
    }

    fn missed_deadline(&self, requests: &[Request<'_>], deadline: Duration) {
        if let Some(request) = requests.first() {
            self.shared.home.missed(|| slot(request.key()), deadline);
        }
    }

    fn is_connected(&self) -> bool {
        self.shared.home.is_open()
    }

    fn load_overrides(&self, key: StoreKey<'_>, seen: u64) -> Reply<Option<Overridden>> {
        let (shared, key) = (Arc::clone(&self.shared), key.as_bytes().to_vec());
        Reply::pending(async move { overrides::load(&shared, &key, seen).await })
    }

    fn save_override(&self, key: StoreKey<'_>, entry: &[u8], limit: Option<&str>) -> Reply<()> {
        let (shared, key) = (Arc::clone(&self.shared), key.as_bytes().to_vec());
        let (entry, limit) = (entry.to_vec(), limit.map(str::to_owned));
        Reply::pending(async move { overrides::save(&shared, &key, &entry, limit.as_deref()).await })
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("address", &self.shared.address()).finish_non_exhaustive()
    }
}
