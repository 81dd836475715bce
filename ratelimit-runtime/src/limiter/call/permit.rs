//! `Permit`: a place of a concurrency limit, returned on drop.

use super::holdings::Holdings;
use crate::body::HoldBody;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::AsKey;
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::limiter::permits::Permits;
use crate::macros::opaque;
use crate::rejection::Rejection;
use crate::store::cost::Cost;
use std::future::pending;

/// A place of a concurrency limit, which no other process can take until the permit is dropped.
///
/// While the permit is held, its lease is renewed each time a third of the lease has passed. Dropping the permit returns it,
/// also if its holder panics, or if the future that holds it is dropped. A process that dies or loses its connection to the
/// store loses the permit when the lease ends, and [`lost`](Self::lost) tells the holder. The return is sent in the background,
/// on the tokio runtime in which the permit is dropped. [`RateLimiter::close`] waits for the return.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::{Limit, RateLimiter};
/// use std::time::Duration;
///
/// const EXPORTS: Limit = Limit::concurrency(1, Duration::from_secs(30));
///
/// let limiter = RateLimiter::in_memory();
/// let permit = limiter.permit(&EXPORTS, "exports").await?;
/// assert!(limiter.permit(&EXPORTS, "exports").await.is_err());
/// drop(permit);
/// assert!(limiter.permit(&EXPORTS, "exports").await.is_ok());
/// # Ok(()) }
/// ```
#[must_use = "dropping a permit returns it"]
pub struct Permit {
    /// Dropping this field returns the permit.
    holdings: Holdings,
    decision: Decision,
}

impl Permit {
    /// The decision that admitted the call.
    pub const fn decision(&self) -> Decision {
        self.decision
    }

    /// Waits until the permit is lost, so that its holder can stop. The permit is lost if
    ///
    /// - a renewal finds that the store no longer has it, for example after `FLUSHALL`, [`reset`](RateLimiter::reset), a
    ///   failover, or a pause of the process that was longer than the lease. Renewals are sent each time a third of the lease
    ///   has passed.
    /// - its lease has ended by the clock of this process, and no renewal was confirmed. The store may then still have the
    ///   permit.
    /// - [`RateLimiter::close`] has returned it.
    ///
    /// From then on, another call may have the place, and this does not change again. The future never ends if the permit is
    /// not lost, or if no store has given it (`on_error = "allow"`, or limits are off). If it is dropped, nothing changes. In a
    /// runtime without timers, it does not notice the end of the lease. A holder that stops may still have a write under way: if
    /// two holders must never write, use a fencing token.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::{Limit, RateLimiter};
    /// use std::time::Duration;
    ///
    /// const EXPORTS: Limit = Limit::concurrency(1, Duration::from_secs(30));
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let permit = limiter.permit(&EXPORTS, "exports").await?;
    /// limiter.reset(&EXPORTS, "exports").await?;
    /// permit.lost().await; // ends after at most 10 s, when the permit is renewed
    /// assert!(permit.is_lost());
    /// # Ok(()) }
    /// ```
    pub async fn lost(&self) {
        match self.holdings.members.first() {
            Some(member) => self.permits().lost(self.holdings.source, &member.request).await,
            None => pending().await,
        }
    }

    /// Returns whether the permit is lost, as [`lost`](Self::lost) explains. If a renewal is late, this is also `true` from the
    /// end of the lease until the renewal is confirmed.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let member = self.holdings.members.first();
        member.is_some_and(|member| self.permits().is_lost(self.holdings.source, &member.request))
    }

    fn permits(&self) -> &Permits {
        &self.holdings.limiter.shared.permits
    }

    /// Holds the permit until the body of a response ends: because it was sent, because it has failed, or because the client has
    /// disconnected. If the response is an `Err`, the permit is returned at once.
    ///
    /// ```
    /// # #[cfg(feature = "axum")] mod example {
    /// use axum::body::Body;
    /// use axum::response::{IntoResponse, Response};
    /// use ratelimit::{Limit, RateLimiter, Rejection};
    /// use std::time::Duration;
    ///
    /// const DOWNLOADS: Limit = Limit::concurrency(50, Duration::from_secs(30));
    ///
    /// async fn download(limiter: RateLimiter, file: Body) -> Result<Response, Rejection> {
    ///     let permit = limiter.permit(&DOWNLOADS, "downloads").await?;
    ///     Ok(permit.hold(file.into_response()))
    /// }
    /// # }
    /// ```
    ///
    /// For work that is not a response, such as the task of a WebSocket, move the permit into the task.
    #[must_use = "dropping the response returns the permit"]
    pub fn hold<R: HoldBody>(self, response: R) -> R::Output {
        response.hold(self.holdings.into_held(Vec::new()))
    }
}

opaque!(Permit, |this| decision = this.decision);

impl RateLimiter {
    /// Takes one permit of a concurrency limit. If the limit has a [`wait`](Limit::wait), the call waits for a permit for at most
    /// that time, in the order of arrival. A permit that is returned in this process wakes the call at once. To notice permits
    /// that other processes return, the call asks the store again: about every 20 ms if it could be the next call, and otherwise
    /// about every 100 ms.
    ///
    /// If the future is dropped before it is ready, or the store does not reply in time, no permit stays taken. If the store
    /// may have given a permit, the return of this permit is repeated until the store confirms it. At most 16 384 such permits
    /// are remembered.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check). If the limit is not a concurrency limit, the call is
    /// rejected as [`Unavailable`](Rejection::Unavailable).
    pub async fn permit(&self, limit: &Limit, key: impl AsKey) -> Result<Permit, Rejection> {
        self.permit_cost(limit, key, 1).await
    }

    /// Takes one [`permit`](Self::permit) of `cost` units, which are held and returned together. A call whose [`Cost`] leaves
    /// units to others waits behind all other calls. It has no place in the order of arrival, and asks again about every 20 or
    /// 100 ms.
    ///
    /// # Errors
    ///
    /// The errors of [`permit`](Self::permit).
    pub async fn permit_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: impl Into<Cost>,
    ) -> Result<Permit, Rejection> {
        let admitted = self.admit_one(limit, &key, cost.into(), None, ensure_concurrency).await;
        let (holdings, decision) = admitted?;
        Ok(Permit { holdings, decision })
    }
}

fn ensure_concurrency(limit: &Limit) -> Result<(), Error> {
    if limit.is_concurrency() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Configuration,
        "only a concurrency limit has permits; use `check` or `charge` instead",
    ))
}
