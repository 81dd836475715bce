// A misspelt name gets a suggestion. For other names the message lists the choice.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(cuont = 5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(Time = 60)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_limt = |_| Ok(()))]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(colour = "red")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}
