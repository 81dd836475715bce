//! Replaces `peers` in builds without the other crates. There are no other subjects.

use crate::memory::front::Front;
use crate::memory::{Fresh, Kind};
use crate::shared::Subject;
use std::error::Error;

type Connected<T> = Result<T, Box<dyn Error>>;

#[expect(clippy::unused_async, reason = "the others connect")]
pub(crate) async fn through_redis(_: &str, _: &mut redis::Connection) -> Connected<Vec<Subject>> {
    Ok(Vec::new())
}

#[expect(clippy::unused_async, reason = "the others connect")]
pub(crate) async fn cached(_: &str) -> Connected<Vec<Subject>> {
    Ok(Vec::new())
}

#[expect(clippy::unused_async, reason = "the others connect")]
pub(crate) async fn through_cluster(_: &[u16], _: &mut [redis::Connection]) -> Connected<Vec<Subject>> {
    Ok(Vec::new())
}

pub(crate) const fn kinds() -> [Kind; 0] {
    []
}

pub(crate) const fn front() -> [Front; 0] {
    []
}

pub(crate) const fn fresh() -> [Fresh; 0] {
    []
}

pub(crate) const fn refused() -> Option<fn(u32) -> f64> {
    None
}

/// Servers of web frameworks are only built with the other crates.
pub(crate) mod http {
    use crate::{Effort, Results};
    use std::error::Error;

    pub(crate) const fn is_child() -> bool {
        false
    }

    pub(crate) fn run(_: &Effort) -> Result<Results, Box<dyn Error>> {
        Err("this part needs the other crates; run `cargo xtask bench http`".into())
    }
}
