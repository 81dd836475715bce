//! The algorithms of limits, and the table of their names and states. The module `bounds` says which numbers each algorithm
//! takes.

/// The algorithm of a limit: how it counts units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// At most `count` units in a window of `time` that starts with its first admitted call.
    ///
    /// Any interval of length W admits at most `count * (ceil(W / time) + 1)`: twice the count can pass around the edge between two
    /// windows.
    Counter,
    /// A bucket of `burst` tokens that refills with `count` tokens per `time`.
    ///
    /// Any interval of length W admits at most `burst + borrow + count * W / time`, plus one for rounding; with
    /// [`Refill::Interval`] at most `burst + borrow + min(count, burst + borrow) * (floor(W / time) + 1)`.
    TokenBucket,
    /// About `count` units in a sliding window of `time`. It counts units in fixed cells of length `time`. The window contains
    /// all units of the current cell, and a share of the units of the previous cell: the share of that cell that the window still
    /// covers. The calls of the previous cell count as evenly spread.
    ///
    /// An interval of length `time` admits less than `2 * count` in the worst case, and little more than `count` in random traffic.
    /// It costs as much as a counter, and has no edge between two windows.
    SlidingWindow,
    /// At most `count` units in any interval of `time`, exactly. It stores the time of each unit.
    ///
    /// Any interval of length W admits at most `count * ceil(W / time)`. Memory grows with `count`, which is at most
    /// 10 000.
    SlidingLog,
    /// A bucket that leaks `count` units per `time`, of the family of the generic cell rate algorithm (ITU-T I.371).
    ///
    /// Without a wait it holds `burst` units and refuses calls that would overflow it. Any interval of length W admits at most
    /// `burst + count * W / time`. With `Limit::wait` it is a queue, whose length `wait` limits. Calls leave the queue at even
    /// intervals: at most `1 + count * W / time` calls in any interval of length W.
    LeakyBucket,
    /// At most `count` units at a time, held in permits. A permit is returned when the work is done. If it is not returned or
    /// renewed, it ends after its lease of `time`.
    Concurrency,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 6] = [
        Self::Counter,
        Self::TokenBucket,
        Self::SlidingWindow,
        Self::SlidingLog,
        Self::LeakyBucket,
        Self::Concurrency,
    ];

    /// The name in the attribute, in scripts and in metrics.
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Finds the algorithm with this name. `None` for any other text.
    #[doc(hidden)]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }

    /// The last part of a key: the algorithm and the version of its state format. After a new version, a limit starts from zero,
    /// because it does not read the old state.
    #[doc(hidden)]
    pub const fn state_format(self) -> &'static str {
        self.row().1
    }

    /// The state that a store keeps for a limit of the algorithm.
    #[doc(hidden)]
    #[inline]
    pub const fn state(self) -> State {
        self.row().2
    }

    /// The name, the state format and the state of the algorithm.
    #[inline]
    const fn row(self) -> (&'static str, &'static str, State) {
        match self {
            Self::Counter => ("counter", "c2", State::Counter),
            Self::TokenBucket => ("token_bucket", "tb2", State::Bucket),
            Self::SlidingWindow => ("sliding_window", "sw2", State::SlidingWindow),
            Self::SlidingLog => ("sliding_log", "sl1", State::Log),
            Self::LeakyBucket => ("leaky_bucket", "lb2", State::Bucket),
            Self::Concurrency => ("concurrency", "cc2", State::Permits),
        }
    }
}

/// The state that a store keeps for a limit. The state decides how units are counted. Code that differs between algorithms
/// matches this enum without a wildcard, so it does not compile until it handles each new state.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A number: the units of a window.
    Counter,
    /// A number: the units of the current cell and the previous one.
    SlidingWindow,
    /// A number: a level that falls with time.
    Bucket,
    /// A list: the time of each unit.
    Log,
    /// A list: the permits that are held, and the tickets of calls that wait for one.
    Permits,
}

impl State {
    /// Whether the state has an entry for each unit or permit.
    #[inline]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Log | Self::Permits)
    }
}

/// The way in which tokens come back to a token bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refill {
    /// Tokens come back continuously, exactly for every rational rate.
    #[default]
    Greedy,
    /// All `count` tokens come back together at the end of each `time`. The first `time` begins with the call that found the
    /// bucket full.
    Interval,
}

#[doc(hidden)]
impl Refill {
    /// The name in the attribute and in text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Interval => "interval",
        }
    }

    /// Finds the refill with this name. `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Greedy, Self::Interval].into_iter().find(|refill| refill.as_str() == name)
    }
}
