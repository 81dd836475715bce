//! A process of the fleet: a limiter with the unchanged client, and its calls.

use crate::history::{Adjusted, Changed, History, Outcome, Record};
use crate::schedule::{Call, Change, Hand, How, Kind, NAMES, NOBODY, Schedule, Then, other_caller};
use crate::server::Link;
use crate::world::{Links, World};
use ratelimit::overrides::LimitChange;
use ratelimit::{AsKey, Cost, Decision, Error, Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

pub(crate) struct Process {
    number: usize,
    pub(crate) limiter: RateLimiter,
    pub(crate) links: Links,
    /// The limits in the code of the process.
    pub(crate) limits: Vec<Limit>,
    calls: Vec<JoinHandle<()>>,
}

/// A running call. It adds its record to the history when it is dropped, also if the call has not ended.
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
        self.history.lock().calls.push(self.record.clone());
    }
}

/// The key of a limit for a caller.
pub(crate) fn key(limit: usize, who: u8) -> Box<dyn AsKey + Send + Sync> {
    let key = Key::new(NAMES[limit]);
    if who == NOBODY { Box::new(key) } else { Box::new(key.by(u64::from(who))) }
}

impl Process {
    /// Starts a process. `number` differs from the numbers of all other processes of the run.
    pub(crate) fn start(world: &World, schedule: &Schedule, limits: &[Limit], number: usize) -> Self {
        let host = format!("p{number}");
        let links = world.connect(&host, schedule.seed.wrapping_add(number as u64), schedule.is_slow);
        let limiter = RateLimiter::builder()
            .redis(world.url(&host))
            .prefix("fleet")
            .deadline(schedule.deadline)
            .on_error(schedule.policy)
            .build();
        let limiter = limiter.unwrap_or_else(|error| unreachable!("{error}"));
        Self { number, limiter, links, limits: limits.to_vec(), calls: Vec::new() }
    }

    /// Starts a call.
    pub(crate) fn call(&mut self, start: Instant, step: usize, call: Call, history: &History) {
        let sent = start.elapsed();
        let record = Record {
            step,
            number: self.number,
            call,
            sent,
            ended: sent,
            outcome: Outcome::Dropped,
            adjusted: Adjusted::Unknown,
            adjusting: None,
            reset: Duration::ZERO,
            released: None,
        };
        let running = Running { record, start, history: history.clone() };
        let (limiter, limits) = (self.limiter.clone(), self.limits.clone());
        self.calls.retain(|call| !call.is_finished());
        self.calls.push(tokio::spawn(async move {
            let made = make(&limiter, &limits, running);
            match call.dropped_after {
                Some(time) => drop(tokio::time::timeout(time, made).await),
                None => made.await,
            }
        }));
    }

    /// Changes the count of a limit.
    pub(crate) fn change(&mut self, start: Instant, step: usize, change: Change, history: &History) {
        let Change { limit, how, .. } = change;
        if let How::Deploy(count) = how {
            self.limits[limit] = with_count(&self.limits[limit], count);
            return;
        }
        let (limiter, history, sent) = (self.limiter.clone(), history.clone(), start.elapsed());
        self.calls.push(tokio::spawn(async move {
            let (overrides, change_to) = (limiter.overrides(), |count| LimitChange::new().count(count));
            let done = match how {
                How::Override(count) => overrides.set(NAMES[limit], change_to(count)).await,
                How::Expiring(count, time) => overrides.set_for(NAMES[limit], change_to(count), time).await,
                How::Deploy(_) | How::Remove => overrides.remove(NAMES[limit]).await,
            };
            let error = done.err().map(|error| error.to_string());
            history.lock().changes.push(Changed { step, change, sent, ended: start.elapsed(), error });
        }));
    }

