//! Stores with one mistake each. For each store, the suite reports a sentence that names the mistake.

use ratelimit::clock::ManualClock;
use ratelimit::store::{
    Adjusted, Adjustment, Change, Decisions, Mode, Overridden, Reply, Request, Store, StoreKey,
};
use ratelimit::testing::conformance::Suite;
use ratelimit::{Decision, Error, Limit, MemoryStore};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Correct = Arc<MemoryStore<ManualClock>>;

/// The mistake of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// Reads a state and writes it later, like `GET` and `SET`.
    ReadsThenWrites,
    /// Ignores the units that a call leaves to others.
    IgnoresKeep,
    /// Decides each limit of a stack by itself.
    SplitsStacks,
    /// Charges requests in the mode *peek*.
    ChargesPeeks,
    /// Truncates keys, like a database column of limited length.
    CutsKeys,
    /// Does not distinguish upper and lower case, like many collations.
    FoldsCase,
    /// Returns units to the last charge instead of the charge with the stamp.
    IgnoresStamps,
    /// Admits one call too many.
    AdmitsOneMore,
    /// Stores a separate state for each version of a key's limit.
    ForgetsAtChange,
    /// Confirms the renewal of a permit but ignores it, so that the lease ends.
    IgnoresRenewals,
    /// Rounds times up to seconds.
    RoundsTimes,
    /// Ends a calendar window after its length instead of at its boundary.
    EndsByLength,
    /// Reports an outage for an invalid request.
    CallsMistakesOutages,
}

struct Wrong {
    mistake: Mistake,
    correct: Correct,
    /// The last stamp of each key.
    stamps: Mutex<HashMap<Vec<u8>, u64>>,
}

impl Wrong {
    fn key(&self, key: &StoreKey, limit: &Limit) -> StoreKey {
        let bytes = key.as_bytes();
        match self.mistake {
            Mistake::CutsKeys => StoreKey::new(&bytes[..bytes.len().min(255)]),
            Mistake::FoldsCase => StoreKey::new(&bytes.to_ascii_lowercase()),
            Mistake::ForgetsAtChange => StoreKey::new(&[bytes, limit.to_string().as_bytes()].concat()),
            _ => key.clone(),
        }
    }

    fn request(&self, request: &Request) -> Request {
        let limit = match self.mistake {
            Mistake::AdmitsOneMore => one_more(request.limit()),
            Mistake::EndsByLength if request.limit().calendar_window().is_some() => {
                Limit::counter(request.limit().count(), request.limit().time())
            }
            _ => *request.limit(),
        };
        let changed = Request::new(self.key(request.key(), request.limit()), limit, request.cost());
        let changed = changed.with_permit(request.permit()).with_keep(request.keep());
        let changed = if self.mistake == Mistake::IgnoresKeep { changed.with_keep(0) } else { changed };
        let joins = request.passes_with_next() && self.mistake != Mistake::SplitsStacks;
        if joins { changed.with_next() } else { changed }
    }

    fn adjustment(&self, adjustment: &Adjustment) -> Adjustment {
        let key = self.key(adjustment.key(), adjustment.limit());
        let last = || self.stamps.lock().unwrap().get(key.as_bytes()).copied();
        let change = match (self.mistake, adjustment.change()) {
            (Mistake::IgnoresStamps, Change::Give(stamp)) => Change::Give(last().unwrap_or(stamp)),
            (_, change) => change,
        };
        Adjustment::new(key, *adjustment.limit(), adjustment.units(), change)
    }

    fn decision(&self, request: &Request, decision: &Decision) -> Decision {
        if decision.stamp() > 0 {
            self.stamps.lock().unwrap().insert(request.key().as_bytes().to_vec(), decision.stamp());
        }
        match decision.retry_after() {
            Some(wait) if self.mistake == Mistake::RoundsTimes => {
                let rounded = Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
                let (limit, left) = (request.limit(), decision.remaining());
                Decision::refuse(limit, left, Some(rounded), decision.reset_after())
            }
            _ => *decision,
        }
    }
}

fn one_more(limit: &Limit) -> Limit {
    Limit::plain(limit.algorithm(), limit.count() + 1, limit.time()).unwrap()
}

/// Peeks first, and takes the units when the task runs again.
async fn read_then_write(correct: Correct, mode: Mode, requests: Vec<Request>) -> Result<Decisions, Error> {
    let all: Vec<&Request> = requests.iter().collect();
    let decisions = correct.decide(Mode::Peek, &all).await?;
    tokio::task::yield_now().await;
    if mode != Mode::Peek && decisions.iter().all(Decision::is_allowed) {
        let take = |request: &Request| {
            Adjustment::new(request.key().clone(), *request.limit(), request.cost(), Change::Take)
        };
        let _ = correct.adjust(&requests.iter().map(take).collect::<Vec<_>>()).await?;
    }
    Ok(decisions)
}

