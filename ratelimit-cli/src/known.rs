//! Which limits exist: what the services publish, what has an override, and what has keys. Says what a wrong name or prefix may
//! have meant.

use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::limits::Limits;
use crate::output::safe;
use crate::scan::{prefixes, search};
use crate::server::Server;
use ratelimit_syntax::suggest::nearest;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The most names of keys that are remembered, and the longest one. A program may make up names.
const MOST: usize = 1000;
const LONGEST: usize = 256;

/// Whether a limit of this name exists. The names of methods are not published, so all keys are searched for others.
///
/// # Errors
///
/// If nothing knows the name. The message says which name or which prefix may be meant.
pub(crate) async fn ensure(
    name: &str,
    limits: &Limits,
    server: &Server,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    if limits.names().any(|known| known == name) {
        return Ok(());
    }
    let (mut names, mut is_known) = (BTreeSet::new(), false);
    search(server, interrupt, |key| {
        is_known = key.name() == name;
        if names.len() < MOST && key.name().len() <= LONGEST && !names.contains(key.name()) {
            names.insert(key.name().to_owned());
        }
        if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .await?;
    if is_known {
        return Ok(());
    }
    if interrupt.is_set() {
        return Err(Failure::interrupted());
    }
    names.extend(limits.names().map(str::to_owned));
    if names.is_empty()
        && let Some(unused) = unused_prefix(server, interrupt).await?
    {
        return Err(unused);
    }
    Err(Failure::found(format!(
        "no service has published a limit `{}`, and no key and no override has this name; {}",
        safe(name),
        meant(name, &names)
    )))
}

/// The name that was probably meant, or where to find all names.
pub(crate) fn meant(name: &str, names: &BTreeSet<String>) -> String {
    let near = nearest(name, names.iter().map(String::as_str).filter(|_| name.len() <= LONGEST));
    match near {
        Some(near) => format!("did you mean `{}`?", safe(near)),
        None => "`ratelimit list` shows all names".to_owned(),
    }
}

/// What to say about a prefix without keys of limits. `None` if services have used it.
pub(crate) async fn unused_prefix(
    server: &Server,
    interrupt: &Interrupt,
) -> Result<Option<Failure>, Failure> {
    let found = prefixes(server, interrupt).await?;
    if found.contains(&server.prefix) {
        return Ok(None);
    }
    let found: Vec<String> = found.iter().map(|prefix| format!("`{}`", safe(prefix))).collect();
    let others = match &found[..] {
        [] => "no service has published limits on this server".to_owned(),
        found => format!("there are limits with {}", found.join(", ")),
    };
    Ok(Some(Failure::found(format!(
        "nothing uses the prefix `{}`; {others}: set `--prefix`, or RATELIMIT_PREFIX, to that of your services",
        safe(&server.prefix)
    ))))
}
