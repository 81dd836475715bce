//! Requests whose keys are on several slots of a cluster, so that they cannot be sent in one call.
//!
//! A stack on several slots is not atomic. Its limits are decided slot by slot. The limit with the smallest `time`, and among
//! equal times with the smallest `count`, is decided first, because it refuses most often. Units that were charged before a
//! refusal are returned.

use super::Client;
use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use crate::store::redis::topology::key_slot;
use crate::store::{Adjusted, Adjustment, Awaited, Change, Decisions, Mode, Request, all, stacks};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::time::Duration;

/// Decides about requests: in one call if the server accepts it, else stack by stack and slot by slot.
pub(crate) async fn decide(
    client: &Client,
    mode: Mode,
    requests: &[&Request],
    awaited: &Awaited,
) -> Result<Decisions, Error> {
    let needs_several_calls =
        || client.requires_one_slot() && !is_one_slot(requests.iter().map(|request| request.key()));
    if !needs_several_calls() {
        let decided = client.decide(mode, requests, awaited).await;
        // This call may be the first to learn that its keys must be on one slot. In this case, the server has executed nothing.
        if decided.is_ok() || !needs_several_calls() {
            return decided;
        }
    }
    let mut decisions = Decisions::new();
    for stack in stacks(requests)? {
        decisions.extend(decide_stack(client, mode, stack, awaited).await?.iter().copied());
    }
    Ok(decisions)
}

async fn decide_stack(
    client: &Client,
    mode: Mode,
    stack: &[&Request],
    awaited: &Awaited,
) -> Result<Decisions, Error> {
    let mut decisions: Vec<Option<Decision>> = vec![None; stack.len()];
    let mut charged: Vec<usize> = Vec::new();
    let mut refused = false;
    for members in by_slot(stack) {
        // Mode `check` becomes mode `charge`, whose stamp finds the units again if they must be given back. After a refusal,
        // the further slots are only peeked at.
        let slot_mode = match mode {
            Mode::Peek => Mode::Peek,
            _ if refused => Mode::Peek,
            Mode::Check | Mode::Charge => Mode::Charge,
        };
        let requests = joined(stack, &members);
        let requests: SmallVec<[&Request; 4]> = requests.iter().collect();
        let decided = match client.decide(slot_mode, &requests, awaited).await {
            Ok(decided) => decided,
            Err(error) => {
                give_back(client, stack, &charged, &decisions).await;
                return Err(error);
            }
        };
        let passed = decided.iter().all(|decision| passes(mode, decision));
        for (at, decision) in members.iter().zip(decided.iter().copied()) {
            decisions[*at] = Some(decision);
        }
        if refused && mode != Mode::Peek {
            block_refused(client, stack, &members, &mut decisions, awaited).await?;
        }
        if slot_mode == Mode::Charge && all_allowed(&members, &decisions) {
            charged.extend(&members);
        }
        if !passed && !refused {
            refused = true;
            give_back(client, stack, &charged, &decisions).await;
        }
    }
    Ok(decisions.into_iter().flatten().map(|decision| in_mode(mode, decision)).collect())
}

/// Blocks the callers of limits that have a block, if a peek has found these limits used up. A peek starts no block, so this
/// function requests a charge. If units have come back in the meantime, the request passes, and its charge is given back.
async fn block_refused(
    client: &Client,
    stack: &[&Request],
    members: &[usize],
    decisions: &mut [Option<Decision>],
    awaited: &Awaited,
) -> Result<(), Error> {
    for at in members {
        let peeked = decisions[*at].is_some_and(|decision| decision.is_allowed());
        if peeked || stack[*at].limit().block_steps().is_none() {
            continue;
        }
        let request = stack[*at].alone(stack[*at].cost());
        let decided = client.decide(Mode::Charge, &[&request], awaited).await?;
        decisions[*at] = decided.first().copied();
        if all_allowed(&[*at], decisions) {
            give_back(client, stack, &[*at], decisions).await;
        }
    }
    Ok(())
}

