//! Keys that live on different slots of a cluster, and cannot be in one call.
//!
//! A stack is then no more atomic: its limits are decided slot by slot, smallest `time` first, then smallest `count`, so
//! that the one which refuses most is asked first, and what was charged before a refusal is given back.

use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use crate::store::Awaited;
use crate::store::redis::client::Shared;
use crate::store::{Adjusted, Adjustment, Change, Decisions, Mode, Request, stacks};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::time::Duration;

/// Decides in one call, if the server takes it.
pub(crate) async fn decide(
    shared: &Shared,
    mode: Mode,
    requests: &[Request<'_>],
    awaited: &Awaited,
) -> Result<Decisions, Error> {
    if !shared.is_sharded() || is_one_slot(requests.iter().map(Request::key)) {
        let decided = shared.decide(mode, requests, awaited).await;
        if decided.is_ok() || !shared.is_sharded() || is_one_slot(requests.iter().map(Request::key)) {
            return decided;
        }
        // The server has executed nothing of it.
    }
    let mut decisions = Decisions::new();
    for stack in stacks(requests)? {
        decisions.extend(decide_stack(shared, mode, stack, awaited).await?.iter().copied());
    }
    Ok(decisions)
}

async fn decide_stack(
    shared: &Shared,
    mode: Mode,
    stack: &[Request<'_>],
    awaited: &Awaited,
) -> Result<Decisions, Error> {
    let mut decisions: Vec<Option<Decision>> = stack.iter().map(|_| None).collect();
    let mut charged: Vec<usize> = Vec::new();
    let mut refused = false;
    for members in in_order(stack) {
        // What may have to be given back is charged with a stamp; after a refusal the rest is only looked at.
        let asked = match mode {
            Mode::Peek => Mode::Peek,
            _ if refused => Mode::Peek,
            Mode::Check | Mode::Charge => Mode::Charge,
        };
        let requests = joined(stack, &members);
        let answers = match shared.decide(asked, &requests, awaited).await {
            Ok(answers) => answers,
            Err(error) => {
                give_back(shared, stack, &charged, &decisions).await;
                return Err(error);
            }
        };
        let passed = answers.iter().all(|decision| is_allowed(mode, decision));
        for (at, decision) in members.iter().zip(answers.iter().copied()) {
            decisions[*at] = Some(decision);
        }
        if asked == Mode::Charge && decisions_allowed(&members, &decisions) {
            charged.extend(&members);
        }
        if !passed && !refused {
            refused = true;
            give_back(shared, stack, &charged, &decisions).await;
        }
    }
    Ok(decisions.into_iter().flatten().map(|decision| told(mode, decision)).collect())
}

/// The positions of the members on each slot, in the order in which the slots are asked.
fn in_order(stack: &[Request<'_>]) -> Vec<Vec<usize>> {
    let mut by_slot: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (at, request) in stack.iter().enumerate() {
        by_slot.entry(slot(request.key())).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = by_slot.into_values().collect();
    let tightest = |at: &usize| (stack[*at].limit().time_ms(), stack[*at].limit().count());
    groups.sort_by_key(|members| members.iter().map(tightest).min());
    groups
}

fn joined<'a>(stack: &[Request<'a>], members: &[usize]) -> SmallVec<[Request<'a>; 4]> {
    let last = members.len().saturating_sub(1);
    let join = |(place, at): (usize, &usize)| {
        let request = &stack[*at];
        let alone =
            Request::new(*request.key(), request.limit(), request.cost()).with_permit(request.permit());
        if place < last { alone.with_next() } else { alone }
    };
    members.iter().enumerate().map(join).collect()
}

/// Whoever does not wait is refused where there is a turn to wait for.
fn is_allowed(mode: Mode, decision: &Decision) -> bool {
    decision.allowed() && (mode == Mode::Charge || decision.delay().is_zero())
}

fn decisions_allowed(members: &[usize], decisions: &[Option<Decision>]) -> bool {
    members.iter().all(|at| decisions[*at].is_some_and(|decision| decision.allowed()))
}

fn told(mode: Mode, decision: Decision) -> Decision {
    match mode {
        Mode::Charge => decision,
        _ if decision.allowed() && !decision.delay().is_zero() => decision.refused_until(decision.delay()),
        _ => decision.in_turn(Duration::ZERO, 0),
    }
}

/// As far as the server answers; what it does not take back stays charged.
async fn give_back(
    shared: &Shared,
    stack: &[Request<'_>],
    charged: &[usize],
    decisions: &[Option<Decision>],
) {
    let adjustments: Vec<Adjustment<'_>> = charged
        .iter()
        .filter_map(|at| {
            let (request, stamp) = (&stack[*at], decisions[*at]?.stamp());
            Some(Adjustment::new(*request.key(), request.limit(), request.cost(), Change::Give(stamp)))
        })
        .collect();
    if let Err(error) = adjust(shared, &adjustments).await {
        tracing::warn!(%error, "units of a refused stack were not given back");
    }
}

/// Adjusts in one call, if the server takes it, else slot by slot.
pub(crate) async fn adjust(shared: &Shared, adjustments: &[Adjustment<'_>]) -> Result<Adjusted, Error> {
    let one_slot = is_one_slot(adjustments.iter().map(Adjustment::key));
    if !shared.is_sharded() || one_slot {
        let adjusted = shared.adjust(adjustments).await;
        if adjusted.is_ok() || !shared.is_sharded() || one_slot {
            return adjusted;
        }
    }
    let mut adjusted = Adjusted::new();
    for adjustment in adjustments {
        adjusted.extend(shared.adjust(std::slice::from_ref(adjustment)).await?.iter().copied());
    }
    Ok(adjusted)
}

fn is_one_slot<'k>(mut keys: impl Iterator<Item = &'k StoreKey<'k>>) -> bool {
    let Some(first) = keys.next() else { return true };
    let mut rest = keys.peekable();
    rest.peek().is_none() || {
        let first = slot(first);
        rest.all(|key| slot(key) == first)
    }
}

/// The slot of a key, by its tag: CRC-16/XMODEM, as the cluster specification of Redis says.
pub(crate) fn slot(key: &StoreKey<'_>) -> u16 {
    let bytes = key.as_bytes();
    let tag = bytes.iter().position(|byte| *byte == b'{').and_then(|open| {
        let tag = &bytes[open + 1..];
        let close = tag.iter().position(|byte| *byte == b'}')?;
        (close > 0).then(|| &tag[..close])
    });
    crc16(tag.unwrap_or(bytes)) % 16_384
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        let [high, low] = crc.to_be_bytes();
        u16::from_be_bytes([low, 0]) ^ CRC_16[usize::from(high ^ byte)]
    })
}

/// What each byte adds, eight bits at a time.
const CRC_16: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte: u16 = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte << 8, 0);
        while bit < 8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(crc16(b"123456789"), 0x31C3);
        let of = |key: &str| slot(&StoreKey::new(key.as_bytes()));
        assert_eq!(of("shop:{user1000}:following:c1"), of("other:{user1000}:followers:tb1"));
        assert_eq!(of("user1000"), of("a{user1000}b"));
        assert_eq!(of("foo{}{bar}"), crc16(b"foo{}{bar}") % 16_384);
    }
}
