//! The two hashes of a prefix that hold no state of limits. One hash holds the overrides: a field for each override, and a
//! version that every change replaces. The other hash holds the limits that processes have published: a field for each name.
//!
//! The key of the overrides has no TTL, because overrides are configuration. The text of an override that expires ends with
//! ` until=` and the time of its end, in ms of the server's clock. A process that loads the overrides after this time removes
//! the override.

use super::client::Client;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::random;
use crate::store::{Awaited, Overridden, OverrideEntry};
use redis::{Cmd, Value};
use std::sync::Arc;
use std::time::Duration;

const VERSION: &[u8] = b"version";
/// Versions are random numbers below this bound. Lua represents all such integers exactly.
const VERSIONS: u64 = 1 << 53;
const UNTIL: &str = " until=";

/// A script that receives fields and their texts. Deletes each field that still has its text.
const DELETE: &str = "for at = 1, #ARGV, 2 do \
    if redis.call('HGET', KEYS[1], ARGV[at]) == ARGV[at + 1] then redis.call('HDEL', KEYS[1], ARGV[at]) end \
    end return 0";

/// A script that sets a field to the text of an override and the time at which the override ends. Also sets the version.
const SET_UNTIL: &str = "local now = redis.call('TIME') \
    local ends = now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[3] \
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. string.format('%.0f', ends), ARGV[4], ARGV[5]) return 0";

/// A script that sets and removes overrides in one step, if their version is the first argument. The third argument contains
/// three words for each override, each after its length and a colon: the field, the text, and the time in ms until the override
/// ends. Without a text, the override is removed. Without a time, it does not end. All words are in one argument, because a
/// proxy may limit the number of arguments.
const REPLACE: &str = "if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end \
    local now, at = redis.call('TIME'), 1 \
    local function word() \
        local colon = string.find(ARGV[3], ':', at, true) \
        local last = colon + tonumber(string.sub(ARGV[3], at, colon - 1)) \
        at = last + 1 \
        return string.sub(ARGV[3], colon + 1, last) \
    end \
    while at <= #ARGV[3] do \
        local field, text, left = word(), word(), word() \
        if left ~= '' then \
            local ends = now[1] * 1000 + math.floor(now[2] / 1000) + left \
            text = text .. ' until=' .. string.format('%.0f', ends) \
        end \
        if text == '' then redis.call('HDEL', KEYS[1], field) else redis.call('HSET', KEYS[1], field, text) end \
    end \
    redis.call('HSET', KEYS[1], 'version', ARGV[2]) return 1";

/// A script that sets fields, deletes the fields without a text, and sets the TTL of the key.
const SAVE_LIMITS: &str = "for at = 2, #ARGV, 2 do \
    if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at]) \
    else redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end \
    end redis.call('PEXPIRE', KEYS[1], ARGV[1]) return 0";

/// Loads the overrides. Returns `None` if their version is `seen`.
pub(super) async fn load_overrides(
    client: Arc<Client>,
    key: StoreKey,
    seen: u64,
    awaited: Arc<Awaited>,
) -> Result<Option<Overridden>, Error> {
    let mut version = redis::cmd("HGET");
    version.arg(key.as_bytes()).arg(VERSION);
    let version = match client.command(&key, &version, &awaited).await? {
        Value::Nil => 0,
        value => redis::from_redis_value_ref(&value).map_err(|_| invalid(&client))?,
    };
    if version == seen {
        return Ok(None);
    }
    let fields = fields(&client, &key, &awaited).await?.ok_or_else(|| invalid(&client))?;
    let has_ends = fields.iter().any(|(_, stored)| with_end(stored).is_some());
    let now_ms = if has_ends { time_ms(&client, &key, &awaited).await? } else { 0 };
    let mut overridden = Overridden::default();
    let mut expired = eval(DELETE, &key);
    for (entry, stored) in fields {
        if entry == VERSION {
            overridden.version = stored.parse().map_err(|_| invalid(&client))?;
        } else if let Some((change, end)) = with_end(&stored) {
            if end > now_ms {
                let left = Duration::from_millis(end - now_ms);
                overridden.entries.push((entry, change.to_owned(), Some(left)));
            } else {
                expired.arg(entry).arg(stored);
            }
        } else if !stored.is_empty() {
            overridden.entries.push((entry, stored, None));
        }
    }
    if expired.args_iter().count() > 4 {
        // An error is ignored: a user without permission to write still has the right overrides, because expired ones were left
        // out above.
        let _ = client.command(&key, &expired, &awaited).await;
    }
    Ok(Some(overridden))
}

/// Splits the text of an override that expires into its change and its end, in ms of the server's clock. Returns `None` for any
/// other override.
fn with_end(stored: &str) -> Option<(&str, u64)> {
    let (change, end) = stored.rsplit_once(UNTIL)?;
    Some((change, end.parse().ok()?))
}

