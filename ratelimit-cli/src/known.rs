//! Finds the limits that exist: those that are published, have an override, or have keys. Suggests the name or prefix that the
//! user probably meant.

use crate::exit::Failure;
use crate::limits::Limits;
use crate::output::safe;
use crate::scan::{prefixes, search};
use crate::session::Session;
use ratelimit_syntax::suggest::nearest;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The maximum number and the maximum length of the names that are stored, because a program may make up names.
const MOST: usize = 1000;
const LONGEST: usize = 256;

/// Checks that a limit of this name exists. The names of methods are not published, so all keys are searched.
///
/// # Errors
///
/// If no limit has this name. The message suggests a name or a prefix.
pub(crate) async fn ensure(name: &str, limits: &Limits, session: &Session) -> Result<(), Failure> {
    if limits.names().any(|known| known == name) {
        return Ok(());
    }
    let (mut names, mut is_known) = (BTreeSet::new(), false);
    search(session, |key| {
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
    if session.interrupt.is_set() {
        return Err(Failure::interrupted());
    }
    names.extend(limits.names().map(str::to_owned));
    if names.is_empty()
        && let Some(unused) = unused_prefix(session).await?
    {
        return Err(unused);
    }
    Err(Failure::found(format!(
        "no service has published a limit `{}`, and no key and no override has this name; {}",
        safe(name),
        meant(name, &names)
    )))
}

/// Suggests a similar name, or the command that shows all names.
pub(crate) fn meant(name: &str, names: &BTreeSet<String>) -> String {
    let near = nearest(name, names.iter().map(String::as_str).filter(|_| name.len() <= LONGEST));
    match near {
        Some(near) => format!("did you mean `{}`?", safe(near)),
        None => "`ratelimit list` shows all names".to_owned(),
    }
}

/// Explains a prefix without keys of limits. `None` if services have used the prefix.
pub(crate) async fn unused_prefix(session: &Session) -> Result<Option<Failure>, Failure> {
    let found = prefixes(session).await?;
    if found.contains(&session.prefix) {
        return Ok(None);
    }
    let found: Vec<String> = found.iter().map(|prefix| format!("`{}`", safe(prefix))).collect();
    let others = match &found[..] {
        [] => "no service has published limits on this server".to_owned(),
        found => format!("there are limits with {}", found.join(", ")),
    };
    Ok(Some(Failure::found(format!(
        "nothing uses the prefix `{}`; {others}: set `--prefix`, or RATELIMIT_PREFIX, to that of your services",
        safe(&session.prefix)
    ))))
}
