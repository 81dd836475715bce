//! Asks the library for the use of limits. The library reads the states, so this tool does not need to know any state format.

use crate::limits::{Limits, Numbers};
use crate::output::{duration, milliseconds, number, plural};
use crate::session::Session;
use futures_util::future::join_all;
use ratelimit::overrides::LimitChange;
use ratelimit::store::{Mode, Request, Store, StoreKey, StoredKey};
use ratelimit::{Decision, Error, Limit};
use serde_json::{Value, json};

/// The maximum number of keys in one script call, which takes a server less than a millisecond.
const MOST: usize = 50;

/// The use of one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The units in use, at most the capacity of the limit. `None` if they are unknown without the numbers of the limit.
    pub(crate) used: Option<u32>,
    /// The decision about a call, if the numbers of the limit are known.
    pub(crate) known: Option<Known>,
}

/// A known limit, and its decision about a call that costs one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) limit: Limit,
    pub(crate) decision: Decision,
}

impl Usage {
    /// The use of a limit about which nothing is known.
    pub(crate) const UNKNOWN: Self = Self { used: None, known: None };

    fn of(decision: &Decision, numbers: Numbers) -> Self {
        let known = numbers.known().map(|limit| Known { limit, decision: *decision });
        // A limit of zero is decided without reading its state, so the units in use are unknown. If the numbers are unknown, only
        // a gate uses a key up.
        let is_unknown = decision.capacity() == 0 || (known.is_none() && decision.remaining() == 0);
        Self { used: (!is_unknown).then(|| in_use(decision)), known }
    }

    /// The share of the limit that is in use: 1 if it is used up.
    pub(crate) fn share(&self) -> Option<f64> {
        let capacity = self.known?.limit.capacity();
        if capacity == 0 {
            return Some(1.0);
        }
        Some(f64::from(self.used?) / f64::from(capacity))
    }

    /// The units in use, as far as they are known: `3 of 5`, `3 units`.
    pub(crate) fn words(&self) -> String {
        let used = self.used.map_or_else(|| "?".to_owned(), |used| number(used.into()));
        match (self.known, self.used) {
            (Some(known), _) => format!("{used} of {}", number(known.limit.capacity().into())),
            (None, Some(used)) => plural(used.into(), "unit"),
            (None, None) => "? units".to_owned(),
        }
    }

    /// Whether a call would be refused now.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.known.is_some_and(|known| !known.decision.is_allowed())
    }

    /// The fields of a key in JSON.
    pub(crate) fn as_json(&self) -> Value {
        let decision = self.known.map(|known| known.decision);
        json!({
            "limit": self.known.map(|known| known.limit.to_string()),
            "used": self.used,
            "capacity": decision.map(|decision| decision.capacity()),
            "remaining": decision.map(|decision| decision.remaining()),
            "allowed": decision.map(|decision| decision.is_allowed()),
            "retry_after_ms": decision.and_then(|decision| decision.retry_after()).map(milliseconds),
            "reset_after_ms": decision.map(|decision| milliseconds(decision.reset_after())),
        })
    }
}

impl Known {
    /// The time until units are free: `free in 3 s` if a call passes now, else `refused for 3 s` or `refuses every call`.
    pub(crate) fn words(&self) -> String {
        match (self.decision.is_allowed(), self.decision.retry_after()) {
            (true, _) => format!("free in {}", duration(self.decision.reset_after())),
            (false, Some(wait)) => format!("refused for {}", duration(wait)),
            (false, None) => "refuses every call".to_owned(),
        }
    }
}

/// Reads the usage of keys, in the order of the keys. `None` for a key that holds a value of another program.
///
/// # Errors
///
/// If the store does not reply, or refuses the user. A value of another program is not an error.
pub(crate) async fn read(
    session: &Session,
    limits: &Limits,
    keys: &[(StoredKey, Vec<u8>)],
) -> Result<Vec<Option<Usage>>, Error> {
    let numbers: Vec<Numbers> = keys
        .iter()
        .map(|(key, _)| key.algorithm().map_or(Numbers::Unknown, |algorithm| limits.of(key, algorithm)))
        .collect();
    let asked = numbers.iter().map(|numbers| match numbers {
        Numbers::Known(limit) | Numbers::OnlyUnits(limit) => Some(*limit),
        Numbers::Unknown => None,
    });
    let decisions = peek(session, keys, asked).await?;
    let usages = numbers.into_iter().zip(decisions).map(|(numbers, decision)| match numbers {
        Numbers::Unknown => Some(Usage::UNKNOWN),
        numbers => decision.map(|decision| Usage::of(&decision, numbers)),
    });
    Ok(usages.collect())
}

