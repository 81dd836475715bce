//! Checks the settings of a server about idle connections.

use super::facts::setting;
use super::finding::Findings;
use ratelimit::store::RedisServer;

const KEEPALIVE: &str = "tcp-keepalive";
const TIMEOUT: &str = "timeout";
/// The longest good `tcp-keepalive`, in seconds. Firewalls forget connections that are idle for some minutes.
const LONGEST_KEEPALIVE: u64 = 60;

pub(super) async fn check(server: &RedisServer, findings: &mut Findings) {
    let (keepalive, timeout) = (setting(server, KEEPALIVE).await, setting(server, TIMEOUT).await);
    match keepalive.and_then(|text| text.parse().ok()).zip(timeout.and_then(|text| text.parse().ok())) {
        Some((keepalive, timeout)) => judge(keepalive, timeout, findings),
        None => findings.unknown(
            "idle connections",
            "the server does not tell its settings",
            "keep `timeout 0` and `tcp-keepalive 60`; to check them, permit it: `ACL SETUSER name +config|get`",
        ),
    }
}

/// Judges both settings, in seconds.
fn judge(keepalive: u64, timeout: u64, findings: &mut Findings) {
    match keepalive {
        1..=LONGEST_KEEPALIVE => findings.good(KEEPALIVE, format!("{keepalive} s")),
        _ => findings.note(
            KEEPALIVE,
            if keepalive == 0 { "off".to_owned() } else { format!("{keepalive} s") },
            "connections that a firewall has forgotten stay open on the server: `CONFIG SET tcp-keepalive 60`",
        ),
    }
    match timeout {
        0 => findings.good(TIMEOUT, "0: the server closes no idle connection"),
        _ => findings.note(
            TIMEOUT,
            format!("the server closes connections that are idle for {timeout} s"),
            "if calls are rarer, each costs a new connection: `CONFIG SET timeout 0`",
        ),
    }
}
