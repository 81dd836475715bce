//! Implements the commands on lists, sorted sets and hashes, in the forms that the scripts use.

use super::commands::{Outcome, count, integer};
use super::keyspace::{Bytes, Keyspace, Value, wrong_kind};
use super::reply::Reply;
use std::collections::{BTreeMap, VecDeque};

/// Gets the collection of a key, or a new one. Empty collections are removed after the command.
macro_rules! collection {
    ($keys:expr, $key:expr, $kind:ident) => {
        match $keys.get_or($key, Value::$kind(Default::default())) {
            Value::$kind(found) => found,
            _ => return Some(Err(wrong_kind())),
        }
    };
}

pub(super) fn execute(keys: &mut Keyspace, name: &str, words: &[Bytes]) -> Option<Outcome> {
    let (key, rest) = words.split_first()?;
    let done = match name.as_bytes() {
        [b'H', ..] => hash(keys, name, key, rest),
        [b'Z', ..] => scores(keys, name, key, rest),
        [b'L' | b'R', ..] => list(keys, name, key, rest),
        _ => return None,
    };
    keys.tidy(key);
    done
}

fn list(keys: &mut Keyspace, name: &str, key: &[u8], words: &[Bytes]) -> Option<Outcome> {
    Some(Ok(match (name, words) {
        ("LLEN", []) => count(collection!(keys, key, List).len()),
        ("LINDEX", [index]) => {
            let list = collection!(keys, key, List);
            let at = position(integer(index).ok()?, list.len());
            usize::try_from(at)
                .ok()
                .and_then(|at| list.get(at))
                .map_or(Reply::Nothing, |text| Reply::Text(text.clone()))
        }
        ("RPUSH", texts) => {
            let list = collection!(keys, key, List);
            list.extend(texts.iter().cloned());
            count(list.len())
        }
        ("LTRIM", [from, to]) => {
            let list = collection!(keys, key, List);
            let kept = range(from, to, list.len())?;
            *list = list.drain(kept).collect();
            Reply::OK
        }
        ("LREM", [most, text]) => count(remove(collection!(keys, key, List), integer(most).ok()?, text)),
        _ => return None,
    }))
}

/// Converts an index of a command. A negative index counts from the end.
fn position(index: i64, length: usize) -> i64 {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    if index < 0 { index + length } else { index }
}

fn range(from: &[u8], to: &[u8], length: usize) -> Option<std::ops::Range<usize>> {
    let from = usize::try_from(position(integer(from).ok()?, length).max(0)).ok()?.min(length);
    let to = usize::try_from((position(integer(to).ok()?, length) + 1).max(0)).ok()?.min(length);
    Some(from..to.max(from))
}

/// Removes up to `most` equal texts from the front, or from the end if `most` is negative. 0 removes all of them.
fn remove(list: &mut VecDeque<Bytes>, most: i64, text: &[u8]) -> usize {
    let all = list.len();
    let limit = if most == 0 { all } else { usize::try_from(most.unsigned_abs()).unwrap_or(all) };
    let mut removed = 0;
    let mut keep = |one: &Bytes| {
        let goes = one == text && removed < limit;
        removed += usize::from(goes);
        !goes
    };
    if most < 0 {
        let kept: VecDeque<_> = list.iter().rev().filter(|one| keep(one)).cloned().collect();
        *list = kept.into_iter().rev().collect();
    } else {
        list.retain(keep);
    }
    removed
}

type Scores = BTreeMap<Bytes, f64>;

fn ordered(scores: &Scores) -> Vec<(&Bytes, f64)> {
    let mut members: Vec<_> = scores.iter().map(|(member, score)| (member, *score)).collect();
    members.sort_by(|one, other| one.1.total_cmp(&other.1).then_with(|| one.0.cmp(other.0)));
    members
}

/// Parses a bound such as `5`, `(5` or `+inf`. Returns the number, and whether the bound excludes it.
fn bound(text: &[u8]) -> Option<(f64, bool)> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, open) = text.strip_prefix('(').map_or((text, false), |number| (number, true));
    Some((number.parse().ok()?, open))
}

