//! The limits that processes have: one hash for each prefix, with a field for each name.

use super::client::Client;
use super::overrides::eval;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use std::time::Duration;

/// Sets fields, or deletes those without a text, and the time after which the key ends.
const SAVE: &str = "for at = 2, #ARGV, 2 do \
    if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at]) \
    else redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end \
    end redis.call('PEXPIRE', KEYS[1], ARGV[1]) return 0";

pub(super) async fn load(client: &Client, key: &StoreKey) -> Result<Vec<(Vec<u8>, String)>, Error> {
    let all = client.command(key, redis::cmd("HGETALL").arg(key.as_bytes())).await?;
    let fields: Vec<(Vec<u8>, Vec<u8>)> = redis::from_redis_value(all).map_err(|_| {
        client.endpoint().error(
            ErrorKind::Configuration,
            "cannot read the limits in",
            "the reply is not a hash",
        )
    })?;
    let text = |(name, text): (Vec<u8>, Vec<u8>)| (name, String::from_utf8_lossy(&text).into_owned());
    Ok(fields.into_iter().map(text).collect())
}

/// Saves in one script, so that a process that ends meanwhile leaves no key without a TTL.
pub(super) async fn save(
    client: &Client,
    key: &StoreKey,
    changed: &[(Vec<u8>, Option<String>)],
    kept: Duration,
) -> Result<(), Error> {
    let mut save = eval(SAVE, key);
    save.arg(u64::try_from(kept.as_millis()).unwrap_or(u64::MAX));
    for (name, text) in changed {
        save.arg(name).arg(text.as_deref().unwrap_or_default());
    }
    client.command(key, &save).await.map(drop)
}
