//! In the place of the other crates, where they are not built.

use crate::memory::{Fresh, Kind};
use crate::shared::Subject;
use std::error::Error;

type Found<T> = Result<T, Box<dyn Error>>;

#[expect(clippy::unused_async, reason = "as those that connect")]
pub(crate) async fn through_redis(_: &str, _: &mut redis::Connection) -> Found<Vec<Subject>> {
    Ok(Vec::new())
}

#[expect(clippy::unused_async, reason = "as those that connect")]
pub(crate) async fn cached(_: &str) -> Found<Vec<Subject>> {
    Ok(Vec::new())
}

#[expect(clippy::unused_async, reason = "as those that connect")]
pub(crate) async fn through_cluster(_: &[u16], _: &mut [redis::Connection]) -> Found<Vec<Subject>> {
    Ok(Vec::new())
}

pub(crate) const fn kinds() -> [Kind; 0] {
    []
}

pub(crate) const fn fresh() -> [Fresh; 0] {
    []
}

pub(crate) const fn refused() -> Option<fn(u32) -> f64> {
    None
}