fn within<'s>(scores: &'s Scores, low: &[u8], high: &[u8]) -> Option<Vec<(&'s Bytes, f64)>> {
    let ((low, above), (high, below)) = (bound(low)?, bound(high)?);
    let reaches = |score: f64| if above { score > low } else { score >= low };
    let ends = |score: f64| if below { score < high } else { score <= high };
    Some(ordered(scores).into_iter().filter(|(_, score)| reaches(*score) && ends(*score)).collect())
}

fn shown<'m>(members: impl IntoIterator<Item = (&'m Bytes, f64)>, with_scores: bool) -> Reply {
    let mut parts = Vec::new();
    for (member, score) in members {
        parts.push(Reply::Text(member.clone()));
        if with_scores {
            parts.push(Reply::text(score.to_string()));
        }
    }
    Reply::Array(parts)
}

fn scores(keys: &mut Keyspace, name: &str, key: &[u8], words: &[Bytes]) -> Option<Outcome> {
    let has = |option: &str| words.iter().any(|word| word == option.as_bytes());
    Some(Ok(match (name, words) {
        ("ZADD", [first, rest @ ..]) => {
            let only_new = first == b"NX";
            let pairs = if only_new { rest } else { words };
            let scores = collection!(keys, key, Scores);
            let before = scores.len();
            for pair in pairs.chunks_exact(2) {
                let (score, _) = bound(&pair[0])?;
                if !(only_new && scores.contains_key(&pair[1])) {
                    scores.insert(pair[1].clone(), score);
                }
            }
            count(scores.len() - before)
        }
        ("ZCARD", []) => count(collection!(keys, key, Scores).len()),
        ("ZSCORE", [member]) => collection!(keys, key, Scores)
            .get(member)
            .map_or(Reply::Nothing, |score| Reply::text(score.to_string())),
        ("ZCOUNT", [low, high]) => count(within(collection!(keys, key, Scores), low, high)?.len()),
        // The library uses `BYSCORE` only to find the highest member of a range.
        ("ZRANGE", [high, low, ..]) if has("BYSCORE") => {
            let found = within(collection!(keys, key, Scores), low, high)?;
            shown(found.last().copied(), true)
        }
        ("ZRANGE", [from, to, ..]) => {
            let scores = collection!(keys, key, Scores);
            let members = ordered(scores);
            let range = range(from, to, members.len())?;
            shown(members[range].iter().copied(), has("WITHSCORES"))
        }
        ("ZRANGEBYSCORE", [low, high, ..]) => {
            let mut found = within(collection!(keys, key, Scores), low, high)?;
            if let Some(at) = words.iter().position(|word| word == b"LIMIT") {
                let from = usize::try_from(integer(&words[at + 1]).ok()?).ok()?.min(found.len());
                let most = usize::try_from(integer(&words[at + 2]).ok()?).ok()?;
                found = found.drain(from..).take(most).collect();
            }
            shown(found, has("WITHSCORES"))
        }
        ("ZREM", members) => {
            let scores = collection!(keys, key, Scores);
            count(members.iter().filter(|member| scores.remove(*member).is_some()).count())
        }
        ("ZREMRANGEBYSCORE", [low, high]) => {
            let scores = collection!(keys, key, Scores);
            let found: Vec<Bytes> =
                within(scores, low, high)?.into_iter().map(|(member, _)| member.clone()).collect();
            count(found.iter().filter(|member| scores.remove(*member).is_some()).count())
        }
        _ => return None,
    }))
}

fn hash(keys: &mut Keyspace, name: &str, key: &[u8], words: &[Bytes]) -> Option<Outcome> {
    Some(Ok(match (name, words) {
        ("HGET", [field]) => {
            collection!(keys, key, Hash).get(field).map_or(Reply::Nothing, |text| Reply::Text(text.clone()))
        }
        ("HGETALL", []) => {
            let hash = collection!(keys, key, Hash);
            Reply::Array(
                hash.iter().flat_map(|(field, text)| [field, text]).cloned().map(Reply::Text).collect(),
            )
        }
        ("HSET", pairs) => {
            let hash = collection!(keys, key, Hash);
            let before = hash.len();
            hash.extend(pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())));
            count(hash.len() - before)
        }
        ("HDEL", fields) => {
            let hash = collection!(keys, key, Hash);
            count(fields.iter().filter(|field| hash.remove(*field).is_some()).count())
        }
        _ => return None,
    }))
}
