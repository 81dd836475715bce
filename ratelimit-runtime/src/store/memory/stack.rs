//! Decides about stacks: judges and charges all members while the shards of all their keys are locked.

use super::gates::Gate;
use super::list::List;
use super::table::Guards;
use super::terms::{Terms, Verdict};
use super::{MemoryStore, bucket, fair, list, number};
use crate::clock::Clock;
use crate::limit::Limit;
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;

impl<C: Clock> MemoryStore<C> {
    pub(super) fn decide_stack(
        &self,
        mode: Mode,
        stack: &[&Request],
        now_us: u64,
        decisions: &mut Decisions,
    ) {
        let dated: SmallVec<[Option<Limit>; 4]> =
            stack.iter().map(|request| self.dated(request.limit(), now_us)).collect();
        let members = stack.iter().zip(&dated).map(|(request, dated)| {
            Terms::of(mode, request, dated.as_ref().unwrap_or(request.limit()), now_us)
        });
        let mut members: SmallVec<[Terms<'_>; 4]> = members.collect();
        self.decide_locked(&mut members, decisions);
        self.lists.shed(now_us / 1000);
    }

    pub(super) fn decide_locked(&self, members: &mut [Terms<'_>], decisions: &mut Decisions) {
        let hashes = |lists: bool| {
            let chosen = members.iter().filter(move |terms| terms.limit.is_list() == lists);
            chosen.map(|terms| terms.hash)
        };
        // All callers lock the table of numbers before the table of lists, so that two stacks cannot deadlock.
        let mut numbers = self.numbers.lock_all(hashes(false));
        let mut lists = self.lists.lock_all(hashes(true));
        let judged = members.iter_mut().map(|terms| {
            let gate = self.meet_gate(terms);
            let mut verdict = self.decide_in(&mut numbers, &mut lists, &Terms { mode: Mode::Peek, ..*terms });
            let mut share = None;
            if terms.caller.is_some() && gate.left(terms.now) == 0 && !terms.limit.refuses_all() {
                let met = self.meet_share(terms, &verdict);
                if met.is_counted() {
                    verdict = self.decide_in(&mut numbers, &mut lists, &Terms { mode: Mode::Peek, ..*terms });
                }
                share = Some(met);
            }
            // If a limit with a block refuses the stack, the limit blocks its own callers.
            let closed = self.close_gate(gate, &verdict, terms);
            if gate.is_none() && !closed.is_none() {
                let set_end = |entry: &mut _| bucket::gated(entry, terms.limit, terms.now);
                self.numbers.update_in(&mut numbers, terms.hash, terms.now, set_end);
            }
            (closed, closed.shown(verdict, terms.now), share)
        });
        let judged: SmallVec<[(Gate, Verdict, Option<fair::Share>); 4]> = judged.collect();
        let passes = members
            .iter()
            .zip(&judged)
            .all(|(terms, (_, verdict, _))| verdict.wait_within(terms.longest_wait).is_some());
        for (terms, (gate, verdict, share)) in members.iter().zip(judged) {
            let is_refused = verdict.wait_within(terms.longest_wait).is_none();
            if let Some(share) = share.filter(|_| terms.charges() && (passes || is_refused)) {
                self.note_share(terms, &share, passes);
            }
            let verdict = match verdict.wait_ms {
                Some(wait) if passes && terms.charges() => {
                    let charge = terms.granted(terms.cost, wait);
                    gate.shown(self.decide_in(&mut numbers, &mut lists, &charge), terms.now)
                }
                _ => verdict,
            };
            decisions.push(verdict.decision(terms.limit, terms.longest_wait));
        }
    }

    fn decide_in(
        &self,
        numbers: &mut Guards<'_, u64>,
        lists: &mut Guards<'_, List>,
        terms: &Terms<'_>,
    ) -> Verdict {
        let Terms { hash, now, .. } = *terms;
        if terms.limit.is_list() {
            return self.lists.update_in(lists, hash, now, |entry| list::decide(entry, terms));
        }
        self.numbers.update_in(numbers, hash, now, |entry| {
            let verdict = number::decide(entry, terms);
            Verdict { stamp: self.resets.stamp(hash, verdict.stamp, entry.deadline(), now), ..verdict }
        })
    }
}
