//! Checks the overrides: whether processes apply them, and whether they survive a restart of the server.

use super::durability::is_saved;
use super::facts::Facts;
use super::finding::Findings;
use crate::exit::Failure;
use crate::known::meant;
use crate::output::{plural, safe};
use crate::overrides::target;
use crate::session::Session;
use ratelimit::overrides::{Override, OverrideEffect};
use ratelimit::store::RedisServer;
use std::collections::BTreeSet;

pub(super) async fn check(
    session: &Session,
    servers: &[RedisServer],
    findings: &mut Findings,
) -> Result<(), Failure> {
    if let Some(missing) = session.missing_overrides() {
        findings.problem(
            "overrides",
            format!("{}; this node has the overrides and the published limits", missing.why),
            "running services keep the overrides that they know; new processes use the limits in the code until the node is back",
        );
        return Ok(());
    }
    // Another check reports a missing permission.
    let Ok(overrides) = session.limiter.overrides().list().await else { return Ok(()) };
    let published = session.limiter.published_limits().await.unwrap_or_default();
    let names: BTreeSet<String> = published.iter().map(|met| met.name().to_owned()).collect();
    for entry in &overrides {
        one(entry, &names, session, findings);
    }
    if overrides.is_empty() {
        return Ok(());
    }
    let mut saved = Vec::new();
    for server in servers {
        saved.push(Facts::of(server).await?.map(|facts| is_saved(&facts)));
    }
    if saved.contains(&Some(false)) {
        findings.problem(
            "overrides",
            format!("a restart of the server loses {}", plural(overrides.len() as u64, "override")),
            "turn on the append-only file: `CONFIG SET appendonly yes`, and write it into the configuration; after a loss, set them again: `ratelimit set`",
        );
    } else {
        findings.good("overrides", plural(overrides.len() as u64, "override"));
    }
    Ok(())
}

fn one(entry: &Override, names: &BTreeSet<String>, session: &Session, findings: &mut Findings) {
    let (name, _) = target(entry, session);
    if let OverrideEffect::Unreadable { reason } = entry.effect() {
        let said = format!("the override of `{}` cannot be read, so it has no effect: {reason}", safe(&name));
        findings.problem("overrides", said, "remove it with `ratelimit unset`, or set it again");
    } else if !names.is_empty() && !names.contains(&name) {
        let said = format!("no service has published a limit `{}`, which has an override", safe(&name));
        let advice =
            format!("{}; unless a limit of methods has this name, `ratelimit unset` it", meant(&name, names));
        findings.note("overrides", said, advice);
    }
}
