//! A process of the bounds test: 32 tasks that call one limit as fast as they can, and report each admitted call.
//!
//! Arguments: the server's URL, the limit's name, and for how many milliseconds to call. Each line of the output is one
//! admitted call: when it was sent and when it was answered, in microseconds of the system's clock.

use ratelimit::{OnError, RateLimiter};
use std::error::Error;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[path = "worker_limits.rs"]
mod worker_limits;

const TASKS: usize = 32;

#[tokio::main(worker_threads = 1)]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, name, millis] = arguments.as_slice() else {
        return Err("usage: worker URL LIMIT MILLISECONDS".into());
    };
    let limit = worker_limits::named(name).ok_or("no such limit")?;
    let until = now()? + 1000 * millis.parse::<u128>()?;
    let limiter = RateLimiter::builder().redis(url).deadline(Duration::from_secs(20)).on_error(OnError::Deny);
    let limiter = limiter.build().await?;
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let (limiter, name) = (limiter.clone(), name.clone());
            tokio::spawn(async move {
                let mut report = String::new();
                loop {
                    let sent = now()?;
                    if sent >= until {
                        return Ok::<_, Box<dyn Error + Send + Sync>>(report);
                    }
                    if limiter.check(&limit, &name).await?.allowed() {
                        writeln!(report, "{sent} {}", now()?)?;
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        print!("{}", task.await?.map_err(|error| error.to_string())?);
    }
    Ok(())
}

fn now() -> Result<u128, std::time::SystemTimeError> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros())
}
