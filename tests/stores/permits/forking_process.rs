//! A process that forks others, as a server does that loads an extension and then forks its workers.
//!
//! `forking_process URL NUMBER` forks `NUMBER` processes before it has a runtime. Each of them takes one of two permits, prints
//! `held` or `refused`, and holds the permit until its input ends.

use fork::{Fork, fork, waitpid};
use ratelimit::{Limit, OnError, RateLimiter, Rejection};
use std::collections::HashMap;
use std::error::Error;
use std::io::Read as _;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, number] = arguments.as_slice() else {
        return Err("usage: forking_process URL NUMBER".into());
    };
    // Most programs have a map before they fork, so std has drawn the random keys of this thread.
    drop(HashMap::from([(1, 2)]));
    let limiter = RateLimiter::builder().redis(url).deadline(Duration::from_secs(20));
    let limiter = limiter.on_error(OnError::Deny).build()?;
    let mut children = Vec::new();
    for _ in 0..number.parse::<u32>()? {
        match fork()? {
            Fork::Child => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                return runtime.block_on(hold(&limiter));
            }
            Fork::Parent(child) => children.push(child),
        }
    }
    for child in children {
        if waitpid(child)? != 0 {
            return Err("a forked process has failed".into());
        }
    }
    Ok(())
}

async fn hold(limiter: &RateLimiter) -> Result<(), Failure> {
    let permit = match limiter.permit(&Limit::concurrency(2, HOUR), "permits").await {
        Err(Rejection::Limited(_)) => None,
        permit => Some(permit?),
    };
    println!("{}", if permit.is_some() { "held" } else { "refused" });
    // The runtime has nothing else to do.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    drop(permit);
    limiter.close().await;
    Ok(())
}
