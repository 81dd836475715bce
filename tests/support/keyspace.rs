//! Inspects the keys of a server: whether every key expires, and when the last key expires.

use crate::server::RedisServer;
use redis::Connection;
use std::collections::BTreeSet;

impl RedisServer {
    /// The number of keys without a TTL. All keys of a limiter expire, so a key without a TTL is a leak.
    #[must_use]
    pub fn keys_without_ttl(&self) -> usize {
        let mut connection = self.raw();
        let all = keys(&mut connection);
        pttls(&mut connection, &all).into_iter().filter(|pttl| *pttl == -1).count()
    }

    /// The longest TTL of the states, in milliseconds. `None` if no state has a TTL. Ignores the keys with the limits that
    /// processes publish.
    #[must_use]
    pub fn max_pttl_ms(&self) -> Option<u64> {
        let mut connection = self.raw();
        let mut states = keys(&mut connection);
        states.retain(|key| !is_published(key));
        pttls(&mut connection, &states).into_iter().filter_map(|pttl| u64::try_from(pttl).ok()).max()
    }
}

/// Whether a key holds the limits that processes publish.
fn is_published(key: &[u8]) -> bool {
    key.ends_with(b":{#}:limits")
}

/// The replies of `PTTL` for keys of database 0. A reply is negative if the key has no TTL or has just expired.
fn pttls(connection: &mut Connection, keys: &BTreeSet<Vec<u8>>) -> Vec<i64> {
    let mut pipeline = redis::pipe();
    for key in keys {
        pipeline.cmd("PTTL").arg(key);
    }
    if keys.is_empty() {
        return Vec::new();
    }
    pipeline.query(connection).expect("PTTL works on every key")
}

/// All keys of database 0. The result is a set, because `SCAN` may return a key twice.
fn keys(connection: &mut Connection) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let mut cursor = 0_u64;
    loop {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("COUNT").arg(1000);
        let (next, keys): (u64, Vec<Vec<u8>>) = scan.query(connection).expect("SCAN works");
        found.extend(keys);
        if next == 0 {
            return found;
        }
        cursor = next;
    }
}
