// Values of `pause_if`, and limits that cannot pause.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;

type Answer = Result<Option<Duration>, Rejection>;

// A pause is a function of the result.
#[rate_limit(count = 5, pause_if = result.is_err())]
async fn a() -> Answer { Ok(None) }
#[rate_limit(count = 5, pause_if = "30s")]
async fn b() -> Answer { Ok(None) }
#[rate_limit(count = 5, pause_if)]
async fn c() -> Answer { Ok(None) }

// It returns `Option<Duration>`.
#[rate_limit(count = 5, pause_if = Result::is_err)]
async fn d() -> Answer { Ok(None) }

// Logs and permits have no place for a pause.
#[rate_limit(count = 5, algorithm = "sliding_log", pause_if = |_| None)]
async fn e() -> Answer { Ok(None) }
#[rate_limit(count = 5, algorithm = "concurrency", pause_if = |_| None)]
async fn f() -> Answer { Ok(None) }

// Arguments that exclude a pause.
#[rate_limit(count = 100, lease = 5, pause_if = |_| None)]
async fn g() -> Answer { Ok(None) }
#[rate_limit(count = 5, shadow = true, pause_if = |_| None)]
async fn h() -> Answer { Ok(None) }

// The limit is that of the partner.
#[rate_limit(key = "partner", pause_if = |_| None)]
async fn i() -> Answer { Ok(None) }

// The names of other libraries.
#[rate_limit(count = 5, backoff = |_| None)]
async fn j() -> Answer { Ok(None) }

fn main() {}
