//! Checks a sample of the keys of the prefix.

use super::facts::permitted;
use super::finding::Findings;
use crate::exit::Failure;
use crate::limits::Limits;
use crate::output::plural;
use crate::scan::{Scanner, Ttl, ttls};
use crate::session::Session;
use crate::usage;

/// The maximum number of keys to look at.
const MOST: u64 = 10_000;
/// The maximum number of steps, because a server may have many other keys.
const STEPS: u32 = 100;

#[derive(Default)]
struct Sample {
    keys: u64,
    without_ttl: u64,
    foreign: u64,
    /// The number of keys whose format this version does not know.
    other_versions: u64,
}

pub(super) async fn check(
    keys_per_second: u32,
    session: &Session,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let Some(sample) = permitted(sample(keys_per_second, session).await)? else {
        let advice =
            "to check them, permit `scan`, `pttl` and the reading commands that `lua/README.md` lists";
        findings.unknown("keys", "the user may not scan or read the keys of the prefix", advice);
        return Ok(());
    };
    let keys = plural(sample.keys, "key");
    if sample.without_ttl > 0 {
        findings.problem(
            "keys without TTL",
            format!("{} of {keys} never expire", sample.without_ttl),
            "another program has changed them (`PERSIST`, a restored dump); each repairs itself at the next decision; `ratelimit list` shows their names",
        );
    } else {
        findings.good("keys without TTL", format!("none among {keys}"));
    }
    if sample.foreign > 0 {
        findings.problem(
            "keys of other programs",
            format!(
                "{} under the prefix `{}` that no limit has written",
                plural(sample.foreign, "key"),
                session.prefix
            ),
            "give each program its own prefix; calls with such a key are rejected",
        );
    }
    if sample.other_versions > 0 {
        findings.note(
            "keys of other versions",
            format!("{} in a format of another version of the library", plural(sample.other_versions, "key")),
            "services of two versions count by themselves; the keys of the older one expire when its services are gone",
        );
    }
    Ok(())
}

async fn sample(keys_per_second: u32, session: &Session) -> Result<Sample, Failure> {
    let mut scanner = Scanner::new(session, keys_per_second);
    let limits = Limits::default();
    let mut sample = Sample::default();
    for _ in 0..STEPS {
        let page = scanner.next().await?;
        let ttls = ttls(&page.server, page.keys.iter().map(|(_, bytes)| &bytes[..])).await?;
        let usages = usage::read(session, &limits, &page.keys).await?;
        sample.keys += page.keys.len() as u64;
        sample.foreign += page.foreign + usages.iter().filter(|usage| usage.is_none()).count() as u64;
        sample.without_ttl += ttls.iter().filter(|ttl| **ttl == Some(Ttl::Never)).count() as u64;
        sample.other_versions += page.keys.iter().filter(|(key, _)| key.algorithm().is_none()).count() as u64;
        if page.is_last || sample.keys >= MOST || session.interrupt.is_set() {
            break;
        }
    }
    Ok(sample)
}
