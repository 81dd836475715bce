//! The Redis store: the state of limits is on a server, where one atomic Lua script decides for all processes.
//!
//! Each module imports only from the modules above it in this list:
//!
//! | module | what it is |
//! |---|---|
//! | [`script`] | script calls: texts, arguments, replies |
//! | [`errors`] | which errors pass by themselves, and which part of their text may be shown |
//! | [`connect`] | opens connections: URL, endpoint, TLS, handshake, sentinels |
//! | [`waiting`] | the queue of calls that wait for a batch |
//! | [`server`] | one server: sessions, reconnecting, circuit breaker |
//! | [`topology`] | which server decides about a key |
//! | [`client`] | runs script calls on the servers |
//! | [`batch`] | group commit: sends waiting calls together |
//! | [`RedisStore`] | the store: this file, [`create`], [`hashes`] and [`servers`] |

mod batch;
mod client;
pub(crate) mod connect;
mod create;
mod errors;
mod hashes;
pub(crate) mod script;
mod server;
mod servers;
mod topology;
mod waiting;

use super::{
    Adjusted, Adjustment, Decisions, Mode, Overridden, OverrideEntry, Reply, Request, Store, stacks,
};
use crate::key::StoreKey;
use crate::macros::opaque;
use batch::QueuedCall;
use client::{Client, across_slots};
pub(crate) use connect::AddressMap;
pub use servers::RedisServer;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;
use topology::key_slot;

/// A store in Redis or Valkey. All processes that use the same server and prefix share its limits.
///
/// In each tokio runtime, one multiplexed connection to each server serves all calls. A decision is one script call. Calls that
/// arrive while another call is under way are sent together: up to 128 in one script call, or fewer if they take more than 2000
/// units of sliding logs. The script decides about them in order of arrival and independently of each other. In a cluster, one
/// script call may have keys of all slots of a node, if the server permits that. Otherwise all its keys are on one slot. The
/// script uses the clock of the server, so the clocks of the processes do not matter. In each runtime, at most 16 384 calls
/// wait to be sent to a server. Further calls fail at once ([`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable)).
///
/// After a connection has broken, the next call opens a new one, within its own deadline. While the server stays unavailable,
/// calls fail at once, and a background task starts an attempt to connect every 0.1 to 0.75 seconds.
///
/// If five deadlines in a row are missed, the server counts as too slow. Calls that miss their deadlines together count once.
/// Calls then fail at once, and a background task sends one `PING` at a time, until the server replies within the longest of these
/// deadlines. If a `PING` has no reply at all within 0.4 seconds, or within the longest of these deadlines if that is longer, the
/// connection is closed. Within one runtime, all limiters on one store share this state, whatever their deadlines are.
///
/// A connection that has been idle for 0.6 seconds is tested before a call uses it, because a firewall may have forgotten it. A
/// missed deadline of a request in the background, such as that for overrides, starts the same test.
///
/// A call whose reply was lost is never sent again, because it may have been counted. A call that has certainly not left this
/// process is sent once more, on a new connection.
///
/// The futures need a tokio runtime with I/O and time enabled. Each runtime that uses the store has its own connections,
/// batches and circuit breakers. So a runtime that is blocked, idle or shut down does not delay the calls of another runtime.
///
/// ```
/// use ratelimit::{RateLimiter, RedisStore};
///
/// # fn main() -> Result<(), ratelimit::Error> {
/// // Opens no connection: the first call does. `RateLimiterBuilder::redis(url)` is the same in one step.
/// let store = RedisStore::new("redis://127.0.0.1")?;
/// let limiter = RateLimiter::builder().store(store).build()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RedisStore {
    client: Arc<Client>,
}

impl Store for RedisStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let Some(first) = requests.first() else { return Reply::ready(Ok(Decisions::new())) };
        let is_one = requests.len() == 1 && !first.passes_with_next();
        if !is_one && let Err(error) = stacks(requests) {
            return Reply::ready(Err(error));
        }
        if let Some(error) = self.client.topology.unavailable(|| key_slot(first.key().as_bytes())) {
            return Reply::ready(Err(error));
        }
        let client = Arc::clone(&self.client);
        if let [request] = requests
            && batch::is_batchable(mode, request)
        {
            return Reply::call(QueuedCall::new(client, mode, request));
        }
        // A single request that is not in a batch is a peek or a request for a permit (see `is_batchable`).
        if let [request] = requests {
            let request = Request::clone(request);
            return Reply::observed(
                |awaited| async move { client.decide_one(mode, &request, &awaited).await },
            );
        }
        let owned: SmallVec<[Request; 1]> = requests.iter().copied().cloned().collect();
        Reply::observed(|awaited| async move {
            let requests: SmallVec<[&Request; 2]> = owned.iter().collect();
            across_slots::decide(&client, mode, &requests, &awaited).await
        })
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        if let Err(error) = adjustments.iter().try_for_each(Adjustment::check) {
            return Reply::ready(Err(error));
        }
        let client = Arc::clone(&self.client);
        let adjustments = adjustments.to_vec();
        Reply::in_the_background(|awaited| async move {
            across_slots::adjust(&client, &adjustments, &awaited).await
        })
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        // One call for each key, because the keys may be on different slots.
        let keys = keys.to_vec();
        let client = Arc::clone(&self.client);
        Reply::in_the_background(|awaited| async move {
            let mut existed = 0;
            for key in &keys {
                existed += client.reset(key, &awaited).await?;
            }
            Ok(existed)
        })
    }

    fn is_connected(&self) -> bool {
        self.client.topology.is_connected()
    }

    fn probe(&self, key: &StoreKey) -> Reply<Vec<Reply<()>>> {
        self.probe_servers(key)
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        let (client, key) = (Arc::clone(&self.client), key.clone());
        Reply::in_the_background(|awaited| hashes::load_overrides(client, key, seen, awaited))
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        let (client, key, change) = (Arc::clone(&self.client), key.clone(), change.map(str::to_owned));
        let entry = entry.to_vec();
        Reply::in_the_background(|awaited| {
            hashes::save_override(client, key, entry, change, expires, awaited)
        })
    }

    fn replace_overrides(&self, key: &StoreKey, seen: u64, changes: &[OverrideEntry]) -> Reply<bool> {
        let replacing =
            hashes::replace_overrides(Arc::clone(&self.client), key.clone(), seen, changes.to_vec());
        Reply::pending(replacing)
    }

    fn load_limits(&self, key: &StoreKey) -> Reply<Vec<(Vec<u8>, String)>> {
        let (client, key) = (Arc::clone(&self.client), key.clone());
        Reply::in_the_background(|awaited| hashes::load_limits(client, key, awaited))
    }

    fn save_limits(
        &self,
        key: &StoreKey,
        changed: &[(Vec<u8>, Option<String>)],
        kept: Duration,
    ) -> Reply<()> {
        let (client, key, changed) = (Arc::clone(&self.client), key.clone(), changed.to_vec());
        Reply::in_the_background(|awaited| hashes::save_limits(client, key, changed, kept, awaited))
    }
}

opaque!(RedisStore, |this| endpoint = this.client.endpoint());
