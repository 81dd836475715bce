//! Overrides in one hash per prefix: an entry for each, and a version that each change replaces.
//!
//! The one key without a TTL: it is configuration, and has to survive.

use super::client::Shared;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::store::Overridden;
use redis::Value;
use std::hash::{BuildHasher, RandomState};

const VERSION: &[u8] = b"version";
/// Where Lua's numbers end; the version is one that nobody else has written before.
const VERSIONS: u64 = 1 << 53;

pub(super) async fn load(shared: &Shared, key: &[u8], seen: u64) -> Result<Option<Overridden>, Error> {
    let version = match shared.ask(&StoreKey::new(key), redis::cmd("HGET").arg(key).arg(VERSION)).await? {
        Value::Nil => 0,
        value => number(&value).ok_or_else(|| foreign(shared))?,
    };
    if version == seen {
        return Ok(None);
    }
    let all = shared.ask(&StoreKey::new(key), redis::cmd("HGETALL").arg(key)).await?;
    let fields: Vec<(Vec<u8>, Vec<u8>)> = redis::from_redis_value(all).map_err(|_| foreign(shared))?;
    let mut overridden = Overridden::default();
    for (entry, limit) in fields {
        let limit = String::from_utf8(limit).map_err(|_| foreign(shared))?;
        if entry == VERSION {
            overridden.version = limit.parse().map_err(|_| foreign(shared))?;
        } else if !limit.is_empty() {
            overridden.entries.push((entry, limit));
        }
    }
    Ok(Some(overridden))
}

/// A removed entry is emptied together with the new version, in one command, so that nobody can see one without the
/// other; then it is deleted.
pub(super) async fn save(
    shared: &Shared,
    key: &[u8],
    entry: &[u8],
    limit: Option<&str>,
) -> Result<(), Error> {
    let version = (RandomState::new().hash_one(entry) % VERSIONS).max(1);
    let mut set = redis::cmd("HSET");
    set.arg(key).arg(entry).arg(limit.unwrap_or_default()).arg(VERSION).arg(version);
    shared.ask(&StoreKey::new(key), &set).await?;
    if limit.is_none() {
        shared.ask(&StoreKey::new(key), redis::cmd("HDEL").arg(key).arg(entry)).await?;
    }
    Ok(())
}

fn number(value: &Value) -> Option<u64> {
    redis::from_redis_value_ref(value).ok()
}

fn foreign(shared: &Shared) -> Error {
    shared.address().error(
        ErrorKind::Configuration,
        "cannot use the overrides in",
        "their key holds something else",
    )
}
