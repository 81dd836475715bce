//! `ratelimit list`: the limits that have keys now.

mod aggregate;
mod found;
mod json;

use crate::exit::{Exit, Failure};
use crate::known;
use crate::limits::Limits;
use crate::options::Given;
use crate::output::{note, plural, progress, show};
use crate::scan::{Scanner, ttls};
use crate::session::Session;
use crate::usage;
use aggregate::Aggregate;
use clap::Args;
use found::Found;
use std::collections::BTreeSet;
use wildmatch::WildMatch;

/// List the limits that have keys now: the number of keys, the units in use, and the TTL
///
/// Reads all keys of the prefix in small steps, on a cluster from all nodes. Nothing is written. A key is one identity of a
/// limit, with one value for each placeholder of its name. SCAN may visit a key twice while the server resizes its table.
#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only names that match; `*` stands for any text, `?` for one character
    #[arg(value_name = "NAME-GLOB", default_value = "*")]
    name: String,
    /// The number of keys to show of each name, in descending order of their units in use
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=1000))]
    largest: u16,
    /// Show identities instead of hashes of their keys
    #[arg(long)]
    identities: bool,
    #[command(flatten)]
    given: Given,
    /// The maximum number of keys to read per second, at least 100
    #[arg(long, value_name = "KEYS", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    keys_per_second: u32,
}

pub(crate) async fn run(list: &List, session: &Session) -> Result<Exit, Failure> {
    let mut scanner = Scanner::new(session, list.keys_per_second);
    let limits = Limits::load(&list.given.limits, session).await?;
    let mut aggregate = Aggregate::new(usize::from(list.largest), list.identities, session.limiter.clone());
    let glob = WildMatch::new(&list.name);
    let progress = progress();
    let mut complete = false;
    while !complete && !session.interrupt.is_set() {
        complete = step(&glob, session, &mut scanner, &limits, &mut aggregate).await?;
        let names = plural(aggregate.rows().count() as u64, "limit");
        progress.set_message(format!("{} in {names}", plural(aggregate.keys, "key")));
    }
    progress.finish_and_clear();
    let idle: BTreeSet<&str> = limits.names().filter(|name| glob.matches(name)).collect();
    let idle: Vec<&str> = idle.into_iter().filter(|name| !aggregate.has(name)).collect();
    let read_all = complete && session.servers.missing.is_empty();
    let found = Found { aggregate: &aggregate, idle: &idle, limits: &limits, complete: read_all };
    show(session.output, &found.as_json(), found.as_text(session.output))?;
    if !complete {
        note("interrupted: the list is partial");
        return Ok(Exit::Interrupted);
    }
    let is_all = glob.matches("");
    if aggregate.keys > 0 || !idle.is_empty() || (is_all && aggregate.foreign > 0) {
        return Ok(Exit::Success);
    }
    if is_all {
        return known::unused_prefix(session).await?.map_or(Ok(Exit::Success), Err);
    }
    known::ensure(&list.name, &limits, session).await?;
    Ok(Exit::Success)
}

/// Reads one page of keys. Returns whether it was the last page.
async fn step(
    glob: &WildMatch,
    session: &Session,
    scanner: &mut Scanner,
    limits: &Limits,
    aggregate: &mut Aggregate,
) -> Result<bool, Failure> {
    let mut page = scanner.next().await?;
    page.keys.retain(|(key, _)| glob.matches(key.name()));
    aggregate.foreign += page.foreign;
    let ttls = ttls(&page.server, page.keys.iter().map(|(_, bytes)| &bytes[..])).await?;
    let usages = usage::read(session, limits, &page.keys).await?;
    for (((key, _), ttl), usage) in page.keys.iter().zip(ttls).zip(usages) {
        match (ttl, usage) {
            // The key has expired since the scan.
            (None, _) => {}
            (Some(_), None) => aggregate.foreign += 1,
            (Some(ttl), Some(usage)) => aggregate.add(key, ttl, usage),
        }
    }
    Ok(page.is_last)
}
