//! Requests whose keys are on several slots of a cluster, so that they cannot be sent in one call.

use super::Client;
use super::stack_by_slot::StackBySlot;
use super::taken::Taken;
use crate::error::Error;
use crate::key::StoreKey;
use crate::store::redis::topology::key_slot;
use crate::store::{Adjusted, Adjustment, Awaited, Decisions, Mode, Request, all, stacks};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Decides about requests: in one call if the server accepts it, else stack by stack and slot by slot.
pub(crate) async fn decide(
    client: &Arc<Client>,
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
    // If a stack cannot be decided, the caller gets no decision about the stacks before it, so they are given back too.
    let (mut decisions, mut taken) = (Decisions::new(), Taken::new(client));
    for stack in stacks(requests)? {
        let stack = StackBySlot::new(client, mode, stack, awaited);
        decisions.extend(stack.decide(&mut taken).await?.iter().copied());
    }
    taken.keep();
    Ok(decisions)
}

pub(super) fn indices_by_slot<'k>(keys: impl Iterator<Item = &'k StoreKey>) -> Vec<Vec<usize>> {
    let mut by_slot: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (at, key) in keys.enumerate() {
        by_slot.entry(key_slot(key.as_bytes())).or_default().push(at);
    }
    by_slot.into_values().collect()
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
    let (mut adjusted, replies) = (vec![0; adjustments.len()], all(calls.collect()).await);
    let none_executed = replies.iter().all(|reply| reply.as_ref().is_err_and(Error::is_not_executed));
    for (slot, units) in slots.iter().zip(replies) {
        let units = units.map_err(|error| error.with_not_executed(none_executed))?;
        for (at, units) in slot.iter().zip(units.iter()) {
            adjusted[*at] = *units;
        }
    }
    Ok(adjusted.into_iter().collect())
}

pub(crate) fn is_one_slot<'k>(keys: impl Iterator<Item = &'k StoreKey>) -> bool {
    let mut slots = keys.map(|key| key_slot(key.as_bytes()));
    let first = slots.next();
    slots.all(|slot| Some(slot) == first)
}
