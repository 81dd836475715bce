//! Decisions about stacks: all members are judged and charged while the shards of all their keys are locked.

use super::MemoryStore;
use super::gates::Gate;
use super::list::{self, List};
use super::number;
use super::table::Guards;
use super::terms::{Now, Terms};
use super::verdict::Verdict;
use crate::clock::Clock;
use crate::limit::{Limit, State};
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;

/// A request of a stack, with the hash of its key.
struct Member<'a> {
    terms: Terms<'a>,
    hash: u64,
    /// Whether a refusal by the limit blocks the callers of the key.
    closes_gate: bool,
}

/// The locked shards of all keys of a stack.
struct Locked<'t> {
    numbers: Guards<'t, u64>,
    lists: Guards<'t, List>,
}

impl Locked<'_> {
    fn judge(&mut self, member: &Member<'_>, now: Now) -> Verdict {
        let Member { terms, hash, .. } = member;
        match terms.limit.state() {
            State::Number(state) => {
                number::judge(state, &self.numbers.of(*hash).entry(*hash, now.ms), terms, now)
            }
            State::List(state) => list::judge(state, &self.lists.of(*hash).entry(*hash, now.ms), terms, now),
        }
    }

    fn charge(&mut self, member: &Member<'_>, verdict: &Verdict, wait: u64, now: Now) -> Verdict {
        let Member { terms, hash, .. } = member;
        match terms.limit.state() {
            State::Number(state) => {
                number::charge(state, self.numbers.of(*hash).entry(*hash, now.ms), terms, wait, now)
            }
            State::List(state) => {
                list::charge(state, self.lists.of(*hash).entry(*hash, now.ms), terms, verdict, wait, now)
            }
        }
    }
}

impl<C: Clock> MemoryStore<C> {
    pub(super) fn decide_stack(&self, mode: Mode, stack: &[&Request], now: Now, decisions: &mut Decisions) {
        let dated: SmallVec<[Option<Limit>; 4]> =
            stack.iter().map(|request| self.dates.limit_at(request.limit(), &self.clock, now)).collect();
        let mut members: SmallVec<[Member<'_>; 4]> = stack
            .iter()
            .zip(&dated)
            .map(|(request, dated)| Member {
                terms: Terms::of(mode, request, dated.as_ref().unwrap_or(request.limit())),
                hash: self.hash_key.hash(request.key()),
                closes_gate: mode != Mode::Peek && request.closes_gate(),
            })
            .collect();
        self.decide_locked(&mut members, now, decisions);
        self.lists.shed(now.ms);
    }

    fn decide_locked(&self, members: &mut [Member<'_>], now: Now, decisions: &mut Decisions) {
        let hashes = |numbers: bool| {
            let is_number = |member: &Member<'_>| matches!(member.terms.limit.state(), State::Number(_));
            let chosen = members.iter().filter(move |member| is_number(member) == numbers);
            chosen.map(|member| member.hash)
        };
        // All callers lock numbers before lists, so that two stacks cannot block each other.
        let mut locked = Locked {
            numbers: self.numbers.lock_all(hashes(true)),
            lists: self.lists.lock_all(hashes(false)),
        };
        let judged = members.iter_mut().map(|member| {
            let gate = match member.terms.limit.state() {
                State::Number(_) => self.gates.meet(&mut member.terms, member.hash, now),
                State::List(_) => Gate::default(),
            };
            let verdict = locked.judge(member, now);
            // Each member that refuses the stack blocks its own callers.
            let closed = if member.closes_gate {
                self.gates.refused(gate, &verdict, &member.terms, member.hash, now)
            } else {
                gate
            };
            if gate.is_none() && !closed.is_none() {
                number::gated(
                    locked.numbers.of(member.hash).entry(member.hash, now.ms),
                    member.terms.limit,
                    now,
                );
            }
            (closed, closed.shown(verdict, now))
        });
        let judged: SmallVec<[(Gate, Verdict); 4]> = judged.collect();
        let passes = members
            .iter()
            .zip(&judged)
            .all(|(member, (_, verdict))| verdict.wait_within(member.terms.longest_wait).is_some());
        for (member, (gate, verdict)) in members.iter().zip(&judged) {
            let verdict = match verdict.wait_within(member.terms.longest_wait) {
                Some(wait) if passes && member.terms.charges => {
                    gate.shown(locked.charge(member, verdict, wait, now), now)
                }
                _ => *verdict,
            };
            decisions.push(verdict.decision(member.terms.limit, member.terms.longest_wait));
        }
    }
}
