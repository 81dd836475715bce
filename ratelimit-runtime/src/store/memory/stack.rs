//! Decisions about stacks: all members are judged and charged while the shards of all their keys are locked.

use super::MemoryStore;
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
}

/// The locked shards of all keys of a stack.
struct Locked<'t> {
    numbers: Guards<'t, u64>,
    lists: Guards<'t, List>,
}

impl Locked<'_> {
    fn judge(&mut self, member: &Member<'_>, now: Now) -> Verdict {
        let Member { terms, hash } = member;
        match terms.limit.state() {
            State::Number(state) => {
                number::judge(state, &self.numbers.of(*hash).entry(*hash, now.ms), terms, now)
            }
            State::List(state) => list::judge(state, &self.lists.of(*hash).entry(*hash, now.ms), terms, now),
        }
    }

    fn charge(&mut self, member: &Member<'_>, verdict: &Verdict, wait: u64, now: Now) -> Verdict {
        let Member { terms, hash } = member;
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
        let members: SmallVec<[Member<'_>; 4]> = stack
            .iter()
            .zip(&dated)
            .map(|(request, dated)| Member {
                terms: Terms::of(mode, request, dated.as_ref()),
                hash: self.hash_key.hash(request.key()),
            })
            .collect();
        self.decide_locked(&members, now, decisions);
        self.lists.shed(now.ms);
    }

    fn decide_locked(&self, members: &[Member<'_>], now: Now, decisions: &mut Decisions) {
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
        let verdicts: SmallVec<[Verdict; 4]> =
            members.iter().map(|member| locked.judge(member, now)).collect();
        let passes = members
            .iter()
            .zip(&verdicts)
            .all(|(member, verdict)| verdict.wait_within(member.terms.longest_wait).is_some());
        for (member, verdict) in members.iter().zip(&verdicts) {
            let verdict = match verdict.wait_within(member.terms.longest_wait) {
                Some(wait) if passes && member.terms.charges => locked.charge(member, verdict, wait, now),
                _ => *verdict,
            };
            decisions.push(verdict.decision(member.terms.limit, member.terms.longest_wait));
        }
    }
}
