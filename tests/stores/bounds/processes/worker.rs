//! A process that calls one limit from several tasks, or holds a permit, and reports its calls.
//!
//! `worker URL LIMIT [TASKS PAUSE]` prints `ready` and reads a time in microseconds since the epoch. Until that time it calls a
//! limit of `worker_limits.rs` from 32 tasks without pauses, or from `TASKS` tasks with a pause of `PAUSE` microseconds after
//! each call. At the end it prints one line per event, with times of the same clock:
//! - `passed FROM TO`: the turn of an admitted call was between `FROM` and `TO`, or the call held its permit from `FROM` to
//!   `TO`
//! - `refused SENT TO`: a call was refused; each task reports at most one refusal per 20 ms, and its last one
//!
//! `worker URL hold LEASE KEY` takes the only permit of a key, with a lease of `LEASE` milliseconds, prints `held`,
//! and holds the permit until it is killed or its input ends.

use ratelimit::{ErrorKind, Limit, OnError, RateLimiter, Rejection};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Read as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

mod worker_limits;

const TASKS: usize = 32;
/// The shortest time between two refusals that a task reports, in microseconds.
const PAUSE_US: u64 = 20_000;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(worker_threads = 1)]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [url, task @ ..] = arguments.as_slice() else {
        return Err("no URL".into());
    };
    let deadline = Duration::from_secs(20);
    let mut attempts = 0;
    let limiter = loop {
        let limiter = RateLimiter::builder().redis(*url).deadline(deadline).on_error(OnError::Deny);
        match limiter.connect().await {
            // If the machine stalls, the server may reply too late for this attempt.
            Err(error) if attempts < 5 && error.kind() == ErrorKind::Unavailable => attempts += 1,
            connected => break connected?,
        }
    };
    match task {
        ["hold", lease, key] => hold(&limiter, Duration::from_millis(lease.parse()?), key).await,
        [name] => call_from_all_tasks(&limiter, name, TASKS, Duration::ZERO).await,
        [name, tasks, pause] => {
            call_from_all_tasks(&limiter, name, tasks.parse()?, Duration::from_micros(pause.parse()?)).await
        }
        _ => Err("usage: worker URL LIMIT [TASKS PAUSE], or worker URL hold LEASE KEY".into()),
    }
}

async fn hold(limiter: &RateLimiter, lease: Duration, key: &str) -> Result<(), Failure> {
    let _permit = limiter.permit(&Limit::concurrency(1, lease), key).await?;
    println!("held");
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

async fn call_from_all_tasks(
    limiter: &RateLimiter,
    name: &str,
    tasks: usize,
    pause: Duration,
) -> Result<(), Failure> {
    let limit = worker_limits::named(name).ok_or("no such limit")?;
    println!("ready");
    let mut until = String::new();
    std::io::stdin().read_line(&mut until)?;
    let until = until.trim().parse()?;
    let caller =
        || Caller { limiter: limiter.clone(), limit, name: name.to_owned(), pause, report: String::new() };
    let tasks: Vec<_> = (0..tasks).map(|_| tokio::spawn(caller().call_until(until))).collect();
    for task in tasks {
        print!("{}", task.await??);
    }
    limiter.close().await;
    Ok(())
}

struct Caller {
    limiter: RateLimiter,
    limit: Limit,
    name: String,
    pause: Duration,
    report: String,
}

impl Caller {
    async fn call_until(mut self, until: u64) -> Result<String, Failure> {
        let (mut refused, mut reported) = (None, 0);
        loop {
            let sent = now()?;
            if sent >= until {
                break;
            }
            match self.call(sent).await? {
                Some((from, to)) => writeln!(self.report, "passed {from} {to}")?,
                None => refused = Some((sent, now()?)),
            }
            if let Some((sent, to)) = refused.take_if(|(sent, _)| *sent > reported + PAUSE_US) {
                writeln!(self.report, "refused {sent} {to}")?;
                reported = sent;
            }
            if !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
        }
        if let Some((sent, to)) = refused {
            writeln!(self.report, "refused {sent} {to}")?;
        }
        Ok(self.report)
    }

    /// Makes the kind of call that the limit needs. Returns the interval of its turn, or `None` if it was refused.
    async fn call(&self, sent: u64) -> Result<Option<(u64, u64)>, Failure> {
        let Self { limiter, limit, name, .. } = self;
        if limit.is_concurrency() {
            return self.hold_for_a_while().await;
        }
        let waits = !limit.longest_wait().is_zero();
        let admitted =
            if waits { limiter.acquire(limit, name).await } else { limiter.check(limit, name).await };
        match admitted {
            Ok(admitted) => {
                let delay = u64::try_from(admitted.decision().delay().as_micros())?;
                Ok(Some((sent + delay, now()?)))
            }
            Err(Rejection::Limited(_)) => Ok(None),
            Err(rejection) => Err(rejection.into()),
        }
    }

    /// Holds a permit for 5 ms. Returns the interval in which it was certainly held. A short time makes permits change hands
    /// often, which would reveal that too many are held.
    async fn hold_for_a_while(&self) -> Result<Option<(u64, u64)>, Failure> {
        let permit = match self.limiter.permit(&self.limit, &self.name).await {
            Ok(permit) => permit,
            Err(Rejection::Limited(_)) => return Ok(None),
            Err(rejection) => return Err(rejection.into()),
        };
        let granted = now()?;
        tokio::time::sleep(Duration::from_millis(5)).await;
        let released = now()?;
        drop(permit);
        Ok(Some((granted, released)))
    }
}

fn now() -> Result<u64, Failure> {
    Ok(u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros())?)
}
