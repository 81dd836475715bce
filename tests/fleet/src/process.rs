//! A process of the fleet: a limiter with the unchanged client, and its calls.

use crate::history::{Outcome, Record};
use crate::schedule::{Call, Kind, Schedule};
use crate::server::Link;
use crate::world::World;
use ratelimit::{AsKey, Key, Limit, OnError, RateLimiter, Rejection};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// The records of all calls that have ended.
pub(crate) type History = Arc<Mutex<Vec<Record>>>;

pub(crate) struct Process {
    number: usize,
    pub(crate) limiter: RateLimiter,
    pub(crate) link: Arc<Link>,
    calls: Vec<JoinHandle<()>>,
}

/// A call that writes its record when it ends, also if it is dropped.
struct Running {
    record: Record,
    start: Instant,
    history: History,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.record.outcome == Outcome::Dropped {
            self.record.ended = self.start.elapsed();
        }
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.push(self.record.clone());
    }
}

/// The key of a caller.
pub(crate) fn key(limit: usize, who: u8) -> impl AsKey + Clone {
    Key::new(["first", "second", "third"][limit]).by(u64::from(who))
}

impl Process {
    /// Starts a process. `number` differs from those of all other processes of the run.
    pub(crate) fn start(world: &World, schedule: &Schedule, number: usize) -> Self {
        let host = format!("p{number}");
        let link = world.connect(&host, schedule.seed.wrapping_add(number as u64));
        let limiter = RateLimiter::builder()
            .redis(format!("redis://{host}"))
            .prefix("fleet")
            .deadline(schedule.deadline)
            .on_error(OnError::Deny)
            .build();
        let limiter = limiter.unwrap_or_else(|error| unreachable!("{error}"));
        Self { number, limiter, link, calls: Vec::new() }
    }

    /// Starts a call.
    pub(crate) fn call(&mut self, start: Instant, step: usize, call: Call, limit: Limit, history: &History) {
        let sent = start.elapsed();
        let record = Record {
            step,
            number: self.number,
            call,
            sent,
            ended: sent,
            outcome: Outcome::Dropped,
            refunded: 0,
            released: None,
        };
        let running = Running { record, start, history: Arc::clone(history) };
        let limiter = self.limiter.clone();
        self.calls.retain(|call| !call.is_finished());
        self.calls.push(tokio::spawn(async move {
            let made = make(&limiter, &limit, running);
            match call.dropped_after {
                Some(time) => drop(tokio::time::timeout(time, made).await),
                None => made.await,
            }
        }));
    }

    /// Ends the process at once, as `kill -9` does.
    pub(crate) fn kill(self) {
        self.link.cut();
        self.calls.iter().for_each(JoinHandle::abort);
    }

    /// Waits for the calls to end, and closes the limiter.
    pub(crate) async fn close(self) {
        for call in self.calls {
            let _ = call.await;
        }
        self.limiter.close().await;
    }
}

async fn make(limiter: &RateLimiter, limit: &Limit, mut running: Running) {
    let Call { limit: at, who, cost, kind, .. } = running.record.call;
    let key = key(at, who);
    let ended = |running: &mut Running, outcome| {
        running.record.ended = running.start.elapsed();
        running.record.outcome = outcome;
    };
    match kind {
        Kind::Check => {
            let outcome = limiter.check_cost(limit, key, cost).await;
            ended(&mut running, of(outcome.err()));
        }
        Kind::Acquire => {
            let outcome = limiter.acquire_cost(limit, key, cost).await;
            ended(&mut running, of(outcome.err()));
        }
        Kind::Charge { refunds } => match limiter.charge(limit, key, cost).await {
            Ok(charge) => {
                ended(&mut running, Outcome::Admitted);
                if refunds {
                    running.record.refunded = charge.refund().await.unwrap_or(0);
                }
            }
            Err(rejection) => ended(&mut running, of(Some(rejection))),
        },
        Kind::Permit { held } => match limiter.permit_cost(limit, key, cost).await {
            Ok(permit) => {
                ended(&mut running, Outcome::Admitted);
                sleep(held).await;
                drop(permit);
                running.record.released = Some(running.start.elapsed());
            }
            Err(rejection) => ended(&mut running, of(Some(rejection))),
        },
    }
}

fn of(rejection: Option<Rejection>) -> Outcome {
    match rejection {
        None => Outcome::Admitted,
        Some(Rejection::Limited(_)) => Outcome::Refused,
        Some(other) => Outcome::Unknown(other.to_string()),
    }
}

/// The longest time that a call may take.
pub(crate) fn longest(schedule: &Schedule, call: &Call) -> Duration {
    let wait = match call.kind {
        Kind::Check => Duration::ZERO,
        _ => schedule.limits[call.limit].longest_wait(),
    };
    schedule.deadline + wait
}
