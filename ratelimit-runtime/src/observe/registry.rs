//! `registry`: the data of the process about each limit, by the name of the limit. The table has a bounded size, and is read
//! without a lock.
//!
//! The table has the first limit of an attribute, whether later calls had another limit, the metric series, and the times of the
//! next log lines. It only grows, so a decision takes no lock.

use super::throttle::Throttle;
use crate::key::open_hash;
use crate::limit::Limit;
use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Calls of methods and log lines add names only while the table has fewer names than this. The names of attributes and layers
/// are constants of the program, and are added as long as the table has places. All further names share the entry of [`OTHER`].
const MOST_NAMES: usize = 1000;
/// The longest name that gets its own entry, in bytes.
const LONGEST_NAME: usize = 256;
/// The name of the entry that all other limits share.
const OTHER: &str = "_OTHER";

/// The number of places of the table.
const PLACES: usize = 4096;
/// The maximum number of places that the search for a name looks at.
const MOST_PROBES: usize = 64;

/// The data about all limits with one name.
pub(crate) struct Entry {
    name: Box<str>,
    /// The first call of an attribute or a layer. Empty until there is such a call.
    first: OnceLock<First>,
    /// The first call whose limit is written at a place.
    written: OnceLock<First>,
    /// Whether another call of an attribute or a layer used a different limit.
    varies: AtomicBool,
    /// Whether it was logged that another attribute or layer has this name and another limit.
    has_clashed: AtomicBool,
    /// Whether it was logged that a request was counted twice.
    has_doubled: AtomicBool,
    #[cfg(feature = "metrics")]
    pub(super) metrics: super::metrics::LimitMetrics,
    /// Limits how often each kind of log line is written.
    #[cfg(feature = "trace")]
    pub(super) refusals: Throttle,
    pub(super) shadow_refusals: Throttle,
    pub(super) errors: Throttle,
    /// Whether an error type has hidden a refusal. This is logged only once.
    has_swallowed: AtomicBool,
}

/// The first call of an attribute or a layer at a limit.
#[derive(Clone, Copy)]
pub(crate) struct First {
    pub(crate) limit: Limit,
    /// The id of the limiter that decided the call.
    pub(crate) limiter: u64,
    /// Whether the limiter rejects the call while the store is unavailable.
    pub(crate) denies: bool,
    pub(crate) source: Source,
}

/// Where a limit is written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Source {
    /// The address of the attribute's site if its limit is a constant, else zero. Sites at one address are equal.
    pub(crate) site: usize,
    /// The attribute with a constant limit, or the layer. `None` if the limit is an expression, whose values may differ on purpose.
    /// `None` also without a `key`: then the state belongs to the function and its type, which the name does not tell.
    pub(crate) place: Option<&'static Location<'static>>,
}

/// The table of all entries. Entries stay until the process ends.
struct Registry {
    places: [OnceLock<Box<Entry>>; PLACES],
    number: AtomicUsize,
    other: OnceLock<Entry>,
}

static REGISTRY: Registry = Registry::new();

/// The number of changes of the result of [`met`].
static CHANGES: AtomicUsize = AtomicUsize::new(0);

#[inline]
pub(crate) fn named(name: &str) -> &'static Entry {
    REGISTRY.named(name, false)
}

/// Stores the first call of an attribute or a layer under this name, and compares the limits of later calls with it. Later
/// calls of the same attribute need no comparison if its limit is a constant.
#[inline]
pub(crate) fn note(name: &'static str, limit: &Limit, source: Source, call: impl Fn() -> First) {
    let known = REGISTRY.place(name).get().and_then(|entry| entry.written.get());
    if source.site != 0 && known.is_some_and(|written| written.source.site == source.site) {
        return;
    }
    let entry = REGISTRY.named(name, true);
    if entry.first.get().unwrap_or_else(|| entry.note_first(&call)).limit != *limit {
        entry.vary();
    }
    if source.place.is_some() || source.site != 0 {
        let written = entry.written.get_or_init(&call);
        if written.limit != *limit && !entry.has_clashed.load(Ordering::Relaxed) {
            entry.clash(written, &call());
        }
    }
}

/// The limits of attributes and layers that have made calls: the name, the first call, and whether the limit differs between
/// calls.
pub(crate) fn met() -> impl Iterator<Item = (&'static str, First, bool)> {
    let entries = REGISTRY.places.iter().filter_map(OnceLock::get);
    entries
        .filter_map(|entry| Some((&*entry.name, *entry.first.get()?, entry.varies.load(Ordering::Relaxed))))
}