    /// Ends the process at once, like `kill -9`.
    pub(crate) fn kill(self) {
        self.links.iter().for_each(Link::cut);
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

/// Returns the limit with another count, or the same limit if the new count is not valid for it.
pub(crate) fn with_count(limit: &Limit, count: u32) -> Limit {
    LimitChange::new().count(count).apply(limit).unwrap_or(*limit)
}

async fn make(limiter: &RateLimiter, limits: &[Limit], mut running: Running) {
    let Call { limit: at, who, cost: number, keep, kind, .. } = running.record.call;
    let (limit, key, cost) = (&limits[at], key(at, who), Cost::new(number).keep(keep));
    let ended = |running: &mut Running, outcome: Result<Decision, Rejection>| {
        running.record.ended = running.start.elapsed();
        running.record.reset = outcome.as_ref().map_or(Duration::ZERO, Decision::reset_after);
        running.record.outcome = outcome.map_or_else(of, |_| Outcome::Admitted);
    };
    match kind {
        Kind::Check => {
            let outcome = limiter.check_cost(limit, key, cost).await;
            ended(&mut running, outcome.map(|admitted| admitted.decision()));
        }
        Kind::Acquire => {
            let outcome = limiter.acquire_cost(limit, key, cost).await;
            ended(&mut running, outcome.map(|admitted| admitted.decision()));
        }
        Kind::Stack { with, beside } => {
            let (second, third) = (self::key(with, who), self::key(at, other_caller(who)));
            let members: [(&Limit, &dyn AsKey, Cost); 3] =
                [(limit, &key, cost), (&limits[with], &second, cost), (limit, &third, cost)];
            let outcome = limiter.check_all(&members[..if beside { 3 } else { 2 }]).await;
            ended(&mut running, outcome.map(|admitted| admitted[0].decision()));
        }
        Kind::Charge { then } => match limiter.charge(limit, key, cost).await {
            Ok(charge) => {
                ended(&mut running, Ok(charge.decision()));
                if let Then::Later(time) = then {
                    sleep(time).await;
                }
                let sent = running.start.elapsed();
                running.record.adjusted = match then {
                    Then::Keep => Adjusted::Took(0),
                    Then::Refund | Then::Later(_) => {
                        charge.refund().await.map_or(Adjusted::Unknown, Adjusted::Gave)
                    }
                    Then::Settle(settled) => {
                        let units = charge.settle(settled).await;
                        let adjusted = if settled < number { Adjusted::Gave } else { Adjusted::Took };
                        units.map_or(Adjusted::Unknown, adjusted)
                    }
                };
                running.record.adjusting = Some((sent, running.start.elapsed()));
            }
            Err(rejection) => ended(&mut running, Err(rejection)),
        },
        Kind::Pausing { time } => {
            let outcome = ask_partner(limiter, *limit, who.into(), time).await;
            running.record.ended = running.start.elapsed();
            running.record.outcome = outcome.map_or_else(of, |_| Outcome::Admitted);
        }
        Kind::Hand(hand) => {
            let done = match hand {
                Hand::Penalize => limiter.penalize(limit, key, number).await,
                Hand::Reset => limiter.reset(limit, key).await.map(u32::from),
                Hand::Block(time) => limiter.block(limit, key, time).await.map(|()| 1),
                Hand::Unblock => limiter.unblock(limit, key).await.map(u32::from),
                Hand::Status => Ok(u32::from(limiter.status().await.is_ready())),
            };
            running.record.ended = running.start.elapsed();
            let failed = |error: Error| Outcome::Unknown(error.to_string());
            running.record.outcome = done.map_or_else(failed, Outcome::Done);
        }
        Kind::Permit { held } => match limiter.permit_cost(limit, key, cost).await {
            Ok(permit) => {
                ended(&mut running, Ok(permit.decision()));
                sleep(held).await;
                drop(permit);
                running.record.released = Some(running.start.elapsed());
            }
            Err(rejection) => ended(&mut running, Err(rejection)),
        },
    }
}

/// Asks a partner, which answers that nobody may ask it again for this time. The name is that of the first limit ([`NAMES`]).
#[rate_limit(key = "first", limit = limit, by = who, limiter = limiter.clone(), pause_if = pause)]
async fn ask_partner(
    limiter: &RateLimiter,
    limit: Limit,
    who: u64,
    time: Duration,
) -> Result<Duration, Rejection> {
    Ok(time)
}

fn pause(answer: &Result<Duration, Rejection>) -> Option<Duration> {
    answer.as_ref().ok().copied()
}

fn of(rejection: Rejection) -> Outcome {
    match rejection {
        Rejection::Limited(limited) => Outcome::Refused(limited.decision().retry_after()),
        Rejection::Unavailable(unavailable) => Outcome::Unknown(unavailable.error().to_string()),
        other => Outcome::Unknown(other.to_string()),
    }
}

/// The longest time that a call may take: the deadline, and the limit's longest wait if the call may wait. A call that can
/// pause its limit also asks for a pause before it runs, and sends the pause afterwards.
pub(crate) fn longest(schedule: &Schedule, call: &Call) -> Duration {
    let requests = if matches!(call.kind, Kind::Pausing { .. }) { 3 } else { 1 };
    let wait = match call.kind {
        Kind::Check | Kind::Stack { .. } | Kind::Hand(_) => Duration::ZERO,
        _ => schedule.limits[call.limit].longest_wait(),
    };
    schedule.deadline * requests + wait
}
