// Values of `key`.

#![allow(unused_variables)]

use ratelimit::{Rejection, rate_limit};

// A limit needs a name.
#[rate_limit(key = "")]
async fn a() -> Result<(), Rejection> { Ok(()) }

// The key must be a literal. Values are written as placeholders.
#[rate_limit(key = name)]
async fn b(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = format!("report:{id}"))]
async fn c(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = 5)]
async fn d(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// Braces must come in pairs, or be doubled.
#[rate_limit(key = "report:{id")]
async fn e(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:id}")]
async fn f(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "}{")]
async fn g(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A placeholder must name an argument.
#[rate_limit(key = "report:{}")]
async fn h(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{ }")]
async fn i(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A placeholder takes a name, not a number.
#[rate_limit(key = "report:{0}")]
async fn j(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{0}:{1}")]
async fn k(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A placeholder takes no format.
#[rate_limit(key = "report:{id:?}")]
async fn l(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{id:>8}")]
async fn m(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A placeholder takes a value of an argument: fields, and methods without arguments.
#[rate_limit(key = "report:{id + 1}")]
async fn n(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{name.get(0)}")]
async fn o(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{name[0]}")]
async fn p(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{Self::NAME}")]
async fn q(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{na'me}:{\"}:{na)me}:{name.await}:{name.f::<u8>()}:{🦀}")]
async fn r(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A placeholder must name an argument of this function.
#[rate_limit(key = "report:{nme}")]
async fn report(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{tenant.id}")]
async fn t(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "report:{name}:{idd}:{nam}")]
async fn u(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A function without arguments has no value for a placeholder.
#[rate_limit(key = "report:{id}")]
async fn v() -> Result<(), Rejection> { Ok(()) }

// Only methods have a `self`.
#[rate_limit(key = "report:{self.tenant}")]
async fn w(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

fn main() {}