/// Returns the indices of the members on each slot. The slots are in the order in which they are decided.
fn by_slot(stack: &[&Request]) -> Vec<Vec<usize>> {
    let mut groups = indices_by_slot(stack.iter().map(|request| request.key()));
    let strictness = |at: &usize| (stack[*at].limit().time_ms(), stack[*at].limit().count());
    groups.sort_by_key(|members| members.iter().map(strictness).min());
    groups
}

/// Returns the indices of the keys on each slot.
fn indices_by_slot<'k>(keys: impl Iterator<Item = &'k StoreKey>) -> Vec<Vec<usize>> {
    let mut by_slot: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (at, key) in keys.enumerate() {
        by_slot.entry(key_slot(key.as_bytes())).or_default().push(at);
    }
    by_slot.into_values().collect()
}

/// Creates a stack of the given members of a stack.
fn joined(stack: &[&Request], members: &[usize]) -> SmallVec<[Request; 4]> {
    let last = members.len().saturating_sub(1);
    let join = |(position, at): (usize, &usize)| {
        let request = stack[*at].alone(stack[*at].cost());
        if position < last { request.with_next() } else { request }
    };
    members.iter().enumerate().map(join).collect()
}

/// Returns whether a request passes in a mode. Only mode `charge` accepts a later turn.
fn passes(mode: Mode, decision: &Decision) -> bool {
    decision.is_allowed() && (mode == Mode::Charge || decision.delay().is_zero())
}

fn all_allowed(members: &[usize], decisions: &[Option<Decision>]) -> bool {
    members.iter().all(|at| decisions[*at].is_some_and(|decision| decision.is_allowed()))
}

/// Converts a decision of mode `charge` to the mode of the caller.
fn in_mode(mode: Mode, decision: Decision) -> Decision {
    match mode {
        Mode::Charge => decision,
        _ if decision.is_allowed() && !decision.delay().is_zero() => decision.refused_until(decision.delay()),
        _ => decision.in_turn(Duration::ZERO, 0),
    }
}

/// Gives back the units of the charged members. If the server does not confirm this, the units may stay charged.
async fn give_back(client: &Client, stack: &[&Request], charged: &[usize], decisions: &[Option<Decision>]) {
    let adjustments: Vec<Adjustment> = charged
        .iter()
        .filter_map(|at| {
            let (request, stamp) = (&stack[*at], decisions[*at]?.stamp());
            Some(request.adjustment(request.cost(), Change::Give(stamp)))
        })
        .collect();
    if let Err(error) = adjust(client, &adjustments, &Awaited::default()).await {
        tracing::warn!(%error, "the units of a refused stack stay charged, because they could not be returned");
    }
}

/// Makes adjustments: in one call if the server accepts it, else in one call for each slot. The calls are sent together, so
/// that a node that does not reply delays only its own call.
pub(crate) async fn adjust(
    client: &Client,
    adjustments: &[Adjustment],
    awaited: &Awaited,
) -> Result<Adjusted, Error> {
    let needs_several_calls =
        || client.requires_one_slot() && !is_one_slot(adjustments.iter().map(Adjustment::key));
    if !needs_several_calls() {
        let adjusted = client.adjust(adjustments, awaited).await;
        if adjusted.is_ok() || !needs_several_calls() {
            return adjusted;
        }
    }
    let slots = indices_by_slot(adjustments.iter().map(Adjustment::key));
    let calls = slots.iter().map(|slot| {
        let of_slot: Vec<Adjustment> = slot.iter().map(|at| adjustments[*at].clone()).collect();
        Box::pin(async move { client.adjust(&of_slot, &Awaited::default()).await })
    });
    let mut adjusted = vec![0; adjustments.len()];
    for (slot, units) in slots.iter().zip(all(calls.collect()).await) {
        for (at, units) in slot.iter().zip(units?.iter()) {
            adjusted[*at] = *units;
        }
    }
    Ok(adjusted.into_iter().collect())
}

/// Returns whether all keys are on one slot.
pub(crate) fn is_one_slot<'k>(keys: impl Iterator<Item = &'k StoreKey>) -> bool {
    let mut slots = keys.map(|key| key_slot(key.as_bytes()));
    let first = slots.next();
    slots.all(|slot| Some(slot) == first)
}
