//! `AdaptivePermit`: the room of one admitted call.

use super::{Adaptive, Began, End};
use crate::body::{Held, HoldBody};
use crate::macros::opaque;
use tokio::time::Instant;

/// The room of a call that an [`Adaptive`] limit has admitted. It is given back at the end of this value, whatever happens.
///
/// A permit that is dropped without [`succeeded`](Self::succeeded) or [`failed`](Self::failed) belongs to a cancelled call: the
/// limit learns nothing from it.
#[must_use = "dropping a permit gives its room back"]
pub struct AdaptivePermit<'a> {
    limit: &'a Adaptive,
    began: Began,
    end: End,
}

impl<'a> AdaptivePermit<'a> {
    pub(super) const fn new(limit: &'a Adaptive, began: Began) -> Self {
        Self { limit, began, end: End::Dropped }
    }

    /// Ends the call. The limit learns from its latency.
    pub fn succeeded(mut self) {
        self.end = End::Succeeded;
    }

    /// Ends the call as a failure: its latency does not count, and while more than a tenth of the calls fail, the limit does
    /// not grow.
    pub fn failed(mut self) {
        self.end = End::Failed;
    }
}

impl AdaptivePermit<'static> {
    /// Keeps the room until the body of `response` ends. The call succeeds when the body was sent to its end. If it was cut, for
    /// example because the client went away, the limit learns nothing from it.
    ///
    /// Do not hold streams whose length the client decides, such as server-sent events: their latency says nothing about the load.
    #[must_use = "dropping the response gives the room back"]
    pub fn hold<R: HoldBody>(self, response: R) -> R::Output {
        response.hold(Held::new(move |sent| {
            if sent.is_complete() {
                self.succeeded();
            }
        }))
    }
}

impl Drop for AdaptivePermit<'_> {
    fn drop(&mut self) {
        self.limit.end_at(self.began, self.end, Instant::now());
    }
}

opaque!([] AdaptivePermit<'_>, |this| limit = this.limit.name(), in_flight = this.began.in_flight);
