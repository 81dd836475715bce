// Values of `cost` that are learned.

use ratelimit::{Rejection, rate_limit};

pub struct Request { max_tokens: u32 }
pub struct Model;

// `learn` needs the real cost of each call.
#[rate_limit(cost = learn(request.max_tokens))]
async fn a(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = learn(request.max_tokens), refund_if = Result::is_err)]
async fn b(request: Request) -> Result<u32, Rejection> { Ok(1) }

// A permit is returned as a whole.
#[rate_limit(algorithm = "concurrency", cost = learn(request.max_tokens))]
async fn c(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(algorithm = "concurrency", cost = learn(request.max_tokens), settle = |_| 1)]
async fn d(request: Request) -> Result<u32, Rejection> { Ok(1) }

// Leased units are not settled.
#[rate_limit(lease = 10, cost = learn(request.max_tokens), settle = |_| 1)]
async fn e(request: Request) -> Result<u32, Rejection> { Ok(1) }

// `learn` takes a ceiling, and perhaps a class.
#[rate_limit(cost = learn(), settle = |_| 1)]
async fn f(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = learn, settle = |_| 1)]
async fn g(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = learn(request.max_tokens, 1, 2), settle = |_| 1)]
async fn h(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = learn(0), settle = |_| 1)]
async fn i() -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = learn(101), settle = |_| 1)]
async fn j() -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = learn(100, "large"), settle = |_| 1)]
async fn k() -> Result<u32, Rejection> { Ok(1) }

// `learn` is the whole cost.
#[rate_limit(cost = learn(request.max_tokens) + 10, settle = |_| 1)]
async fn l(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(cost = u32::max(5, learn(request.max_tokens)), settle = |_| 1)]
async fn m(request: Request) -> Result<u32, Rejection> { Ok(1) }

// No other number is learned.
#[rate_limit(keep = learn(request.max_tokens), settle = |_| 1)]
async fn n(request: Request) -> Result<u32, Rejection> { Ok(1) }
#[rate_limit(count = learn(100), settle = |_| 1)]
async fn o() -> Result<u32, Rejection> { Ok(1) }

// It is no argument.
#[rate_limit(learn = 100)]
async fn p() -> Result<u32, Rejection> { Ok(1) }

fn main() {}
