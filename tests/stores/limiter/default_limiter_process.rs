//! A process for tests of the installed and the default limiter. Each process has only one of them.
//!
//! Each argument is a step. The process prints one line per step, and logs to standard error. If the first step is `unheard`,
//! the process has no subscriber. If the first step is `filtered`, its subscriber discards everything.

use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::error::Error;
use tracing_subscriber::filter::LevelFilter;

#[rate_limit(key = "twice", time = "1h", count = 2)]
async fn twice() -> Result<&'static str, Rejection> {
    Ok("passed")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let subscriber = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false);
    match std::env::args().nth(1).as_deref() {
        Some("unheard") => {}
        Some("filtered") => subscriber.with_max_level(LevelFilter::OFF).init(),
        _ => subscriber.init(),
    }
    for step in std::env::args().skip(1) {
        match step.as_str() {
            "unheard" | "filtered" => {}
            "return error" => println!("{}", twice().await?),
            "call" => println!("{}", describe(twice().await)),
            "install" => match ratelimit::install(RateLimiter::in_memory()) {
                Ok(()) => println!("installed"),
                Err(error) => println!("{error}"),
            },
            "install built" => {
                ratelimit::install(RateLimiter::builder().build()?)?;
                println!("installed");
            }
            "build" => {
                println!("{}", RateLimiter::builder().connect().await.map_or("not built", |_| "built"));
            }
            other => return Err(format!("no such step: {other}").into()),
        }
    }
    Ok(())
}

fn describe(outcome: Result<&'static str, Rejection>) -> String {
    match outcome {
        Ok(passed) => passed.to_owned(),
        Err(Rejection::Unavailable(unavailable)) => format!("unavailable: {}", unavailable.error()),
        Err(rejection) => format!("refused: {rejection}"),
    }
}
