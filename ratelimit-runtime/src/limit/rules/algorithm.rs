//! How limits count.

/// How a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// At most `count` units in a window of `time` that starts with its first admitted call.
    ///
    /// Any interval of length W admits at most `count * (ceil(W / time) + 1)`: twice the count can pass around
    /// the edge between two windows.
    Counter,
    /// A bucket of `burst` tokens that refills with `count` tokens per `time`.
    ///
    /// Any interval of length W admits at most `burst + borrow + count * W / time`, plus one for rounding; with
    /// [`Refill::Interval`] at most `burst + borrow + min(count, burst + borrow) * (floor(W / time) + 1)`.
    TokenBucket,
    /// At most `count` units in a window of `time` that slides: a cell that is counted whole, and of the one before it
    /// the share that the window still covers, as if its calls had come evenly spread.
    ///
    /// An interval of length `time` admits below `2 * count` in the worst case, and hardly more than `count` where
    /// calls come by chance. The remedy for the counter's edge at the same price.
    SlidingWindow,
    /// At most `count` units in any interval of `time`, exactly: each unit is remembered by its moment.
    ///
    /// Any interval of length W admits at most `count * ceil(W / time)`. Memory grows with `count`, which is at most
    /// 10 000.
    SlidingLog,
    /// A bucket that leaks `count` units per `time`, of the family of the generic cell rate algorithm (ITU-T I.371).
    ///
    /// As a meter it holds `burst` units and refuses what would overflow: any interval of length W admits at most
    /// `burst + count * W / time`. With [`Limit::wait`](crate::Limit::wait) it is a queue: calls leave evenly spaced,
    /// at most `1 + count * W / time` of them, and `wait` bounds the queue.
    LeakyBucket,
    /// At most `count` units held at once, in permits that are given back when the work is done, or end with their
    /// lease of `time`.
    Concurrency,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Counter,
        Self::TokenBucket,
        Self::SlidingWindow,
        Self::SlidingLog,
        Self::LeakyBucket,
        Self::Concurrency,
    ];

    /// The name in the attribute, in scripts and in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::TokenBucket => "token_bucket",
            Self::SlidingWindow => "sliding_window",
            Self::SlidingLog => "sliding_log",
            Self::LeakyBucket => "leaky_bucket",
            Self::Concurrency => "concurrency",
        }
    }
}

/// How tokens come back to a token bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refill {
    /// Continuously, exact for every rational rate.
    #[default]
    Greedy,
    /// All `count` tokens at the end of each `time`, counted from the call that found the bucket full.
    Interval,
}