/// A number that changes when the result of [`met`] changes. Zero: no attribute or layer has made a call.
pub(crate) fn changes() -> usize {
    CHANGES.load(Ordering::Relaxed)
}

impl Entry {
    /// The name. All limits without their own entry have the name [`OTHER`].
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// `true` for the first refusal of the limit that an error type hides, and `false` for all others.
    pub(crate) fn first_swallowed(&self) -> bool {
        !self.has_swallowed.swap(true, Ordering::Relaxed)
    }

    /// `true` for the first request that the limit has counted twice, and `false` for all others.
    pub(crate) fn first_doubled(&self) -> bool {
        !self.has_doubled.swap(true, Ordering::Relaxed)
    }

    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            first: OnceLock::new(),
            written: OnceLock::new(),
            varies: AtomicBool::new(false),
            has_clashed: AtomicBool::new(false),
            has_doubled: AtomicBool::new(false),
            #[cfg(feature = "metrics")]
            metrics: super::metrics::LimitMetrics::new(name),
            #[cfg(feature = "trace")]
            refusals: Throttle::default(),
            shadow_refusals: Throttle::default(),
            errors: Throttle::default(),
            has_swallowed: AtomicBool::new(false),
        }
    }

    #[cold]
    fn note_first(&self, call: impl Fn() -> First) -> &First {
        self.first.get_or_init(|| {
            CHANGES.fetch_add(1, Ordering::Relaxed);
            call()
        })
    }

    /// Logs, once for each name, that two places have one name and different limits. Calls of two limiters share no state, and
    /// neither do limits whose states have different formats.
    #[cold]
    fn clash(&self, written: &First, call: &First) {
        let (Some(there), Some(here)) = (written.source.place, call.source.place) else { return };
        let share_state =
            written.limiter == call.limiter && written.limit.state_format() == call.limit.state_format();
        if there != here && share_state && !self.has_clashed.swap(true, Ordering::Relaxed) {
            super::report::clash(&self.name, [(&written.limit, there), (&call.limit, here)]);
        }
    }

    fn vary(&self) {
        // Read first. If every later call wrote this flag, all threads would wait for one cache line.
        if !self.varies.load(Ordering::Relaxed) && !self.varies.swap(true, Ordering::Relaxed) {
            CHANGES.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Hashes a name. The hash need not resist attacks, because the size of the table and the search are bounded.
#[inline]
fn number_of(name: &str) -> usize {
    usize::try_from(open_hash(name.as_bytes()) >> 40).unwrap_or_default()
}

impl Registry {
    #[expect(clippy::large_stack_arrays, reason = "the table is a static")]
    const fn new() -> Self {
        Self {
            places: [const { OnceLock::new() }; PLACES],
            number: AtomicUsize::new(0),
            other: OnceLock::new(),
        }
    }

    #[inline]
    fn named(&self, name: &str, is_constant: bool) -> &Entry {
        match self.place(name).get() {
            Some(entry) if *entry.name == *name => entry,
            _ => self.search(name, is_constant),
        }
    }

    /// The place at which the search for a name begins.
    #[inline]
    fn place(&self, name: &str) -> &OnceLock<Box<Entry>> {
        &self.places[number_of(name) % PLACES]
    }

    #[inline(never)]
    fn search(&self, name: &str, is_constant: bool) -> &Entry {
        let first = number_of(name);
        for probe in 0..MOST_PROBES {
            let place = &self.places[first.wrapping_add(probe) % PLACES];
            match place.get().map(|entry| &**entry).or_else(|| self.insert(place, name, is_constant)) {
                None => break,
                Some(entry) if *entry.name == *name => return entry,
                Some(_) => {}
            }
        }
        self.other.get_or_init(|| Entry::new(OTHER))
    }

    /// Inserts an entry at a free place. Returns the entry that is now there, which another thread may have inserted. `None` if
    /// no more names may be added.
    #[cold]
    fn insert<'t>(
        &self,
        place: &'t OnceLock<Box<Entry>>,
        name: &str,
        is_constant: bool,
    ) -> Option<&'t Entry> {
        // The counter is only read here. If every refused name wrote this counter, all threads would wait for one cache
        // line.
        let is_full = || !is_constant && self.number.load(Ordering::Relaxed) >= MOST_NAMES;
        if name.len() > LONGEST_NAME && !is_constant || is_full() {
            return None;
        }
        let entry = place.get_or_init(|| {
            self.number.fetch_add(1, Ordering::Relaxed);
            Box::new(Entry::new(name))
        });
        Some(entry)
    }
}

#[cfg(test)]
mod tests;
