//! No web framework: a plain async function, limited per user in the memory of this process.

use ratelimit::{Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;

/// Two mails a minute for each user.
#[rate_limit(key = "mail", time = "1m", count = 2, by = user)]
async fn send_mail(user: &str, subject: &str) -> Result<String, Rejection> {
    Ok(format!("sent `{subject}` for {user}"))
}

/// A limit for the API, where no function stands for what is limited. Its numbers are checked at compile time.
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
                println!("kept `{subject}` of {user}: try again in {seconds} s");
            }
            // Only a store outside of the process can be unavailable.
            Err(rejection) => println!("kept `{subject}` of {user}: {rejection}"),
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
