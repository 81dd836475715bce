//! Asks the library how much of limits is in use. The library reads the states, so this tool knows no state format.

use crate::limits::{Limits, Numbers};
use crate::server::Server;
use futures_util::future::join_all;
use ratelimit::store::{Mode, Request, Store, StoreKey, StoredKey};
use ratelimit::{Algorithm, Decision, Error, Limit};
use std::time::Duration;

/// The most keys in one script call. Such a call takes a server less than a millisecond.
const MOST: usize = 50;

/// How much of one limit is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The units in use. `None` if nobody can tell without the numbers of the limit.
    pub(crate) used: Option<u32>,
    /// What is known with the numbers of the limit.
    pub(crate) known: Option<Known>,
}

/// The decision about a call that costs one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) limit: Limit,
    pub(crate) allowed: bool,
    pub(crate) remaining: u32,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) reset_after: Duration,
}

impl Usage {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self { used: None, known: None };

    fn of(decision: &Decision, numbers: Numbers) -> Self {
        let used = Some(decision.limit().saturating_sub(decision.remaining()));
        let known = match numbers {
            Numbers::Known(limit) => Some(Known {
                limit,
                allowed: decision.allowed(),
                remaining: decision.remaining(),
                retry_after: decision.retry_after(),
                reset_after: decision.reset_after(),
            }),
            Numbers::OnlyUnits(_) | Numbers::Unknown => None,
        };
        Self { used, known }
    }

    /// The share of the limit that is in use, from 0 to 1.
    pub(crate) fn share(&self) -> Option<f64> {
        let (used, known) = (self.used?, self.known?);
        let capacity = known.limit.capacity();
        Some(if capacity == 0 { 1.0 } else { f64::from(used) / f64::from(capacity) })
    }

    /// Whether a call would be refused now.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.known.is_some_and(|known| !known.allowed)
    }
}

/// Reads the usage of keys, in their order. `None` for a key that holds a value of another program.
///
/// # Errors
///
/// If the store does not reply. A foreign value is no error.
pub(crate) async fn read(
    server: &Server,
    limits: &Limits,
    keys: &[(StoredKey, Vec<u8>)],
    is_cluster: bool,
) -> Result<Vec<Option<Usage>>, Error> {
    let numbers = |key: &StoredKey| {
        let algorithm: Option<Algorithm> = key.algorithm();
        algorithm.map_or(Numbers::Unknown, |algorithm| limits.of(key, algorithm))
    };
    let asked: Vec<(usize, Numbers, Request)> = keys
        .iter()
        .enumerate()
        .filter_map(|(at, (key, bytes))| {
            let numbers = numbers(key);
            let (Numbers::Known(limit) | Numbers::OnlyUnits(limit)) = numbers else { return None };
            Some((at, numbers, Request::new(StoreKey::new(bytes), limit, 1)))
        })
        .collect();
    let mut usages = vec![Some(Usage::UNKNOWN); keys.len()];
    // On a cluster the keys of a script call must be on one slot. Calls that are sent together share the way.
    for chunk in asked.chunks(MOST) {
        let requests: Vec<&Request> = chunk.iter().map(|(.., request)| request).collect();
        let decisions = if is_cluster { None } else { server.store.decide(Mode::Peek, &requests).await.ok() };
        let decisions: Vec<Option<Decision>> = match decisions {
            Some(decisions) => decisions.iter().copied().map(Some).collect(),
            None => one_by_one(server, &requests).await?,
        };
        for ((at, numbers, _), decision) in chunk.iter().zip(decisions) {
            usages[*at] = decision.map(|decision| Usage::of(&decision, *numbers));
        }
    }
    Ok(usages)
}

/// Asks about each key in a call of its own, all at once.
async fn one_by_one(server: &Server, requests: &[&Request]) -> Result<Vec<Option<Decision>>, Error> {
    let asked = requests.iter().map(|request| server.store.decide(Mode::Peek, &[request]));
    let replies = join_all(asked).await;
    let all_failed = replies.iter().all(Result::is_err);
    let mut decisions = Vec::with_capacity(replies.len());
    for reply in replies {
        match reply {
            Ok(reply) => decisions.push(reply.first().copied()),
            // Either this key is foreign, or nothing may be read at all.
            Err(error) if error.is_transient() || (all_failed && is_refused(&error)) => return Err(error),
            Err(_) => decisions.push(None),
        }
    }
    Ok(decisions)
}

/// Whether the server refuses the user, and not the value of one key.
fn is_refused(error: &Error) -> bool {
    let message = error.to_string();
    ["permission denied", "cannot log in", "cannot connect"].iter().any(|start| message.starts_with(start))
}
