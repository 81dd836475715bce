//! Checks latencies, and the clocks of the servers. A server decides about its keys by its own clock.

use super::facts::permitted;
use super::finding::Findings;
use crate::exit::Failure;
use crate::output::duration;
use crate::session::{ask, server_time};
use ratelimit::store::RedisServer;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The number of commands that are sent to measure a latency.
const QUESTIONS: usize = 50;
/// The largest harmless difference between clocks.
const HARMLESS: Duration = Duration::from_secs(1);

/// Measures how long a server takes to reply to a trivial command.
pub(super) async fn latency(
    server: &RedisServer,
    deadline_ms: u32,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let mut times = Vec::with_capacity(QUESTIONS);
    for _ in 0..QUESTIONS {
        let asked = Instant::now();
        ask(server, &redis::cmd("HELLO")).await?;
        times.push(asked.elapsed());
    }
    times.sort_unstable();
    let (median, longest) = (times[QUESTIONS / 2], times[QUESTIONS - 1]);
    let deadline = Duration::from_millis(deadline_ms.into());
    let micros = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    let said = format!("median {}, longest {} of {QUESTIONS} replies", micros(median), micros(longest));
    if longest > deadline {
        findings.problem(
            "latency",
            format!("{said}: above the deadline of {}", duration(deadline)),
            "the failure policy decides such calls; move the server closer, or find out what blocks it with `SLOWLOG GET`",
        );
    } else if longest > deadline / 4 {
        findings.note(
            "latency",
            format!("{said}: near the deadline of {}", duration(deadline)),
            "move the server closer, or find out what blocks it with `SLOWLOG GET`",
        );
    } else {
        findings.good("latency", said);
    }
    Ok(())
}

/// Compares the clocks of all servers with each other and with this machine.
pub(super) async fn check(servers: &[RedisServer], findings: &mut Findings) -> Result<(), Failure> {
    let mut ahead = Vec::new();
    for server in servers {
        let Some(ms) = permitted(ahead_ms(server).await)? else {
            findings.problem(
                "clocks",
                "the user may not run `time`",
                "permit it: `ACL SETUSER name +time`; the scripts need it",
            );
            return Ok(());
        };
        ahead.push(ms);
    }
    let (Some(first), Some(last)) = (ahead.iter().min(), ahead.iter().max()) else { return Ok(()) };
    let ms = |ms: u64| duration(Duration::from_millis(ms));
    let apart = first.abs_diff(*last);
    if Duration::from_millis(apart) > HARMLESS {
        findings.problem(
            "clocks",
            format!("the clocks of the servers differ by {}", ms(apart)),
            "synchronize them (NTP): after a failover, limits would last longer or end earlier by the difference",
        );
    } else if servers.len() > 1 {
        findings.good("clocks", format!("the clocks of {} servers differ by {}", servers.len(), ms(apart)));
    }
    let off = first.unsigned_abs().max(last.unsigned_abs());
    if Duration::from_millis(off) > HARMLESS {
        findings.note(
            "clock of this machine",
            format!("it differs from the servers by {}", ms(off)),
            "limits use only the clocks of the servers, but times in logs are hard to compare; synchronize the clocks",
        );
    } else {
        findings.good("clock of this machine", format!("it differs from the servers by {}", ms(off)));
    }
    Ok(())
}

/// The milliseconds by which a server's clock is ahead of this machine. It assumes that the server read its clock in the middle
/// of the wait for the reply.
async fn ahead_ms(server: &RedisServer) -> Result<i64, Failure> {
    let before = SystemTime::now();
    let theirs = server_time(server).await?;
    let wait = before.elapsed().unwrap_or_default();
    let theirs = i64::try_from(theirs.as_millis()).unwrap_or(i64::MAX);
    let ours = before.duration_since(UNIX_EPOCH).unwrap_or_default() + wait / 2;
    Ok(theirs - i64::try_from(ours.as_millis()).unwrap_or(i64::MAX))
}
