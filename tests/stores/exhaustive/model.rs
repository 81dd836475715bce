//! The outcomes that the definitions require for a sequence of operations on one limit or a stack of two.

use super::alphabet::{Deed, Letter, Subject};
use crate::models::definitions::{Answer, Definition, Kind, Numbers};
use crate::models::random::operations::Outcome;
use ratelimit::store::{Change, Mode};

/// An operation at a time in µs, as a store executes it. `version` selects the numbers of each limit.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) now: u64,
    pub(super) version: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// A request for each member, with its cost. Requests for two members are a stack.
    Ask { mode: Mode, costs: [u32; 2], permit: u64 },
    /// An adjustment of the first member.
    Adjust { units: u32, change: Change },
}

/// The definitions of the members, and the effects of the previous operations.
#[derive(Debug)]
pub(super) struct Model {
    members: Vec<Box<dyn Definition>>,
    now: u64,
    /// The stamp and the units of the last charge of the first member.
    last: (u64, u32),
    /// The number of permits that calls have requested.
    permits: u64,
    /// The last request and its version. `None` if the request was admitted.
    refused: Option<(usize, What)>,
}

impl Clone for Model {
    fn clone(&self) -> Self {
        let members = self.members.iter().map(|member| member.copy()).collect();
        Self { members, refused: self.refused.clone(), ..*self }
    }
}

impl Model {
    pub(super) fn new(subject: &Subject, start: u64) -> Self {
        let members = subject.members.iter().map(|versions| versions[0].definition()).collect();
        Self { members, now: start, last: (start / 1000 + 1, 1), permits: 0, refused: None }
    }

    /// Makes the next operation. Returns the operation and its required outcomes.
    pub(super) fn make(&mut self, subject: &Subject, letter: &Letter) -> (Step, Vec<Outcome>) {
        self.now += letter.pause;
        let (now, (stamp, units)) = (self.now, self.last);
        let adjust = |units, change| What::Adjust { units, change };
        let (version, what) = match letter.deed {
            Deed::Ask(mode, costs, version) => {
                (version, What::Ask { mode, costs, permit: self.new_permit() })
            }
            Deed::AskAgain => self.refused.clone().unwrap_or_else(|| {
                let permit = self.new_permit();
                (0, What::Ask { mode: Mode::Charge, costs: [1, 1], permit })
            }),
            Deed::Give => (0, adjust(units, Change::Give(stamp))),
            Deed::GiveOne => (0, adjust(1, Change::Give(stamp))),
            Deed::Take(units) => (0, adjust(units, Change::Take)),
            Deed::Renew => (0, adjust(units, Change::Renew(stamp))),
        };
        for (member, versions) in self.members.iter_mut().zip(&subject.members) {
            member.change(versions[version]);
        }
        let outcomes = match &what {
            What::Ask { mode, costs, permit } => {
                let outcomes = self.ask(*mode, *costs, *permit);
                let is_refused = matches!(outcomes[0], Outcome::Answer(Answer { allowed: false, .. }));
                self.refused = is_refused.then(|| (version, what.clone()));
                outcomes
            }
            What::Adjust { units, change } => vec![Outcome::Units(match *change {
                Change::Give(stamp) => self.members[0].give(now, *units, stamp),
                Change::Take => self.members[0].take(now, *units),
                Change::Renew(id) => self.members[0].renew(now, id),
                other => panic!("{other:?}"),
            })],
        };
        (Step { now, version, what }, outcomes)
    }

    fn new_permit(&mut self) -> u64 {
        self.permits += 1;
        self.permits
    }

    fn ask(&mut self, mode: Mode, costs: [u32; 2], permit: u64) -> Vec<Outcome> {
        let now = self.now;
        let judged = self.members.iter().zip(costs).map(|(member, cost)| {
            let (mut peeked, mut charged) = (member.copy(), member.copy());
            (peeked.decide(now, Mode::Peek, cost, permit), charged.decide(now, mode, cost, permit))
        });
        let judged: Vec<(Answer, Answer)> = judged.collect();
        let passes = judged.iter().all(|(_, charged)| charged.allowed);
        // A refused stack changes no member, and leaves no ticket.
        let answers: Vec<Answer> = if passes || judged.len() == 1 {
            let members = self.members.iter_mut().zip(costs);
            members.map(|(member, cost)| member.decide(now, mode, cost, permit)).collect()
        } else {
            let alone = judged.iter().map(|(peeked, charged)| Answer {
                allowed: charged.allowed,
                delay: charged.delay,
                retry_after: peeked.retry_after.filter(|_| !charged.allowed),
                ..*peeked
            });
            alone.collect()
        };
        if answers[0].stamp > 0 {
            self.last = (answers[0].stamp, costs[0]);
        }
        answers.into_iter().map(Outcome::Answer).collect()
    }
}

/// Whether a store's outcomes agree with the definition. When units are returned to a list, the store may also report an entry
/// that it has removed, although the definition no longer counts this entry.
pub(super) fn agree(numbers: &Numbers, what: &What, found: &[Outcome], expected: &[Outcome]) -> bool {
    let is_list = matches!(numbers.kind, Kind::Concurrency | Kind::Log);
    let gives = matches!(what, What::Adjust { change: Change::Give(_), .. });
    found == expected || is_list && gives && expected == [Outcome::Units(0)]
}
