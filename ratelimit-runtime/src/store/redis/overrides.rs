//! Overrides: one hash for each prefix, with a field for each override and a version that every change replaces.
//!
//! This key has no TTL, because overrides are configuration.

use super::client::Client;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::random;
use crate::store::Overridden;
use redis::Value;

const VERSION: &[u8] = b"version";
/// Versions are random numbers below this, the bound of exact integers in Lua.
const VERSIONS: u64 = 1 << 53;

/// Deletes a field that is empty.
const DELETE_REMOVED: &str =
    "if redis.call('HGET', KEYS[1], ARGV[1]) == '' then redis.call('HDEL', KEYS[1], ARGV[1]) end return 0";

/// Loads the overrides, unless their version is `seen`.
pub(super) async fn load(client: &Client, key: &StoreKey, seen: u64) -> Result<Option<Overridden>, Error> {
    let version = match client.command(key, redis::cmd("HGET").arg(key.as_bytes()).arg(VERSION)).await? {
        Value::Nil => 0,
        value => redis::from_redis_value_ref(&value).map_err(|_| invalid(client))?,
    };
    if version == seen {
        return Ok(None);
    }
    let all = client.command(key, redis::cmd("HGETALL").arg(key.as_bytes())).await?;
    let fields: Vec<(Vec<u8>, Vec<u8>)> = redis::from_redis_value(all).map_err(|_| invalid(client))?;
    let mut overridden = Overridden::default();
    for (entry, limit) in fields {
        let limit = String::from_utf8_lossy(&limit).into_owned();
        if entry == VERSION {
            overridden.version = limit.parse().map_err(|_| invalid(client))?;
        } else if !limit.is_empty() {
            overridden.entries.push((entry, limit));
        }
    }
    Ok(Some(overridden))
}

/// Sets or removes the override of an entry.
///
/// A removed override is first set to an empty text, together with the new version and in one command. So no reader sees one
/// change without the other. Then its field is deleted, unless another process has set a new override meanwhile: that one has its
/// own version, so no process would notice that it is gone.
pub(super) async fn save(
    client: &Client,
    key: &StoreKey,
    entry: &[u8],
    limit: Option<&str>,
) -> Result<(), Error> {
    let version = (random::bits() % VERSIONS).max(1);
    let mut set = redis::cmd("HSET");
    set.arg(key.as_bytes()).arg(entry).arg(limit.unwrap_or_default()).arg(VERSION).arg(version);
    client.command(key, &set).await?;
    if limit.is_none() {
        client
            .command(key, redis::cmd("EVAL").arg(DELETE_REMOVED).arg(1).arg(key.as_bytes()).arg(entry))
            .await?;
    }
    Ok(())
}

fn invalid(client: &Client) -> Error {
    client.endpoint().error(
        ErrorKind::Configuration,
        "cannot read the overrides in",
        "their key holds a value that is not a hash of overrides",
    )
}
