//! `Wrong`: a correct store with one mistake.

use ratelimit::clock::{Clock, ManualClock};
use ratelimit::store::{
    Adjusted, Adjustment, Change, Decisions, Mode, Overridden, Reply, Request, Store, StoreKey,
};
use ratelimit::{Decision, Error, Limit, MemoryStore};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) type Correct = Arc<MemoryStore<ManualClock>>;

/// The mistake of a store: the place where it is made, and a function that makes it.
#[derive(Clone, Copy)]
pub(super) enum Mistake {
    /// In requests.
    Asked(fn(Mode, &mut Asked)),
    /// In the mode of a call.
    Mode(fn(Mode, &[Asked]) -> Mode),
    /// In decisions.
    Decided(fn(Mode, &Asked, Decision) -> Decision),
    /// After the decision about a request, which can be made once more.
    Then(fn(&Wrong, Mode, &Asked, &Decision)),
    /// In whole calls.
    Decide(fn(&Wrong, Mode, Vec<Asked>) -> Reply<Decisions>),
    /// In adjustments.
    Adjust(fn(&Wrong, &Adjustment) -> u32),
    Adjustments(fn(&Wrong, &[Adjustment]) -> Reply<Adjusted>),
    /// In the keys of all methods.
    Key(fn(&[u8]) -> Vec<u8>),
    Reset(fn(&Wrong, &[StoreKey]) -> u64),
    Save(fn(&Wrong, &StoreKey, &[u8], Option<&str>, Option<Duration>)),
    /// In errors.
    Error(fn(&[Asked], Error) -> Error),
}

/// A request that can be changed.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) key: Vec<u8>,
    pub(super) limit: Limit,
    pub(super) cost: u32,
    pub(super) keep: u32,
    pub(super) permit: u64,
    pub(super) joins: bool,
    /// The number of the member in its stack, and the number of members.
    pub(super) member: usize,
    pub(super) members: usize,
}

impl Asked {
    fn all(requests: &[&Request]) -> Vec<Self> {
        let stacks = requests.split_inclusive(|request| !request.passes_with_next());
        let asked = |members, member, request: &Request| Self {
            key: request.key().as_bytes().to_vec(),
            limit: *request.limit(),
            cost: request.cost(),
            keep: request.keep(),
            permit: request.permit(),
            joins: request.passes_with_next(),
            member,
            members,
        };
        let of_stack = |stack: &[&Request]| -> Vec<Self> {
            stack.iter().enumerate().map(|(member, request)| asked(stack.len(), member, request)).collect()
        };
        stacks.flat_map(of_stack).collect()
    }

    fn request(&self) -> Request {
        let request = Request::new(StoreKey::new(&self.key), self.limit, self.cost);
        let request = request.with_keep(self.keep).with_permit(self.permit);
        if self.joins { request.with_next() } else { request }
    }

    pub(super) fn adjustment(&self, units: u32, change: Change) -> Adjustment {
        Adjustment::new(StoreKey::new(&self.key), self.limit, units, change)
    }

    pub(super) fn steps(&self) -> Vec<Duration> {
        self.limit.blocks().collect()
    }

    /// Blocks the callers of the key for the first step of the limit.
    pub(super) fn block(&self, wrong: &Wrong) {
        if let Some(step) = self.limit.blocks().next() {
            wrong.adjust_one(&self.adjustment(0, Change::Block(ms(step))));
        }
    }
}

pub(super) fn ms(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap()
}

/// The same limit with another `count`.
pub(super) fn with_count(limit: &Limit, count: u32) -> Limit {
    Limit::plain(limit.algorithm(), count, limit.time()).unwrap()
}

/// A correct store with one mistake, which may remember a number for each key.
pub(super) struct Wrong {
    pub(super) mistake: Mistake,
    pub(super) correct: Correct,
    clock: ManualClock,
    pub(super) known: Mutex<HashMap<Vec<u8>, u64>>,
}

impl Wrong {
    pub(super) fn new(mistake: Mistake, clock: ManualClock) -> Self {
        let correct = Arc::new(MemoryStore::with_clock(clock.clone()));
        Self { mistake, correct, clock, known: Mutex::default() }
    }

    /// The date of the store's clock.
    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(super) fn decide_asked(&self, mode: Mode, asked: &[Asked]) -> Reply<Decisions> {
        let requests: Vec<Request> = asked.iter().map(Asked::request).collect();
        self.correct.decide(mode, &requests.iter().collect::<Vec<_>>())
    }

    /// Decides a request that is not part of a stack.
    pub(super) fn decide_one(&self, mode: Mode, asked: &Asked) -> Decision {
        self.decide_asked(mode, &[Asked { joins: false, ..asked.clone() }]).ready_value().unwrap()[0]
    }

