//! Asks a partner, over one connection for each task: a byte is a question, and the answer is the time in ms after which to
//! ask again, or zero.
//!
//! `worker URL partner ADDRESS` asks from [`TASKS`] tasks until its input ends.

use ratelimit::{RateLimiter, rate_limit};
use std::io::Read as _;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// All processes together ask more often than the limit permits, and no call waits as long as its `wait`.
const TASKS: usize = 20;

/// The time after which the partner wants to be asked again.
#[derive(Debug)]
struct Later(u64);

#[rate_limit(key = "partner", time = "1s", count = 50, algorithm = "leaky_bucket", wait = "60s", pause_if = pause)]
async fn ask(partner: &mut TcpStream) -> Result<Later, super::Failure> {
    partner.write_u8(1).await?;
    Ok(Later(partner.read_u64().await?))
}

fn pause(answer: &Result<Later, super::Failure>) -> Option<Duration> {
    answer.as_ref().ok().filter(|later| later.0 > 0).map(|later| Duration::from_millis(later.0))
}

pub(super) async fn ask_from_all_tasks(limiter: RateLimiter, address: &str) -> Result<(), super::Failure> {
    for _ in 0..TASKS {
        let (limiter, mut partner) = (limiter.clone(), TcpStream::connect(address).await?);
        // A task ends with its first error, and then the partner counts too few calls.
        tokio::spawn(
            async move { while ratelimit::scope(limiter.clone(), ask(&mut partner)).await.is_ok() {} },
        );
    }
    println!("asking");
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
