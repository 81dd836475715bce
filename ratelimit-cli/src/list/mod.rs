//! `ratelimit list`: the limits that have keys now.

mod aggregate;
mod glob;
mod json;
mod report;

use crate::arguments::{Given, Once, Pace};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::known;
use crate::limits::Limits;
use crate::output::{Output, Progress, note, number, plural};
use crate::scan::{Scanner, ttls};
use crate::server::Server;
use crate::usage;
use aggregate::Aggregate;
use clap::Args;
pub(crate) use glob::Glob;
use std::collections::BTreeSet;

/// List the limits that have keys now: how many keys, how much is in use, and for how long
///
/// Reads all keys of the prefix little by little, on a cluster from all nodes. Nothing is written. A key is one identity of a
/// limit, with one value for each placeholder of its name. SCAN may visit a key twice while the server resizes its table.
#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only names that match; `*` stands for any text, `?` for one character
    #[arg(value_name = "NAME-GLOB", default_value = "*")]
    name: Glob,
    /// How many keys to show of each name, those with the most units in use first
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=1000))]
    largest: u16,
    /// Show identities instead of hashes of their keys
    #[arg(long)]
    identities: bool,
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    pace: Pace<Once>,
}

pub(crate) async fn run(
    list: &List,
    server: &Server,
    interrupt: &Interrupt,
    output: Output,
) -> Result<Exit, Failure> {
    let mut scanner = Scanner::new(server, list.pace.keys_per_second).await?;
    let limits = Limits::load(&list.given.limits, server).await?;
    let mut aggregate = Aggregate::new(usize::from(list.largest), list.identities, server.limiter.clone());
    let mut progress = Progress::new();
    let mut complete = false;
    while !complete && !interrupt.is_set() {
        complete = step(list, server, &mut scanner, &limits, interrupt, &mut aggregate).await?;
        let share = scanner.progress().map(|share| format!(", {:.0} %", share * 100.0)).unwrap_or_default();
        progress.show(format!("{} in {}{share}", plural(aggregate.keys(), "key"), names(&aggregate)));
    }
    progress.clear();
    let idle: BTreeSet<&str> = limits.names().filter(|name| list.name.matches(name)).collect();
    let idle = idle.into_iter().filter(|name| !aggregate.has(name)).collect::<Vec<_>>();
    report::report(&aggregate, &idle, &limits, complete, output)?;
    if !complete {
        note("interrupted: the list is partial");
        return Ok(Exit::Interrupted);
    }
    let is_all = list.name.matches("");
    if aggregate.keys() > 0 || !idle.is_empty() || (is_all && aggregate.foreign > 0) {
        return Ok(Exit::Success);
    }
    if is_all {
        return known::unused_prefix(server, interrupt).await?.map_or(Ok(Exit::Success), Err);
    }
    known::ensure(&list.name.to_string(), &limits, server, interrupt).await?;
    Ok(Exit::Success)
}

fn names(aggregate: &Aggregate) -> String {
    format!("{} limits", number(aggregate.rows().count() as u64))
}

/// Reads one page of keys. Returns whether it was the last one.
async fn step(
    list: &List,
    server: &Server,
    scanner: &mut Scanner,
    limits: &Limits,
    interrupt: &Interrupt,
    aggregate: &mut Aggregate,
) -> Result<bool, Failure> {
    let is_cluster = scanner.servers().len() > 1;
    let mut page = scanner.next(interrupt).await?;
    page.keys.retain(|(key, _)| list.name.matches(key.name()));
    aggregate.add_foreign(page.foreign);
    let ttls = ttls(&page.server, page.keys.iter().map(|(_, bytes)| &bytes[..])).await?;
    let usages = usage::read(server, limits, &page.keys, is_cluster).await?;
    for (((key, _), ttl), usage) in page.keys.iter().zip(ttls).zip(usages) {
        match (ttl, usage) {
            // The key has expired since the scan.
            (None, _) => {}
            (Some(_), None) => aggregate.add_foreign(1),
            (Some(ttl), Some(usage)) => aggregate.add(key, ttl, usage),
        }
    }
    Ok(page.is_last)
}
