//! `Began`: the start of a call that had to wait before its decision.

use tokio::time::Instant;

/// When a call began, if it has waited for the overrides or for another decision. Its next question to the store has the rest of
/// its deadline. The default is a call that has not waited: its deadline begins when the store is asked.
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "the call has one deadline"]
pub(crate) struct Began(Option<Instant>);

impl Began {
    pub(in crate::limiter) const fn at(moment: Instant) -> Self {
        Self(Some(moment))
    }

    /// When the deadline of the call begins.
    #[inline]
    pub(in crate::limiter) fn or_now(self) -> Instant {
        self.0.unwrap_or_else(Instant::now)
    }

    pub(super) const fn moment(self) -> Option<Instant> {
        self.0
    }
}
