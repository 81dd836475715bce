//! The algorithms of limits: one row of answers for each.

use super::bounds::{MAX_BUCKET, MAX_STORED, MAX_WINDOW};
use super::{LimitError, Number, NumberSet};

listed! {
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
        /// [`Refill::Interval`](crate::Refill::Interval) at most `burst + borrow + min(count, burst + borrow) * (floor(W / time) + 1)`.
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
}

impl Algorithm {
    /// The name in the attribute, in scripts and in metrics.
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Finds the algorithm with this name. `None` for any other text.
    #[doc(hidden)]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }
}

/// The answers of the row.
#[doc(hidden)]
impl Algorithm {
    /// The last part of a key: the algorithm and the version of its state format. After a new version, a limit starts from zero,
    /// because it does not read the old state.
    pub const fn state_format(self) -> &'static str {
        self.row().state_format
    }

    /// The state that a store keeps for a limit of the algorithm.
    #[inline]
    pub const fn state(self) -> State {
        self.row().state
    }

    /// Whether a limit of the algorithm takes a number. All algorithms take `count`, `time` and `wait`.
    pub const fn takes(self, number: Number) -> bool {
        matches!(number, Number::Count | Number::Time | Number::Wait) || self.row().takes.has(number)
    }

    /// The largest `count`, and the error of a larger one.
    pub const fn most(self) -> (u32, LimitError) {
        self.row().most
    }

    /// Whether the state has an entry for each unit or permit.
    #[inline]
    pub const fn is_list(self) -> bool {
        self.row().is_list
    }

    /// Whether units come back one by one, at a rate, unless the limit refills by interval.
    #[inline]
    pub const fn is_bucket(self) -> bool {
        self.row().is_bucket
    }

    /// For how many times `time` the state keeps a unit that does not leak. The units of two windows share one integer.
    pub const fn windows(self) -> u64 {
        self.row().windows
    }

    /// The turn that a call gets that waits.
    pub const fn turn(self) -> Turn {
        self.row().turn
    }

    /// Whether the units are permits, which are held, renewed and returned.
    #[inline]
    pub const fn is_concurrency(self) -> bool {
        self.row().is_concurrency
    }
}

/// The turn of a call that waits.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Units of a later window, or of the time when older units are no longer in the window.
    LaterWindow,
    /// A debt, which is paid by units that come back.
    Debt,
    /// A place in a queue, whose length `wait` bounds.
    Queue,
    /// A ticket for a permit.
    Ticket,
}

/// The answers of an algorithm. A new algorithm does not compile until it answers all of them.
struct Row {
    name: &'static str,
    state_format: &'static str,
    state: State,
    takes: NumberSet,
    most: (u32, LimitError),
    is_list: bool,
    is_bucket: bool,
    windows: u64,
    turn: Turn,
    is_concurrency: bool,
}

impl Algorithm {
    const fn row(self) -> Row {
        use Number::{Block, Borrow, Burst, Lease, Refill, Zone};
        match self {
            Self::Counter => Row {
                name: "counter",
                state_format: "c2",
                state: State::Counter,
                takes: const { NumberSet::of(&[Zone, Lease, Block]) },
                most: (u32::MAX, LimitError::NOT_EXACT),
                is_list: false,
                is_bucket: false,
                windows: 1,
                turn: Turn::LaterWindow,
                is_concurrency: false,
            },
            Self::TokenBucket => Row {
                name: "token_bucket",
                state_format: "tb2",
                state: State::Bucket,
                takes: const { NumberSet::of(&[Burst, Refill, Borrow, Lease, Block]) },
                most: (MAX_BUCKET, LimitError::BUCKET_TOO_LARGE),
                is_list: false,
                is_bucket: true,
                windows: 1,
                turn: Turn::Debt,
                is_concurrency: false,
            },
            Self::SlidingWindow => Row {
                name: "sliding_window",
                state_format: "sw2",
                state: State::SlidingWindow,
                takes: const { NumberSet::of(&[Block]) },
                most: (MAX_WINDOW, LimitError::WINDOW_TOO_LARGE),
                is_list: false,
                is_bucket: false,
                windows: 2,
                turn: Turn::LaterWindow,
                is_concurrency: false,
            },
            Self::SlidingLog => Row {
                name: "sliding_log",
                state_format: "sl1",
                state: State::Log,
                takes: const { NumberSet::of(&[]) },
                most: (MAX_STORED, LimitError::LOG_TOO_LARGE),
                is_list: true,
                is_bucket: false,
                windows: 1,
                turn: Turn::LaterWindow,
                is_concurrency: false,
            },
            Self::LeakyBucket => Row {
                name: "leaky_bucket",
                state_format: "lb2",
                state: State::Bucket,
                takes: const { NumberSet::of(&[Burst, Block]) },
                most: (MAX_BUCKET, LimitError::BUCKET_TOO_LARGE),
                is_list: false,
                is_bucket: true,
                windows: 1,
                turn: Turn::Queue,
                is_concurrency: false,
            },
            Self::Concurrency => Row {
                name: "concurrency",
                state_format: "cc2",
                state: State::Permits,
                takes: const { NumberSet::of(&[]) },
                most: (MAX_STORED, LimitError::TOO_MANY_PERMITS),
                is_list: true,
                is_bucket: false,
                windows: 1,
                turn: Turn::Ticket,
                is_concurrency: true,
            },
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
