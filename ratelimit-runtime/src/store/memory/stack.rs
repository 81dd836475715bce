//! Stacks: all or nothing, judged and charged while everything that they touch stays locked.

use super::MemoryStore;
use super::ask::{Ask, Now, is_number};
use super::held::{self, Held};
use super::number;
use super::table::{Guards, Hash};
use super::verdict::Verdict;
use crate::clock::Clock;
use crate::decision::Decision;
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;

/// A request of a stack, and what locks it.
struct Member<'a> {
    ask: Ask<'a>,
    hash: Hash,
}

/// All that a stack touches.
struct Locked<'t> {
    numbers: Guards<'t, u64>,
    held: Guards<'t, Held>,
}

impl Locked<'_> {
    fn judge(&mut self, member: &Member<'_>, now: Now) -> Verdict {
        let Member { ask, hash } = member;
        if is_number(ask.limit) {
            number::judge(&self.numbers.of(*hash).entry(*hash, now.ms), ask, now)
        } else {
            held::judge(&self.held.of(*hash).entry(*hash, now.ms), ask, now)
        }
    }

    fn charge(&mut self, member: &Member<'_>, verdict: &Verdict, wait: u64, now: Now) -> Decision {
        let Member { ask, hash } = member;
        if is_number(ask.limit) {
            number::charge_judged(self.numbers.of(*hash).entry(*hash, now.ms), ask, verdict, wait, now)
        } else {
            held::charge(self.held.of(*hash).entry(*hash, now.ms), ask, verdict, wait, now)
        }
    }
}

impl<C: Clock> MemoryStore<C> {
    pub(super) fn decide_stack(&self, mode: Mode, stack: &[&Request], now: Now, decisions: &mut Decisions) {
        let members: SmallVec<[Member<'_>; 4]> = stack
            .iter()
            .map(|request| Member { ask: Ask::of(mode, request), hash: self.hash_key.hash(request.key()) })
            .collect();
        self.decide_locked(&members, now, decisions);
        self.held.shed(now.ms);
    }

    fn decide_locked(&self, members: &[Member<'_>], now: Now, decisions: &mut Decisions) {
        let of = |numbers: bool| {
            let of = members.iter().filter(move |member| is_number(member.ask.limit) == numbers);
            of.map(|member| member.hash)
        };
        // Numbers first, as everywhere.
        let mut locked =
            Locked { numbers: self.numbers.lock_all(of(true)), held: self.held.lock_all(of(false)) };
        let verdicts: SmallVec<[Verdict; 4]> =
            members.iter().map(|member| locked.judge(member, now)).collect();
        let passes = members
            .iter()
            .zip(&verdicts)
            .all(|(member, verdict)| verdict.passes(member.ask.patience).is_some());
        for (member, verdict) in members.iter().zip(&verdicts) {
            decisions.push(match verdict.passes(member.ask.patience) {
                Some(wait) if passes && member.ask.charges => locked.charge(member, verdict, wait, now),
                _ => verdict.decision(member.ask.limit, member.ask.patience),
            });
        }
    }
}