impl Store for Wrong {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let requests: Vec<Request> = requests.iter().map(|request| self.request(request)).collect();
        let is_permit = |request: &Request| request.limit().algorithm() == ratelimit::Algorithm::Concurrency;
        if self.mistake == Mistake::ReadsThenWrites && !requests.iter().any(is_permit) {
            return Reply::pending(read_then_write(Arc::clone(&self.correct), mode, requests));
        }
        let mode = match self.mistake {
            Mistake::ChargesPeeks if mode == Mode::Peek => Mode::Check,
            _ => mode,
        };
        let all: Vec<&Request> = requests.iter().collect();
        let reply = self.correct.decide(mode, &all);
        let Some(decisions) = reply.ready_value() else {
            return match self.mistake {
                Mistake::CallsMistakesOutages => {
                    Reply::ready(Err(Error::new(ratelimit::ErrorKind::Unavailable, "a wrong question")))
                }
                _ => reply,
            };
        };
        Reply::ready(Ok(requests
            .iter()
            .zip(decisions)
            .map(|(request, it)| self.decision(request, it))
            .collect()))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let is_renewal = |adjustment: &Adjustment| matches!(adjustment.change(), Change::Renew(_));
        if self.mistake == Mistake::IgnoresRenewals && adjustments.iter().all(is_renewal) {
            return Reply::ready(Ok(adjustments.iter().map(Adjustment::units).collect()));
        }
        self.correct.adjust(&adjustments.iter().map(|it| self.adjustment(it)).collect::<Vec<_>>())
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.correct.reset(keys)
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
        self.correct.save_override(key, entry, change, expires)
    }
}

/// Runs the suite on a store with a mistake. Asserts that one failure has this sentence, and prints the operations that led to
/// it.
async fn assert_named(mistake: Mistake, sentence: &str) {
    let clock = ManualClock::new();
    let correct = Arc::new(MemoryStore::with_clock(clock.clone()));
    let wrong = Wrong { mistake, correct, stamps: Mutex::default() };
    let report = Suite::new(wrong, async |time| clock.advance(time)).operations(1000).check().await;
    let named = report.failures().iter().find(|failure| failure.sentence() == sentence);
    let named = named.unwrap_or_else(|| panic!("{mistake:?} is not named: {report}"));
    assert!(report.to_string().contains(sentence));
    println!("{mistake:?}: {named}");
}

macro_rules! named {
    ($($name:ident: $mistake:ident, $sentence:literal;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                assert_named(Mistake::$mistake, $sentence).await;
            }
        )*
    };
}

named! {
    a_store_that_reads_and_then_writes_is_named: ReadsThenWrites,
        "the store admitted 24 calls that came together, and the limit holds 3";
    a_store_that_ignores_what_is_kept_for_others_is_named: IgnoresKeep,
        "the store would admit a call that leaves more to others than the limit holds";
    a_store_that_splits_stacks_is_named: SplitsStacks,
        "the store charged a member of a stack of which another member was refused";
    a_store_that_charges_peeks_is_named: ChargesPeeks, "a peek took units";
    a_store_that_cuts_keys_is_named: CutsKeys,
        "the store does not distinguish a key with 300 times \"x\" from one with 301 times \"x\"";
    a_store_that_folds_case_is_named: FoldsCase,
        "the store does not distinguish a key with \"a\" from one with \"A\"";
    a_store_that_ignores_stamps_is_named: IgnoresStamps,
        "the store returned units of a charge whose time was over";
    a_store_that_admits_one_more_is_named: AdmitsOneMore, "the store reported a wrong capacity";
    a_store_that_forgets_at_a_change_is_named: ForgetsAtChange,
        "the store forgot units in use when the limit became smaller";
    a_store_that_ignores_renewals_is_named: IgnoresRenewals, "the store ended a lease that was renewed";
    a_store_that_rounds_times_is_named: RoundsTimes,
        "the store would admit a call 1 ms before `retry_after`";
    a_store_that_ends_windows_by_their_length_is_named: EndsByLength,
        "the store ended a window by its length, and not when the calendar begins a new one";
    a_store_that_calls_mistakes_outages_is_named: CallsMistakesOutages,
        "the store replied to a wrong question with an error of the kind Unavailable";
}
