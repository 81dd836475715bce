//! Reads all keys of a prefix in small steps, so that no command blocks a server.

mod ttl;

pub(crate) use ttl::{Ttl, ttls};

use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::output::progress;
use crate::session::{Session, ask};
use ratelimit::store::{RedisServer, StoredKey};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The number of keys that one `SCAN` visits. This takes a server about a tenth of a millisecond.
const COUNT: u32 = 250;

/// Visits the keys of all servers that can be reached. One pass visits each key that exists during the whole pass. `SCAN` may visit a key twice.
pub(crate) struct Scanner {
    servers: Vec<RedisServer>,
    prefix: String,
    /// The keys of the prefix, as a pattern.
    pattern: Vec<u8>,
    /// The server that is scanned now, and its cursor.
    at: usize,
    cursor: u64,
    keys_per_second: u32,
    /// The earliest time of the next step.
    resume: Instant,
    interrupt: Interrupt,
}

/// Keys that one step has found.
#[derive(Debug)]
pub(crate) struct Page {
    /// The server that has the keys.
    pub(crate) server: RedisServer,
    /// Keys of limits, with their bytes.
    pub(crate) keys: Vec<(StoredKey, Vec<u8>)>,
    /// The number of other keys under the prefix.
    pub(crate) foreign: u64,
    /// Whether the pass is complete with this page.
    pub(crate) is_last: bool,
}

impl Scanner {
    /// Starts a pass that visits at most `keys_per_second`.
    pub(crate) fn new(session: &Session, keys_per_second: u32) -> Self {
        Self {
            servers: session.servers.reachable.clone(),
            prefix: session.prefix.clone(),
            pattern: [&escaped(&session.prefix)[..], b":{*"].concat(),
            at: 0,
            cursor: 0,
            keys_per_second: keys_per_second.max(1),
            resume: Instant::now(),
            interrupt: session.interrupt.clone(),
        }
    }

    /// Starts a new pass over these servers.
    pub(crate) fn restart(&mut self, servers: Vec<RedisServer>) {
        (self.servers, self.at, self.cursor) = (servers, 0, 0);
    }

    /// Visits some more keys. After the last page, the next pass begins.
    pub(crate) async fn next(&mut self) -> Result<Page, Failure> {
        let (server, keys, is_last) = self.step().await?;
        let mut page = Page { server, keys: Vec::with_capacity(keys.len()), foreign: 0, is_last };
        for key in keys {
            match StoredKey::parse(&self.prefix, &key) {
                Some(stored) => page.keys.push((stored, key)),
                None if is_own(&self.prefix, &key) => {}
                None => page.foreign += 1,
            }
        }
        Ok(page)
    }

    /// Visits some more keys. Returns the keys that match, with their server, and whether the pass is complete.
    async fn step(&mut self) -> Result<(RedisServer, Vec<Vec<u8>>, bool), Failure> {
        self.interrupt.sleep(self.resume.saturating_duration_since(Instant::now())).await;
        let server = self.servers[self.at].clone();
        let mut scan = redis::cmd("SCAN");
        scan.arg(self.cursor).arg("MATCH").arg(&self.pattern[..]).arg("COUNT").arg(COUNT);
        let reply = ask(&server, &scan).await?;
        let invalid = |_| Failure::server(format!("invalid reply to `SCAN` from {server}"));
        let (cursor, keys): (u64, Vec<Vec<u8>>) = redis::from_redis_value(reply).map_err(invalid)?;
        let time = Duration::from_secs(1) * COUNT / self.keys_per_second;
        self.resume = self.resume.max(Instant::now()) + time;
        self.cursor = cursor;
        if cursor == 0 {
            self.at = (self.at + 1) % self.servers.len();
        }
        Ok((server, keys, cursor == 0 && self.at == 0))
    }
}

/// The number of keys that a search visits per second.
const SEARCH: u32 = 100_000;

/// Visits the keys of all limits, until `visit` returns `Break`.
pub(crate) async fn search(
    session: &Session,
    mut visit: impl FnMut(&StoredKey) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let mut scanner = Scanner::new(session, SEARCH);
    let progress = progress();
    while !session.interrupt.is_set() {
        let page = scanner.next().await?;
        if page.is_last | page.keys.iter().any(|(key, _)| visit(key).is_break()) {
            break;
        }
        progress.set_message("searching all keys");
    }
    Ok(())
}

/// The prefixes of limiters that have overrides on these servers, or have published their limits.
pub(crate) async fn prefixes(session: &Session) -> Result<BTreeSet<String>, Failure> {
    let mut scanner = Scanner::new(session, SEARCH);
    scanner.pattern = b"*:{#}:*".to_vec();
    let (mut prefixes, mut is_last) = (BTreeSet::new(), false);
    while !is_last && !session.interrupt.is_set() {
        let (_, keys, last) = scanner.step().await?;
        let keys = keys.into_iter().filter_map(|key| String::from_utf8(key).ok());
        prefixes.extend(keys.filter_map(|key| Some(key.split_once(":{#}:")?.0.to_owned())));
        is_last = last;
    }
    Ok(prefixes)
}

/// Whether a key belongs to the library itself: overrides, published limits and probes.
fn is_own(prefix: &str, key: &[u8]) -> bool {
    let tag = [prefix.as_bytes(), b":{#"].concat();
    key.strip_prefix(&tag[..]).is_some_and(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = &rest[digits..];
        rest == b"}:overrides"
            || rest == b"}:limits"
            || rest.starts_with(b"}:probe:")
            || rest.starts_with(b"}:verification:")
    })
}

/// A pattern that matches only this text.
fn escaped(text: &str) -> Vec<u8> {
    let special = |byte: u8| matches!(byte, b'*' | b'?' | b'[' | b']' | b'^' | b'\\');
    text.bytes().flat_map(|byte| special(byte).then_some(b'\\').into_iter().chain([byte])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_matches_only_itself() {
        assert_eq!(escaped("a*b[c]?\\^"), b"a\\*b\\[c\\]\\?\\\\\\^");
    }

    #[test]
    fn keys_of_the_library_are_known() {
        for (key, own) in [
            ("p:{#}:overrides", true),
            ("p:{#}:limits", true),
            ("p:{#12}:probe:c2", true),
            ("p:{#}:verification:c2", true),
            ("p:{#}:other", false),
            ("p:{x}:overrides", false),
        ] {
            assert_eq!(is_own("p", key.as_bytes()), own, "{key}");
        }
    }
}
