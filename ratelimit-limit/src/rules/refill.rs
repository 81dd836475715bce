//! `Refill`: the way in which tokens come back.

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
    pub const ALL: [Self; 2] = [Self::Greedy, Self::Interval];

    /// The name in the attribute and in text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Interval => "interval",
        }
    }

    /// Finds the refill with this name. `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|refill| refill.as_str() == name)
    }
}
