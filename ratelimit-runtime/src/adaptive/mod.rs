//! Concurrency that adapts: a limit of the calls in flight that this process finds by itself, from their latencies.
//!
//! Use it where too many calls at the same time make all of them slow, and nobody knows how many are too many: in front of a
//! database, a model, or a handler that computes. While at most a few calls are in flight, no call waits, and the mean latency is that
//! of the work. If more calls are in flight than are served, the mean latency grows with their number. [`Adaptive`] measures both,
//! and allows about 1.35 times as many calls as are served, so that no worker is idle. From time to time, and whenever the limit
//! has changed much, it lowers the limit for some tens of calls to measure the latency of the work again.
//!
//! # When it does not help
//!
//! - Against a client that calls too often: give each client a [rate limit](crate::rate_limit) too.
//! - Where the number of calls at the same time is known, such as the connections of a pool, or has to hold for all processes
//!   together: use [`Limit::concurrency`](crate::Limit::concurrency).
//! - With less than some tens of calls a second: the limit needs some hundred calls to find its place.
//! - Where few calls cause most of the latency, because the mean is then known late. In simulations with such calls (log-normal, sigma
//!   1.6), the limit of one run in ten stayed far too low for ten minutes. Give different work different limits.
//! - During a pause of the whole process, no call can pass, so important calls are refused too.
//! - A response of unknown length, such as server-sent events, has no latency: end its permit when the response begins.

mod controller;
mod judge;
mod permit;
#[cfg(test)]
mod tests;
mod window;

pub use permit::AdaptivePermit;

use crate::macros::opaque;
use crate::observe::LimitMetrics;
use crate::rejection::Rejection;
use controller::Controller;
use parking_lot::Mutex;
use std::future::Future;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use tokio::time::Instant;
use window::Window;

/// A limit of the calls in flight that follows their latency, up to a ceiling.
///
/// It lives in this process and asks no store. Put it into a `static`, or beside the state of your service.
///
/// ```
/// use ratelimit::Rejection;
/// use ratelimit::adaptive::Adaptive;
///
/// static SEARCH: Adaptive = Adaptive::new("search", 400);
///
/// async fn search(query: &str) -> Result<Vec<String>, Rejection> {
///     SEARCH.run(find(query)).await
/// }
///
/// # async fn find(query: &str) -> Vec<String> { vec![query.to_owned()] }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert_eq!(search("shoes").await.unwrap(), ["shoes"]);
/// # }
/// ```
pub struct Adaptive {
    name: &'static str,
    ceiling: u32,
    in_flight: AtomicU32,
    limit: AtomicU32,
    free: AtomicU32,
    /// The calls that may still join the group.
    places: AtomicI64,
    /// Whether the limit is lowered to `free` while places are left.
    is_lowered: AtomicBool,
    /// Whether a call has left room to others since the last group.
    has_kept: AtomicBool,
    /// Whether calls that leave no room keep the whole limit while it is lowered.
    spares: AtomicBool,
    reached: AtomicBool,
    learning: Mutex<Learning>,
    metrics: OnceLock<&'static LimitMetrics>,
}

struct Learning {
    controller: Controller,
    window: Window,
    /// The time of the last step.
    stepped: Option<Instant>,
}

/// What a permit remembers of its beginning.
#[derive(Clone, Copy, Debug)]
struct Began {
    at: Instant,
    in_flight: u32,
    /// Whether the call belongs to the group.
    joined: bool,
    is_loaded: bool,
}

/// How a call has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Succeeded,
    Failed,
    /// The call was dropped, so its latency says nothing.
    Dropped,
}

impl Adaptive {
    /// Creates a limit of at most `count` calls in flight. It begins with 10, or with `count` if that is less. A `count` of 0
    /// refuses every call. `name` names the limit in metrics and rejections.
    pub const fn new(name: &'static str, count: u32) -> Self {
        let controller = Controller::new(count);
        Self {
            name,
            ceiling: count,
            in_flight: AtomicU32::new(0),
            limit: AtomicU32::new(controller.limit()),
            free: AtomicU32::new(controller.free()),
            places: AtomicI64::new(controller.places()),
            is_lowered: AtomicBool::new(false),
            has_kept: AtomicBool::new(false),
            spares: AtomicBool::new(false),
            reached: AtomicBool::new(false),
            learning: Mutex::new(Learning { controller, window: Window::NONE, stepped: None }),
            metrics: OnceLock::new(),
        }
    }

    /// The name of the limit.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The calls that may be in flight now, at most `count`.
    pub fn limit(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    /// The calls in flight now.
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Admits a call if there is room for it. Tell the permit how the call has ended:
    /// [`succeeded`](AdaptivePermit::succeeded) or [`failed`](AdaptivePermit::failed). A permit that is dropped gives its room
    /// back too, but its call counts as cancelled, and the limit learns nothing from it.
    ///
    /// # Errors
    ///
    /// [`Rejection::Limited`] if the limit is reached. Its status is 503 with `Retry-After: 1`, because the caller has
    /// exceeded no quota.
    pub fn admit(&self) -> Result<AdaptivePermit<'_>, Rejection> {
        self.admit_keeping(0)
    }

    /// Admits a call that leaves room to the important ones: of `count`, `keep` stay free for calls that keep less. The number
    /// is scaled with the limit, and at least 4 or `keep`, but at most half of the limit. With `count = 400`, `keep = 48` and a
    /// limit of 100, a call passes if 12 others could begin after it.
    ///
    /// # Errors
    ///
    /// Those of [`admit`](Self::admit).
    pub fn admit_keeping(&self, keep: u32) -> Result<AdaptivePermit<'_>, Rejection> {
        match self.admit_at(keep, Instant::now()) {
            Some(began) => Ok(AdaptivePermit::new(self, began)),
            None => Err(self.rejection()),
        }
    }

    /// Runs `work` if there is room for it. Its latency counts when it has ended. If the future is dropped before, the room is
    /// given back at once, and the limit learns nothing from the call.
    ///
    /// # Errors
    ///
    /// Those of [`admit`](Self::admit). `work` is then not polled.
    pub async fn run<F: Future>(&self, work: F) -> Result<F::Output, Rejection> {
        self.run_judged(0, work, |_| false).await
    }

    /// Runs `work` like [`run`](Self::run), and leaves room to the important calls like
    /// [`admit_keeping`](Self::admit_keeping). `refund_if` says which results are failures. The latency of a failure does not
    /// count. While more than a tenth of the calls fail, the limit does not grow.
    ///
    /// ```
    /// # use ratelimit::adaptive::Adaptive;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Rejection> {
    /// static IMPORT: Adaptive = Adaptive::new("import", 400);
    ///
    /// let parsed = IMPORT.run_judged(48, async { "7".parse::<u32>() }, Result::is_err).await?;
    /// assert_eq!(parsed, Ok(7));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`admit`](Self::admit). `work` is then not polled.
    pub async fn run_judged<F: Future>(
        &self,
        keep: u32,
        work: F,
        refund_if: impl FnOnce(&F::Output) -> bool,
    ) -> Result<F::Output, Rejection> {
        let permit = self.admit_keeping(keep)?;
        let result = work.await;
        if refund_if(&result) {
            permit.failed();
        } else {
            permit.succeeded();
        }
        Ok(result)
    }
}

opaque!(Adaptive, |this| name = this.name, limit = this.limit(), in_flight = this.in_flight());
