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
    /// Any interval of length W admits at most `burst + count * W / time`, plus one for rounding; with
    /// [`Refill::Interval`] at most `burst + min(count, burst) * (floor(W / time) + 1)`.
    TokenBucket,
}

impl Algorithm {
    /// The name in the attribute, in scripts and in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::TokenBucket => "token_bucket",
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
