//! `DeadlineTimer`: judges whether a deadline was missed, but not while the runtime itself is late: then replies may have arrived
//! that nobody has read, and the server is not to blame.

use super::timer::sleep_until;
use crate::error::Error;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::task::coop::{Unconstrained, unconstrained};
use tokio::time::{Instant, Sleep};

/// A look at a deadline that comes later than this was delayed by the runtime. Replies may have arrived that nobody has read.
const LATE: Duration = Duration::from_millis(5);
/// The time from a late look to the next one is the delay of the late look, within these bounds. In this time the replies are
/// read, and requests that the runtime could not send are decided.
const AGAIN: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(50)];
/// After this many late looks in a row, the next one judges. Otherwise a runtime that is always late would never notice a silent
/// server.
const MOST: u8 = 5;

/// The late looks in a row.
#[derive(Default)]
struct LateLooks(u8);

impl LateLooks {
    /// If a look that was due at `due` is late, returns the time of the next look. The late look must judge nobody.
    fn postpone(&mut self, due: Instant, now: Instant) -> Option<Instant> {
        let delay = now.saturating_duration_since(due);
        if delay <= LATE || self.0 >= MOST {
            self.0 = 0;
            return None;
        }
        self.0 += 1;
        Some(now + delay.clamp(AGAIN[0], AGAIN[1]))
    }
}

/// A timer that ends when a deadline was missed. It is made at the first poll, because most replies arrive before.
pub(crate) struct DeadlineTimer {
    look: Instant,
    late: LateLooks,
    /// Unconstrained, so that it ends even if the awaited future uses up the cooperative budget of its task.
    timer: Option<Pin<Box<Unconstrained<Sleep>>>>,
}

impl DeadlineTimer {
    pub(crate) fn new(deadline: Instant) -> Self {
        Self { look: deadline, late: LateLooks::default(), timer: None }
    }

    /// Whether a poll has found the deadline not yet missed.
    pub(crate) fn has_begun(&self) -> bool {
        self.timer.is_some()
    }

    /// Ends when the deadline was missed. Returns an error if the runtime has no timers.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        loop {
            let timer = if let Some(timer) = &mut self.timer {
                timer
            } else {
                // A timer that is made after its deadline says nothing about the runtime.
                let now = Instant::now();
                if now > self.look + LATE {
                    self.look = now + AGAIN[0];
                }
                self.timer.insert(Box::pin(unconstrained(sleep_until(self.look)?)))
            };
            ready!(timer.as_mut().poll(context));
            match self.late.postpone(self.look, Instant::now()) {
                None => return Poll::Ready(Ok(())),
                Some(again) => (self.look, self.timer) = (again, None),
            }
        }
    }
}

/// Awaits a future until a deadline. `None` if the deadline was missed.
pub(crate) async fn until<F: Future>(deadline: Instant, future: F) -> Option<F::Output> {
    let (mut future, mut timer) = (pin!(future), DeadlineTimer::new(deadline));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => timer.poll(context).map(|_| None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_late_look_judges_nobody_at_most_five_times_in_a_row() {
        let (mut looks, mut due) = (LateLooks::default(), Instant::now());
        for _ in 0..3 {
            assert_eq!(looks.postpone(due, due + 5 * MS), None);
            for _ in 0..5 {
                let now = due + 150 * MS;
                assert_eq!(looks.postpone(due, now), Some(now + 50 * MS));
                due = now + 50 * MS;
            }
            assert_eq!(looks.postpone(due, due + 150 * MS), None, "the runtime is always late");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stall_beyond_the_deadline_gives_the_future_another_moment() {
        for (stall, ready, expected) in
            [(0, 101, None), (150, 199, Some(())), (150, 201, None), (106, 115, Some(())), (99, 99, Some(()))]
        {
            let began = Instant::now();
            let mut future = pin!(until(began + 100 * MS, tokio::time::sleep_until(began + ready * MS)));
            let first = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
            assert!(first.is_pending());
            tokio::time::advance(stall * MS).await;
            assert_eq!(future.await, expected, "{stall} {ready}");
        }
    }
}
