//! `Rejection::answer`: the answer in the form of the request's context.

use super::RequestContext;
use crate::answer::Answer;
use crate::rejection::Rejection;

impl Rejection {
    /// Returns the answer that a web client receives for this rejection: in the form of the current [`RequestContext`], else in the form that
    /// [`install_answers`](crate::answer::install_answers) has set, else in plain text.
    ///
    /// The supported frameworks convert a rejection with it. Call it for a framework that is not supported:
    ///
    /// ```
    /// # use ratelimit::{Limit, RateLimiter};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let closed = Limit::try_counter(0, std::time::Duration::from_secs(1)).unwrap();
    /// # let rejection = RateLimiter::in_memory().check(&closed, "closed").await.unwrap_err();
    /// let answer = rejection.answer();
    /// assert_eq!((answer.status, answer.retry_after), (429, None));
    /// assert_eq!(answer.content_type, "text/plain; charset=utf-8");
    /// assert_eq!(answer.body, b"too many requests: this limit is closed");
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the closure of [`Answers::custom`](crate::answer::Answers::custom) panics.
    pub fn answer(&self) -> Answer {
        self.answer_in(RequestContext::current().as_ref())
    }

    /// [`answer`](Self::answer) for a request whose context is at hand.
    pub(crate) fn answer_in(&self, context: Option<&RequestContext>) -> Answer {
        let own = context.and_then(|context| context.known.answers.as_ref());
        Answer::of(self, own, || context.map(RequestContext::decisions).unwrap_or_default())
    }
}
