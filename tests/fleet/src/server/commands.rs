//! Implements the commands on keys and texts that the library uses. `collections` has the commands on lists, sorted sets and
//! hashes.

use super::Trouble;
use super::collections;
use super::keyspace::{Bytes, Keyspace, Value, wrong_kind};
use super::reply::Reply;

/// The reply of a command, or its error.
pub(super) type Outcome = Result<Reply, Reply>;

/// Executes a command on keys.
pub(crate) fn execute(keys: &mut Keyspace, words: &[Bytes]) -> Reply {
    let Some((name, arguments)) = words.split_first() else { return Reply::error("ERR no command") };
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    if let Some(refusal) = refusal(keys, &name, arguments) {
        return refusal;
    }
    let outcome = texts(keys, &name, arguments)
        .or_else(|| collections::execute(keys, &name, arguments))
        .unwrap_or_else(|| Err(Reply::Error(format!("ERR unknown command '{name}'"))));
    outcome.unwrap_or_else(|error| error)
}

/// The commands that only read.
const READS: [&str; 14] = [
    "TIME",
    "GET",
    "MGET",
    "EXISTS",
    "DBSIZE",
    "LLEN",
    "LINDEX",
    "ZCARD",
    "ZSCORE",
    "ZCOUNT",
    "ZRANGE",
    "ZRANGEBYSCORE",
    "HGET",
    "HGETALL",
];
/// The commands that need memory.
const GROWS: [&str; 6] = ["SET", "INCRBY", "DECRBY", "RPUSH", "ZADD", "HSET"];

/// Returns the error if the server refuses the write, or if the script may not touch the key. A server without free memory does
/// not stop a script that has already written.
fn refusal(keys: &mut Keyspace, name: &str, arguments: &[Bytes]) -> Option<Reply> {
    if let Some(guard) = keys.guard.take() {
        let touched = if name == "TIME" { &[][..] } else { &arguments[..arguments.len().min(1)] };
        let refusal = touched.iter().find_map(|key| guard.refusal(keys, key));
        keys.guard = Some(guard);
        if refusal.is_some() {
            return refusal;
        }
    }
    let writes = !READS.contains(&name);
    let is_refused = match keys.trouble {
        Some(Trouble::OutOfMemory) => GROWS.contains(&name) && !keys.has_written,
        Some(_) => writes,
        None => false,
    };
    if is_refused {
        return keys.trouble.map(Trouble::reply);
    }
    keys.has_written |= writes;
    None
}

fn texts(keys: &mut Keyspace, name: &str, words: &[Bytes]) -> Option<Outcome> {
    Some(match (name, words) {
        ("TIME", []) => {
            let (seconds, micros) = (keys.now / 1_000_000, keys.now % 1_000_000);
            Ok(Reply::Array(vec![Reply::text(seconds.to_string()), Reply::text(micros.to_string())]))
        }
        ("GET", [key]) => get(keys, key),
        ("MGET", many) => {
            Ok(Reply::Array(many.iter().map(|key| get(keys, key).unwrap_or(Reply::Nothing)).collect()))
        }
        ("SET", [key, text, options @ ..]) => set(keys, key, text, options),
        ("INCRBY", [key, by]) => add(keys, key, integer(by).ok()?),
        ("DECRBY", [key, by]) => add(keys, key, -integer(by).ok()?),
        ("DEL", many) => Ok(count(many.iter().filter(|key| keys.remove(key)).count())),
        ("EXISTS", [key]) => Ok(count(usize::from(keys.get(key).is_some()))),
        ("PEXPIRE", [key, ms]) => {
            let end = keys.now_ms().saturating_add_signed(integer(ms).ok()?);
            Ok(count(usize::from(keys.set_end(key, Some(end)))))
        }
        ("PTTL", [key]) if keys.get(key).is_none() => Ok(Reply::Integer(-2)),
        ("PTTL", [key]) => {
            let left = keys.end(key).map(|end| i64::try_from(end - keys.now_ms()).unwrap_or(i64::MAX));
            Ok(Reply::Integer(left.unwrap_or(-1)))
        }
        ("DBSIZE", []) => Ok(count(keys.live())),
        _ => return None,
    })
}

fn get(keys: &mut Keyspace, key: &[u8]) -> Outcome {
    match keys.get(key) {
        None => Ok(Reply::Nothing),
        Some(Value::Text(text)) => Ok(Reply::Text(text.clone())),
        Some(_) => Err(wrong_kind()),
    }
}

fn set(keys: &mut Keyspace, key: &[u8], text: &[u8], options: &[Bytes]) -> Outcome {
    let has = |option: &str| options.iter().any(|word| word == option.as_bytes());
    if has("NX") && keys.get(key).is_some() {
        return Ok(Reply::Nothing);
    }
    let mut ends = if has("KEEPTTL") { keys.end(key) } else { None };
    if let Some(at) = options.iter().position(|word| word == b"PX") {
        let ms = integer(options.get(at + 1).map_or(b"", |ms| &**ms))?;
        ends = Some(keys.now_ms().saturating_add_signed(ms));
    }
    keys.set(key, Value::Text(text.to_vec()), ends);
    Ok(Reply::OK)
}

fn add(keys: &mut Keyspace, key: &[u8], by: i64) -> Outcome {
    let Value::Text(text) = keys.get_or(key, Value::Text(b"0".to_vec())) else { return Err(wrong_kind()) };
    let sum = integer(text)?
        .checked_add(by)
        .ok_or_else(|| Reply::error("ERR increment or decrement would overflow"))?;
    *text = sum.to_string().into_bytes();
    Ok(Reply::Integer(sum))
}

/// Parses an integer as Redis does: without spaces, leading zeros or any other spelling.
pub(super) fn integer(text: &[u8]) -> Result<i64, Reply> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
    number
        .filter(|number| number.to_string().as_bytes() == text)
        .ok_or_else(|| Reply::error("ERR value is not an integer or out of range"))
}

pub(super) fn count(number: usize) -> Reply {
    Reply::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}
