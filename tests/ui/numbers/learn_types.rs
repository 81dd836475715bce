// Types of the arguments of `learn`.

use ratelimit::{Rejection, rate_limit};

pub struct Model;

// A class can be hashed.
#[rate_limit(cost = learn(100, model), settle = |_| 1_u32)]
async fn a(model: Model) -> Result<u32, Rejection> { drop(model); Ok(1) }

// A ceiling is an unsigned integer.
#[rate_limit(cost = learn(most), settle = |_| 1_u32)]
async fn b(most: i64) -> Result<u32, Rejection> { Ok(1) }

fn main() {}
