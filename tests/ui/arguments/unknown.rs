// A word that is near one of ours is a slip of the pen; for any other the choice is listed.

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
