// Values of `by` that are not finished, or whose type does not fit.

#![allow(unused_variables)]

use ratelimit::{Rejection, rate_limit};

struct User { id: u64 }

#[rate_limit(count = 5, by = user.)]
async fn dot(user: User) -> Result<(), Rejection> { Ok(()) }

#[rate_limit(count = 5, by = user.id., cost = 2)]
async fn second_dot(user: User) -> Result<(), Rejection> { Ok(()) }

#[rate_limit(count = 5, by = name.to_string())]
async fn text(name: impl ToString) -> Result<(), Rejection> { Ok(()) }

#[rate_limit(count = 5, by = names)]
async fn list(names: Vec<String>) -> Result<(), Rejection> { Ok(()) }

// The advice.
#[rate_limit(count = 5, by = name.to_string().as_str())]
async fn advised(name: impl ToString) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5, by = names.join(",").as_str())]
async fn joined(names: Vec<String>) -> Result<(), Rejection> { Ok(()) }

fn main() {}
