//! The limits that processes have: one hash for each prefix, with a field for each name.

use super::client::Client;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use std::time::Duration;

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

/// If a later command fails, the key is complete with the next call, which repeats the TTL.
pub(super) async fn save(
    client: &Client,
    key: &StoreKey,
    changed: &[(Vec<u8>, Option<String>)],
    kept: Duration,
) -> Result<(), Error> {
    let (mut set, mut remove) = (redis::cmd("HSET"), redis::cmd("HDEL"));
    set.arg(key.as_bytes());
    remove.arg(key.as_bytes());
    for (name, text) in changed {
        match text {
            Some(text) => set.arg(name).arg(text),
            None => remove.arg(name),
        };
    }
    if changed.iter().any(|(_, text)| text.is_some()) {
        client.command(key, &set).await?;
    }
    let kept_ms = u64::try_from(kept.as_millis()).unwrap_or(u64::MAX);
    client.command(key, redis::cmd("PEXPIRE").arg(key.as_bytes()).arg(kept_ms)).await?;
    if changed.iter().any(|(_, text)| text.is_none()) {
        client.command(key, &remove).await?;
    }
    Ok(())
}
