//! Compares the names of limits with the overrides on a server.

use crate::exit::Failure;
use crate::limits::key_of;
use crate::manifest::{Entry, Kind, Manifest, Problem};
use crate::output::{Output, safe};
use crate::session::Session;
use ratelimit::overrides::{Override, OverrideEffect, OverrideTarget};
use std::collections::HashSet;

/// Adds the overrides to their limits, and reports overrides whose name no limit has.
pub(super) fn compare(
    manifest: &mut Manifest,
    url: Option<&str>,
    prefix: &str,
    output: Output,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let overrides = runtime.block_on(async {
        let session = Session::open(url, prefix, output)?;
        session.servers().await?;
        session.overrides().await
    })?;
    let names: HashSet<String> = manifest.limits.iter().flat_map(Entry::names).collect();
    for found in &overrides {
        let Some((name, of_name)) = name(found, prefix) else { continue };
        if !names.contains(&name) {
            manifest.problems.push(unknown(&name, found));
        }
        let text = match found.effect() {
            OverrideEffect::Unreadable { reason } => format!("unreadable: {reason}"),
            _ => found.change().to_string(),
        };
        for entry in manifest.limits.iter_mut().filter(|entry| entry.names().any(|own| own == name)) {
            if of_name {
                entry.overridden = Some(text.clone());
            } else {
                entry.identity_overrides.push(text.clone());
            }
        }
    }
    Ok(())
}

/// The name of the limit, and whether the override is for all its keys.
fn name(found: &Override, prefix: &str) -> Option<(String, bool)> {
    match found.target() {
        OverrideTarget::Name(name) => Some((name.clone(), true)),
        OverrideTarget::Key(key) => Some((key_of(prefix, key)?.name().to_owned(), false)),
        _ => None,
    }
}

fn unknown(name: &str, found: &Override) -> Problem {
    let message = format!(
        "the override `{}` is for `{}`, which no attribute in these sources has as its name: it has no effect unless a layer, a method or another service has a limit with this name",
        found.change(),
        safe(name)
    );
    Problem { kind: Kind::Override, file: None, line: None, message }
}
