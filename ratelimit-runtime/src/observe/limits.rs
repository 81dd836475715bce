//! The limits that the process has met, by name: a table of bounded size that is read without a lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most limits with measurements of their own. All further names share those of [`OTHER`].
pub(super) const MOST_LIMITS: usize = 1000;
/// The longest name with measurements of its own, in bytes.
pub(super) const LONGEST_NAME: usize = 256;
/// The name under which all other limits are counted.
pub(super) const OTHER: &str = "_OTHER";

/// The places of the table, a power of two, so that it is at most half full.
const PLACES: usize = (2 * MOST_LIMITS).next_power_of_two();
/// The most places that are looked at for a name.
const MOST_PROBES: usize = 64;

/// What is known about one limit.
pub(super) struct Limit {
    name: Box<str>,
    #[cfg(feature = "metrics")]
    pub(super) metrics: super::metrics::LimitMetrics,
    #[cfg(feature = "trace")]
    pub(super) refusals: super::refusals::Refusals,
}

/// Limits stay in the table until the process ends.
struct Limits {
    places: [OnceLock<Box<Limit>>; PLACES],
    number: AtomicUsize,
    other: OnceLock<Limit>,
}

/// Returns the limit with this name.
pub(super) fn named(name: &str) -> &'static Limit {
    static LIMITS: Limits = Limits::new();
    LIMITS.named(name)
}

impl Limit {
    /// The name under which the limit is counted, which is [`OTHER`] for all further limits.
    #[cfg(feature = "trace")]
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            #[cfg(feature = "metrics")]
            metrics: super::metrics::LimitMetrics::new(name),
            #[cfg(feature = "trace")]
            refusals: super::refusals::Refusals::default(),
        }
    }
}

impl Limits {
    #[expect(clippy::large_stack_arrays, reason = "the table is a static")]
    const fn new() -> Self {
        Self {
            places: [const { OnceLock::new() }; PLACES],
            number: AtomicUsize::new(0),
            other: OnceLock::new(),
        }
    }

    #[inline]
    fn named(&self, name: &str) -> &Limit {
        let first = hash(name);
        match self.places[first % PLACES].get() {
            Some(limit) if *limit.name == *name => limit,
            _ => self.search(first, name),
        }
    }

    #[inline(never)]
    fn search(&self, first: usize, name: &str) -> &Limit {
        for probe in 0..MOST_PROBES {
            let place = &self.places[first.wrapping_add(probe) % PLACES];
            match place.get().map(|limit| &**limit).or_else(|| self.insert(place, name)) {
                None => break,
                Some(limit) if *limit.name == *name => return limit,
                Some(_) => {}
            }
        }
        self.other.get_or_init(|| Limit::new(OTHER))
    }

    /// Inserts a limit at a free place. Returns the limit that is there now, which may be another one. `None` if the table
    /// is full.
    #[cold]
    fn insert<'t>(&self, place: &'t OnceLock<Box<Limit>>, name: &str) -> Option<&'t Limit> {
        // Read first, so that the calls of a full table do not write to one place in memory.
        if name.len() > LONGEST_NAME || self.number.load(Ordering::Relaxed) >= MOST_LIMITS {
            return None;
        }
        if self.number.fetch_add(1, Ordering::Relaxed) >= MOST_LIMITS {
            // The number stays too high by the calls that were too late, which changes nothing.
            self.number.fetch_min(MOST_LIMITS, Ordering::Relaxed);
            return None;
        }
        let mut is_new = false;
        let limit = place.get_or_init(|| {
            is_new = true;
            Box::new(Limit::new(name))
        });
        if !is_new {
            self.number.fetch_sub(1, Ordering::Relaxed);
        }
        Some(limit)
    }
}

/// A hash of a short text. Names are chosen by the programmer, and the table is bounded, so it need not withstand attacks.
#[inline]
fn hash(name: &str) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, word: u64| (state.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let state = words.iter().fold(name.len() as u64, |state, word| mix(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    usize::try_from(mix(state, u64::from_le_bytes(last)) >> 40).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_again_and_names_are_bounded() {
        static LIMITS: Limits = Limits::new();
        let limits = &LIMITS;
        let first = limits.named("login");
        assert!(std::ptr::eq(first, limits.named("login")));
        for name in 0..5 * MOST_LIMITS {
            limits.named(&format!("generated {name}"));
        }
        let known = limits.places.iter().filter(|place| place.get().is_some()).count();
        assert!((MOST_LIMITS * 9 / 10..=MOST_LIMITS).contains(&known), "{known}");
        assert!(std::ptr::eq(first, limits.named("login")), "a known limit stays");
        assert_eq!(&*limits.named("yet another").name, OTHER);
    }

    #[test]
    fn a_very_long_name_has_no_series() {
        static LIMITS: Limits = Limits::new();
        let limits = &LIMITS;
        assert_eq!(&*limits.named(&"x".repeat(LONGEST_NAME + 1)).name, OTHER);
        assert_ne!(&*limits.named(&"x".repeat(LONGEST_NAME)).name, OTHER);
    }

    #[test]
    fn threads_that_insert_at_once_find_the_same_limits() {
        static LIMITS: Limits = Limits::new();
        let limits = &LIMITS;
        let names: Vec<String> = (0..MOST_LIMITS / 2).map(|name| format!("limit {name}")).collect();
        let find = || names.iter().map(|name| std::ptr::from_ref(limits.named(name)).addr()).collect();
        let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(find)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(limits.number.load(Ordering::Relaxed), names.len());
    }
}
