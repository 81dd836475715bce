//! A plain async function without a web framework, limited per user in the memory of this process.

use ratelimit::{Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;

/// Each user may send two mails per minute.
#[rate_limit(key = "mail", time = "1m", count = 2, by = user)]
async fn send_mail(user: &str, subject: &str) -> Result<String, Rejection> {
    Ok(format!("sent `{subject}` for {user}"))
}

/// A limit without an attribute. Its numbers are checked at compile time.
const EXPORTS: Limit = Limit::counter(1, Duration::from_secs(3600));

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limiter = RateLimiter::in_memory();
    ratelimit::install(limiter.clone())?;

    for (user, subject) in [("ann", "hello"), ("ann", "news"), ("ann", "again"), ("bob", "hello")] {
        match send_mail(user, subject).await {
            Ok(receipt) => println!("{receipt}"),
            Err(Rejection::Limited(refusal)) => {
                let seconds = refusal.retry_after_secs().unwrap_or_default();
                println!("not sent: `{subject}` for {user}; try again in {seconds} s");
            }
            // The memory store is never unavailable, but a store in Redis can be.
            Err(rejection) => println!("not sent: `{subject}` for {user}; {rejection}"),
        }
    }

    for user in ["ann", "ann", "bob"] {
        match limiter.check(&EXPORTS, Key::new("export").by(user)).await {
            Ok(admitted) => println!("export for {user}: {} left", admitted.decision().remaining()),
            Err(rejection) => println!("no export for {user}: {rejection}"),
        }
    }
    Ok(())
}