async fn time_ms(client: &Client, key: &StoreKey, awaited: &Awaited) -> Result<u64, Error> {
    let time = client.command(key, &redis::cmd("TIME"), awaited).await?;
    let (seconds, micros): (u64, u64) = redis::from_redis_value(time).map_err(|_| invalid(client))?;
    Ok(seconds.saturating_mul(1000).saturating_add(micros / 1000))
}

/// Sets or removes the override of an entry.
///
/// To remove an override, one command sets its field to an empty text and sets the new version. So no reader sees one change
/// without the other. Then a script deletes the field if its text is still empty. Another process may have set a new override
/// in the meantime. This override must stay: no process would notice its deletion, because a deletion changes no version.
pub(super) async fn save_override(
    client: Arc<Client>,
    key: StoreKey,
    entry: Vec<u8>,
    change: Option<String>,
    expires: Option<Duration>,
    awaited: Arc<Awaited>,
) -> Result<(), Error> {
    let mut set;
    if let (Some(change), Some(expires)) = (&change, expires) {
        let ms = u64::try_from(expires.as_millis()).unwrap_or(u64::MAX);
        set = eval(SET_UNTIL, &key);
        set.arg(&entry).arg(format!("{change}{UNTIL}")).arg(ms);
    } else {
        set = redis::cmd("HSET");
        set.arg(key.as_bytes()).arg(&entry).arg(change.as_deref().unwrap_or_default());
    }
    set.arg(VERSION).arg(new_version());
    client.command(&key, &set, &awaited).await?;
    if change.is_none() {
        client.command(&key, eval(DELETE, &key).arg(entry).arg(""), &awaited).await?;
    }
    Ok(())
}

/// Makes all changes in one script, if the version of the overrides is `seen`. Returns whether it was. A script is atomic, so
/// the fields of removed overrides are deleted at once.
pub(super) async fn replace_overrides(
    client: Arc<Client>,
    key: StoreKey,
    seen: u64,
    changes: Vec<OverrideEntry>,
) -> Result<bool, Error> {
    let mut words = Vec::new();
    for (field, text, expires) in changes {
        let left = expires.map(|left| left.as_millis().to_string()).unwrap_or_default();
        for word in [field, text.unwrap_or_default().into_bytes(), left.into_bytes()] {
            words.extend_from_slice(format!("{}:", word.len()).as_bytes());
            words.extend_from_slice(&word);
        }
    }
    let replaced = client
        .command(&key, eval(REPLACE, &key).arg(seen).arg(new_version()).arg(words), &Awaited::in_background())
        .await?;
    Ok(replaced == Value::Int(1))
}

fn new_version() -> u64 {
    (random::bits() % VERSIONS).max(1)
}

fn eval(script: &str, key: &StoreKey) -> Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(1).arg(key.as_bytes());
    command
}

fn invalid(client: &Client) -> Error {
    client.endpoint().error(
        ErrorKind::Configuration,
        "cannot read the overrides in",
        "their key holds a value that is not a hash of overrides",
    )
}

pub(super) async fn load_limits(
    client: Arc<Client>,
    key: StoreKey,
    awaited: Arc<Awaited>,
) -> Result<Vec<(Vec<u8>, String)>, Error> {
    fields(&client, &key, &awaited).await?.ok_or_else(|| {
        let why = "the reply is not a hash";
        client.endpoint().error(ErrorKind::Configuration, "cannot read the limits in", why)
    })
}

/// Loads the fields of a hash. Returns `None` if the reply is not a hash.
async fn fields(
    client: &Client,
    key: &StoreKey,
    awaited: &Awaited,
) -> Result<Option<Vec<(Vec<u8>, String)>>, Error> {
    let all = client.command(key, redis::cmd("HGETALL").arg(key.as_bytes()), awaited).await?;
    let fields: Option<Vec<(Vec<u8>, Vec<u8>)>> = redis::from_redis_value(all).ok();
    let text = |(name, text): (Vec<u8>, Vec<u8>)| (name, String::from_utf8_lossy(&text).into_owned());
    Ok(fields.map(|fields| fields.into_iter().map(text).collect()))
}

/// Saves the limits in one script. So the key has a TTL even if the process ends in the meantime.
pub(super) async fn save_limits(
    client: Arc<Client>,
    key: StoreKey,
    changed: Vec<(Vec<u8>, Option<String>)>,
    kept: Duration,
    awaited: Arc<Awaited>,
) -> Result<(), Error> {
    let mut save = eval(SAVE_LIMITS, &key);
    save.arg(u64::try_from(kept.as_millis()).unwrap_or(u64::MAX));
    for (name, text) in changed {
        save.arg(name).arg(text.unwrap_or_default());
    }
    client.command(&key, &save, &awaited).await.map(drop)
}
