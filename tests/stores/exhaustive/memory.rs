//! Memory stores under a manual clock, which each sequence sets back to the start.

use super::alphabet::Subject;
use super::model::{Step, What};
use crate::harness::now_or_panic;
use crate::models::random::operations::{Outcome, answer};
use ratelimit::clock::ManualClock;
use ratelimit::store::{Adjustment, Mode, Request, Store, StoreKey};
use ratelimit::{Limit, MemoryStore};
use std::cell::RefCell;
use std::time::Duration;

pub(super) struct Memory {
    store: RefCell<MemoryStore<ManualClock>>,
    clock: ManualClock,
    limits: Vec<[Limit; 2]>,
    keys: Vec<StoreKey>,
}

fn empty(clock: &ManualClock) -> MemoryStore<ManualClock> {
    MemoryStore::with_clock(clock.clone()).with_max_keys(100)
}

impl Memory {
    pub(super) fn new(subject: &Subject) -> Self {
        let clock = ManualClock::new();
        let limits: Vec<_> =
            subject.members.iter().map(|versions| versions.map(|numbers| numbers.limit())).collect();
        let keys = (0..limits.len()).map(|member| StoreKey::new(format!("k{member}").as_bytes())).collect();
        Self { store: RefCell::new(empty(&clock)), clock, limits, keys }
    }

    /// Goes on with an empty store.
    pub(super) fn clear(&self) {
        *self.store.borrow_mut() = empty(&self.clock);
    }

    pub(super) fn make(&self, step: &Step) -> Vec<Outcome> {
        self.clock.set(Duration::from_micros(step.now));
        let limit = |member: usize| self.limits[member][step.version];
        match &step.what {
            What::Ask { mode, costs, permit } => {
                let members = 0..self.keys.len();
                let requests: Vec<Request> = members
                    .map(|member| {
                        let key = self.keys[member].clone();
                        let request = Request::new(key, limit(member), costs[member]).with_permit(*permit);
                        if member + 1 < self.keys.len() { request.with_next() } else { request }
                    })
                    .collect();
                self.decide(*mode, &requests)
            }
            What::Adjust { units, change } => {
                let adjustment = Adjustment::new(self.keys[0].clone(), limit(0), *units, *change);
                now_or_panic(self.store.borrow().adjust(&[adjustment]))
                    .unwrap()
                    .iter()
                    .copied()
                    .map(Outcome::Units)
                    .collect()
            }
        }
    }

    fn decide(&self, mode: Mode, requests: &[Request]) -> Vec<Outcome> {
        let requests: Vec<&Request> = requests.iter().collect();
        let decisions = now_or_panic(self.store.borrow().decide(mode, &requests)).unwrap();
        decisions.iter().map(|decision| Outcome::Answer(answer(decision))).collect()
    }
}