    pub(super) fn adjust_one(&self, adjustment: &Adjustment) -> u32 {
        self.correct.adjust(std::slice::from_ref(adjustment)).ready_value().map_or(0, |adjusted| adjusted[0])
    }

    /// The time in ms until the block or the pause of a key ends.
    pub(super) fn closed(&self, key: &StoreKey) -> u32 {
        const ANY: Limit = Limit::counter(1, Duration::from_secs(1));
        self.adjust_one(&Adjustment::new(key.clone(), ANY, 0, Change::Closed))
    }

    pub(super) fn overrides(&self, key: &StoreKey) -> Overridden {
        self.correct.load_overrides(key, u64::MAX).ready_value().cloned().flatten().unwrap_or_default()
    }

    pub(super) fn save(&self, key: &StoreKey, entry: &[u8], change: Option<&str>, expires: Option<Duration>) {
        drop(self.correct.save_override(key, entry, change, expires));
    }

    fn key(&self, key: &StoreKey) -> StoreKey {
        match self.mistake {
            Mistake::Key(mistake) => StoreKey::new(&mistake(key.as_bytes())),
            _ => key.clone(),
        }
    }
}

impl Store for Wrong {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let original = Asked::all(requests);
        let mut asked = original.clone();
        for one in &mut asked {
            match self.mistake {
                Mistake::Asked(mistake) => mistake(mode, one),
                Mistake::Key(mistake) => one.key = mistake(&one.key),
                _ => {}
            }
        }
        let is_valid = self.decide_asked(Mode::Peek, &asked).ready_value().is_some();
        match self.mistake {
            Mistake::Mode(mistake) => self.decide_asked(mistake(mode, &asked), &asked),
            Mistake::Decide(mistake) if is_valid => mistake(self, mode, asked),
            Mistake::Decided(mistake) if is_valid => {
                let decided = self.decide_asked(mode, &asked);
                let decided = decided.ready_value().unwrap().iter().zip(&asked);
                Reply::ready(Ok(decided.map(|(decision, asked)| mistake(mode, asked, *decision)).collect()))
            }
            Mistake::Then(mistake) if is_valid => {
                let decided = self.decide_asked(mode, &asked);
                for (decision, asked) in decided.ready_value().unwrap().iter().zip(&asked) {
                    mistake(self, mode, asked, decision);
                }
                decided
            }
            Mistake::Error(mistake) if !is_valid => {
                let error = Error::new(ratelimit::ErrorKind::Configuration, "a wrong batch");
                Reply::ready(Err(mistake(&asked, error)))
            }
            _ => self.decide_asked(mode, &asked),
        }
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let of_key =
            |it: &Adjustment| Adjustment::new(self.key(it.key()), *it.limit(), it.units(), it.change());
        let adjustments: Vec<Adjustment> = adjustments.iter().map(of_key).collect();
        let is_valid = adjustments.iter().all(|adjustment| adjustment.check().is_ok());
        match self.mistake {
            Mistake::Adjust(mistake) if is_valid => {
                Reply::ready(Ok(adjustments.iter().map(|it| mistake(self, it)).collect()))
            }
            Mistake::Adjustments(mistake) if is_valid => mistake(self, &adjustments),
            _ => self.correct.adjust(&adjustments),
        }
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        let keys: Vec<StoreKey> = keys.iter().map(|key| self.key(key)).collect();
        match self.mistake {
            Mistake::Reset(mistake) => Reply::ready(Ok(mistake(self, &keys))),
            _ => self.correct.reset(&keys),
        }
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<Overridden>> {
        self.correct.load_overrides(key, seen)
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        match self.mistake {
            Mistake::Save(mistake) => mistake(self, key, entry, change, expires),
            _ => self.save(key, entry, change, expires),
        }
        Reply::ready(Ok(()))
    }
}

/// Peeks first, and takes the units when the task runs again.
pub(super) fn read_then_write(wrong: &Wrong, mode: Mode, asked: Vec<Asked>) -> Reply<Decisions> {
    let correct = Arc::clone(&wrong.correct);
    if asked.iter().any(|it| it.limit.is_concurrency()) {
        return wrong.decide_asked(mode, &asked);
    }
    Reply::pending(async move {
        let requests: Vec<Request> = asked.iter().map(Asked::request).collect();
        let decisions = correct.decide(Mode::Peek, &requests.iter().collect::<Vec<_>>()).await?;
        tokio::task::yield_now().await;
        if mode != Mode::Peek && decisions.iter().all(Decision::is_allowed) {
            let taken: Vec<Adjustment> =
                asked.iter().map(|it| it.adjustment(it.cost, Change::Take)).collect();
            let _ = correct.adjust(&taken).await?;
        }
        Ok(decisions)
    })
}
