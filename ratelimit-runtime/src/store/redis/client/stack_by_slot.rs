//! `StackBySlot`: a stack on several slots of a cluster, which is decided slot by slot.
//!
//! This is not atomic. The limit with the smallest `time`, and among equal times with the smallest `count`, is decided first,
//! because it refuses most often. Limits with turns or permits are decided last. If the stack is not admitted, everything that
//! was taken before is returned ([`Taken`]).

use super::Client;
use super::across_slots::indices_by_slot;
use super::taken::Taken;
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Awaited, Decisions, Mode, Request};
use smallvec::SmallVec;
use std::time::Duration;

pub(super) struct StackBySlot<'s> {
    client: &'s Client,
    mode: Mode,
    stack: &'s [&'s Request],
    awaited: &'s Awaited,
    decisions: Vec<Option<Decision>>,
    /// Whether the last decision about a member only looked, and changed nothing.
    looked: Vec<bool>,
    /// Whether a limit has refused the call.
    refused: bool,
    /// The error because of which limits were not charged.
    failed: Option<Error>,
}

impl<'s> StackBySlot<'s> {
    pub(super) fn new(
        client: &'s Client,
        mode: Mode,
        stack: &'s [&'s Request],
        awaited: &'s Awaited,
    ) -> Self {
        let (decisions, looked) = (vec![None; stack.len()], vec![false; stack.len()]);
        Self { client, mode, stack, awaited, decisions, looked, refused: false, failed: None }
    }

    /// Decides the stack. Adds what it takes to `taken`. If it is not admitted, returns what it has taken.
    pub(super) async fn decide(mut self, taken: &mut Taken<'_>) -> Result<Decisions, Error> {
        let (slots, before, charges) = (by_slot(self.stack), taken.len(), self.mode != Mode::Peek);
        if charges {
            // A turn or a permit that is taken and given back would delay other calls. So these limits are asked first whether
            // they refuse the call, and are charged last.
            for members in slots.iter().filter(|members| have_places(self.stack, members)) {
                self.look(members).await?;
            }
        }
        for members in &slots {
            if !charges || self.is_over() {
                self.look(members).await?;
                continue;
            }
            match self.ask(self.charging(members), members).await {
                Ok(()) => {
                    self.note_taken(members, taken);
                    self.refused |= !self.pass(members);
                }
                // A server that refuses to write can still refuse the call, and so can the other servers.
                Err(error) if error.is_transient() => {
                    self.failed = Some(error);
                    self.look(members).await?;
                }
                Err(error) => return Err(error),
            }
            if self.is_over() {
                taken.give_back(before).await;
            }
        }
        if self.refused {
            self.block_refused(taken).await;
        } else if let Some(error) = self.failed {
            return Err(error);
        }
        // If a server has failed after a refusal, nothing is known about its limits.
        let unknown =
            |request: &&Request| Decision::allow(request.limit(), request.limit().capacity(), Duration::ZERO);
        let decided = self.decisions.iter().zip(self.stack);
        Ok(decided
            .map(|(decision, request)| in_mode(self.mode, decision.unwrap_or_else(|| unknown(request))))
            .collect())
    }

    /// Whether the stack will not be admitted.
    const fn is_over(&self) -> bool {
        self.refused || self.failed.is_some()
    }

    /// Asks whether the members of a slot pass, unless they already have decisions.
    async fn look(&mut self, members: &[usize]) -> Result<(), Error> {
        if members.iter().any(|at| self.decisions[*at].is_none()) {
            match self.ask(Mode::Peek, members).await {
                Ok(()) => self.refused |= self.mode != Mode::Peek && !self.pass(members),
                Err(error) if error.is_transient() => drop(self.failed.get_or_insert(error)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Asks the server of a slot about its members.
    async fn ask(&mut self, mode: Mode, members: &[usize]) -> Result<(), Error> {
        let requests = joined(self.stack, members);
        let requests: SmallVec<[&Request; 4]> = requests.iter().collect();
        let decided = self.client.decide(mode, &requests, self.awaited).await?;
        for (at, decision) in members.iter().zip(decided.iter().copied()) {
            let is_look = mode == Mode::Peek && self.mode == Mode::Charge;
            let decision = if is_look { in_its_turn(self.stack[*at], decision) } else { decision };
            (self.decisions[*at], self.looked[*at]) = (Some(decision), mode == Mode::Peek);
        }
        Ok(())
    }

    /// The mode that charges the members of a slot. Mode `check` becomes mode `charge`, whose stamp finds the units again if they
    /// must be given back. A permit has an id instead, and a lone request for a permit in mode `charge` would leave a ticket.
    fn charging(&self, members: &[usize]) -> Mode {
        match members {
            [at] if self.stack[*at].limit().is_concurrency() => Mode::Check,
            _ => Mode::Charge,
        }
    }

    /// Whether all members of a slot pass. Only mode `charge` accepts a later turn.
    fn pass(&self, members: &[usize]) -> bool {
        let passes = |decision: &Decision| {
            decision.is_allowed() && (self.mode == Mode::Charge || decision.delay().is_zero())
        };
        members.iter().all(|at| self.decisions[*at].as_ref().is_some_and(passes))
    }

    /// Notes what the members of a slot have taken: each of them, or nothing if one is refused.
    fn note_taken(&mut self, members: &[usize], taken: &mut Taken<'_>) {
        let allowed =
            |at: &usize| self.decisions[*at].filter(Decision::is_allowed).map(|decision| (*at, decision));
        let all: Option<SmallVec<[_; 4]>> = members.iter().map(allowed).collect();
        for (at, decision) in all.unwrap_or_default() {
            taken.add(self.stack[at], &decision);
        }
    }

    /// Blocks the callers of limits that have a block, if a peek has found these limits used up. A peek starts no block, so this
    /// function requests a charge. If units have come back in the meantime, the request passes, and its charge is given back. The
    /// call stays refused, because its other limits are not charged.
    async fn block_refused(&mut self, taken: &mut Taken<'_>) {
        for at in 0..self.stack.len() {
            let peeked = self.decisions[at].filter(|decision| !decision.is_allowed());
            if peeked.is_none() || !self.looked[at] || self.stack[at].limit().block_steps().is_none() {
                continue;
            }
            let before = taken.len();
            if self.ask(Mode::Charge, &[at]).await.is_ok() {
                self.note_taken(&[at], taken);
                taken.give_back(before).await;
                self.decisions[at] = self.decisions[at].filter(|decision| !decision.is_allowed()).or(peeked);
            }
        }
    }
}

/// Whether calls get turns or permits of one of these limits.
fn have_places(stack: &[&Request], members: &[usize]) -> bool {
    let mut limits = members.iter().map(|at| stack[*at].limit());
    limits.any(|limit| limit.is_concurrency() || limit.wait_ms() > 0)
}

/// Converts the reply of a peek to the decision of mode `charge`, in which a request may wait for its turn.
fn in_its_turn(request: &Request, peeked: Decision) -> Decision {
    let turn = peeked.retry_after().filter(|turn| *turn <= request.limit().longest_wait());
    match turn {
        Some(turn) if !request.limit().is_concurrency() => {
            Decision::allow(request.limit(), peeked.remaining(), peeked.reset_after()).in_turn(turn, 0)
        }
        _ => peeked,
    }
}

/// The indices of the members on each slot. The slots are in the order in which they are charged.
fn by_slot(stack: &[&Request]) -> Vec<Vec<usize>> {
    let mut groups = indices_by_slot(stack.iter().map(|request| request.key()));
    let strictness = |at: &usize| (stack[*at].limit().time_ms(), stack[*at].limit().count());
    groups.sort_by_key(|members| (have_places(stack, members), members.iter().map(strictness).min()));
    groups
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

/// Converts a decision of mode `charge` to the mode of the caller.
fn in_mode(mode: Mode, decision: Decision) -> Decision {
    match mode {
        Mode::Charge => decision,
        _ if decision.is_allowed() && !decision.delay().is_zero() => decision.refused_until(decision.delay()),
        _ => decision.in_turn(Duration::ZERO, 0),
    }
}
