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
mod known;
mod link;
pub(crate) mod lone;
mod looks;
mod node;
mod open;
mod overrides;
mod pace;
mod per_runtime;
mod range;
mod said;
pub(crate) mod script;
mod seat;
mod sentinel;
mod session;
mod slot_map;
mod slots;
mod sync;
mod tls;
mod url;
mod way;

use super::{
    Adjusted, Adjustment, Awaited, Decisions, Mode, Overridden, OwnedAdjustment, OwnedRequest, Reply,
    Request, Store, stacks,
};
use crate::key::StoreKey;
use call::{Alone, Call, Shared};
use slots::slot;
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// Keeps limits in Redis or Valkey, shared by all processes that use the same server and prefix.
///
/// One multiplexed connection to each server serves all calls of a tokio runtime. A decision is one script call; decisions that are asked for
/// while others are under way go together, up to 128 in one call, each decided for itself and in order of arrival. The script
/// decides with the server's clock, so processes need no synchronised clocks of their own. In each runtime, at most 16 384 calls
/// wait to be sent to a server; more fail at once ([`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable)).
///
/// A connection that has broken is made anew by the next call, within its deadline. While the server stays away, calls fail
/// at once, and one attempt at a time is made in the background, after 0.1 to 1 second. So it is where five calls in a row
/// have missed their deadlines and none was answered in between: then a `PING` at a time asks whether the server answers
/// within the longest of these deadlines, and one that is not answered at all in half a second is the last on its
/// connection. All limiters on one store share this, whatever their deadlines.
///
/// A call whose answer was lost is never sent again: it may have been counted.
///
/// The futures need a tokio runtime with I/O and time enabled. A connection belongs to the runtime that drives it: each
/// runtime that uses the store has connections, batches and circuit breakers of its own. So a runtime that is blocked,
/// idle or shut down delays no call of another one.
#[derive(Clone)]
pub struct RedisStore {
    shared: Arc<Shared>,
}

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
            let seat = commit::seat(mode, request);
            return Reply::pending(commit::decide(shared, Arc::clone(&seat))).observed_by(seat);
        }
        let awaited = Arc::new(Awaited::default());
        let observer = Arc::clone(&awaited);
        if let Some(script) = shared.lone.as_ref().and_then(|lone| lone.script(mode, requests)) {
            let call = Call::new(script, |command| lone::encode(command, &requests[0]));
            let alone = Alone::of(&requests[0]);
            return Reply::pending(async move { shared.decide_alone(&call, mode, &alone, &awaited).await })
                .observed_by(observer);
        }
        let owned: SmallVec<[OwnedRequest; 1]> = requests.iter().map(OwnedRequest::of).collect();
        Reply::pending(async move {
            let requests: SmallVec<[Request<'_>; 1]> = owned.iter().map(OwnedRequest::request).collect();
            if requests.is_empty() {
                return Ok(Decisions::new());
            }
            slots::decide(&shared, mode, &requests, &awaited).await
        })
        .observed_by(observer)
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

    fn reset(&self, keys: &[StoreKey<'_>]) -> Reply<u64> {
        // One command per key: they may live on different slots.
        let keys: SmallVec<[Vec<u8>; 1]> = keys.iter().map(|key| key.as_bytes().to_vec()).collect();
        let shared = Arc::clone(&self.shared);
        Reply::pending(async move {
            let mut existed = 0;
            for key in &keys {
                let key = StoreKey::new(key);
                match shared.ask(&key, redis::cmd("DEL").arg(key.as_bytes())).await? {
                    redis::Value::Int(0) => {}
                    redis::Value::Int(1) => existed += 1,
                    _ => return Err(shared.wrong(&script::Wrong::Answer(range::WRONG), &[key])),
                }
            }
            Ok(existed)
        })
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
