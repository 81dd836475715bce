//! Reads data from a server: its clock, the number of script calls, and the TTLs of its keys.

use ratelimit::{Algorithm, Limit};
use support::{RedisServer, SECOND};

/// The server's clock, in microseconds.
pub(crate) fn server_time_us(raw: &mut redis::Connection) -> u64 {
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(raw).unwrap();
    seconds * 1_000_000 + micros
}

/// The number of script calls that the server has executed: decisions and adjustments.
pub(crate) fn script_calls(server: &RedisServer) -> u64 {
    let stats: String = redis::cmd("INFO").arg("commandstats").query(&mut server.raw()).unwrap();
    let calls = |line: &str| {
        let rest = line.strip_prefix("cmdstat_evalsha:calls=").or(line.strip_prefix("cmdstat_eval:calls="))?;
        rest.split(',').next()?.parse::<u64>().ok()
    };
    stats.lines().filter_map(calls).sum()
}

/// Asserts that every key expires. The longest permitted TTL is two periods of one of these limits plus one second.
pub(crate) fn assert_all_expire(server: &RedisServer, limits: &[Limit]) {
    assert_eq!(server.keys_without_ttl(), 0);
    let longest = limits.iter().map(longest_ttl_ms).max().unwrap();
    let found = server.max_pttl_ms().unwrap_or(0);
    assert!(found <= longest, "a key lives for {found} ms, and may for {longest}");
}

fn longest_ttl_ms(limit: &Limit) -> u64 {
    let (time, wait) = (limit.time(), limit.longest_wait());
    let refills = match limit.algorithm() {
        Algorithm::TokenBucket | Algorithm::LeakyBucket if limit.count() > 0 => {
            time * limit.capacity().div_ceil(limit.count())
        }
        _ => time,
    };
    let longest = match limit.algorithm() {
        Algorithm::SlidingWindow if !wait.is_zero() => 2 * time + wait,
        _ => 2 * time.max(refills).max(wait) + SECOND,
    };
    u64::try_from(longest.as_millis()).unwrap()
}