/// Reads the units in use of keys whose usage was just read, also above the capacities of their limits. `None` for a key that
/// refuses calls until a block or a pause ends: such a key is shown as used up, whatever is in use.
///
/// # Errors
///
/// The errors of [`read`].
pub(crate) async fn levels(
    session: &Session,
    keys: &[(StoredKey, Vec<u8>)],
    usages: &[Option<Usage>],
) -> Result<Vec<Option<u32>>, Error> {
    let raised: Vec<Option<Limit>> = usages.iter().map(|usage| usage.and_then(raised)).collect();
    let decisions = peek(session, keys, raised.iter().copied()).await?;
    let levels = usages.iter().zip(raised).zip(decisions).map(|((usage, raised), decision)| match raised {
        Some(_) => decision.filter(|decision| decision.remaining() > 0).map(|decision| in_use(&decision)),
        None => usage.and_then(|usage| usage.used),
    });
    Ok(levels.collect())
}

/// A larger limit that reads the same state, if all units of the limit are in use. A gate refuses its calls, too.
fn raised(usage: Usage) -> Option<Limit> {
    let Known { limit, decision } = usage.known.filter(|known| !known.limit.algorithm().is_list())?;
    let (is_bucket, most) = (limit.is_bucket(), LimitChange::new());
    let most = if is_bucket { most.burst(u32::MAX) } else { most.count(u32::MAX) };
    (decision.remaining() == 0).then(|| most.apply_what_fits(&limit))
}

fn in_use(decision: &Decision) -> u32 {
    decision.capacity().saturating_sub(decision.remaining())
}

/// Decides about calls of these limits without taking units. `None` for a key without a limit, and for a key that holds a value
/// of another program.
async fn peek(
    session: &Session,
    keys: &[(StoredKey, Vec<u8>)],
    limits: impl Iterator<Item = Option<Limit>>,
) -> Result<Vec<Option<Decision>>, Error> {
    let asked =
        keys.iter().zip(limits).enumerate().filter_map(|(at, ((_, bytes), limit))| {
            Some((at, Request::new(StoreKey::new(bytes), limit?, 1)))
        });
    let asked: Vec<(usize, Request)> = asked.collect();
    let mut all = vec![None; keys.len()];
    for chunk in asked.chunks(MOST) {
        let requests: Vec<&Request> = chunk.iter().map(|(_, request)| request).collect();
        // On a cluster, the keys of a script call must be on one slot.
        let decisions =
            if session.is_cluster { None } else { session.store.decide(Mode::Peek, &requests).await.ok() };
        let decisions: Vec<Option<Decision>> = match decisions {
            Some(decisions) => decisions.iter().copied().map(Some).collect(),
            None => one_by_one(session, &requests).await?,
        };
        for ((at, _), decision) in chunk.iter().zip(decisions) {
            all[*at] = decision;
        }
    }
    Ok(all)
}

/// Requests each key in a separate call. All calls run at the same time.
async fn one_by_one(session: &Session, requests: &[&Request]) -> Result<Vec<Option<Decision>>, Error> {
    let asked = requests.iter().map(|request| session.store.decide(Mode::Peek, &[request]));
    let mut decisions = Vec::with_capacity(requests.len());
    for reply in join_all(asked).await {
        match reply {
            Ok(reply) => decisions.push(reply.first().copied()),
            Err(error) if error.is_transient() || is_refused(&error) => return Err(error),
            Err(_) => decisions.push(None),
        }
    }
    Ok(decisions)
}

/// Whether the server refuses all requests of the user, not only one key.
fn is_refused(error: &Error) -> bool {
    let message = error.to_string();
    ["permission denied", "cannot log in", "cannot connect"].iter().any(|start| message.starts_with(start))
}
