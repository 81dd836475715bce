//! The file of overrides: TOML with a table for each override.

use super::left;
use crate::caller::Caller;
use crate::exit::Failure;
use crate::limits::key_of;
use crate::output::{note, safe};
use crate::session::Session;
use jiff::{Timestamp, Unit};
use ratelimit::overrides::{KnownLimit, LimitChange, Override, OverrideEffect, OverrideTarget};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// The longest time until an override expires.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// Whether a change that does not fit its limit is set all the same. The file that undoes an `apply` has it, because its
    /// overrides were in force.
    #[serde(default)]
    force: bool,
    #[serde(default, rename = "override")]
    overrides: Vec<Entry>,
}

/// An override in the form of the file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    name: String,
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    identity: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    change: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

/// Reads a file.
///
/// # Errors
///
/// If the file cannot be read, or is not TOML with these tables. The message names the line.
pub(super) fn read(path: &Path) -> Result<File, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format_args!("cannot read `{shown}`: {error}")))?;
    toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Failure::usage(format_args!("`{shown}`, line {line}: {}", error.message()))
    })
}

/// An override that the store must have after `apply`.
pub(super) struct Wanted {
    pub(super) caller: Caller,
    pub(super) target: OverrideTarget,
    pub(super) change: LimitChange,
    pub(super) expires: Option<Timestamp>,
}

impl Wanted {
    /// Checks all entries of a file. Expired entries are left out.
    ///
    /// # Errors
    ///
    /// If an entry is not a valid override or does not fit its published limit, or if two entries are for the same callers. The
    /// message names the entry.
    pub(super) async fn all(
        file: File,
        now: Timestamp,
        found: &[Override],
        published: &[KnownLimit],
        session: &Session,
    ) -> Result<Vec<Self>, Failure> {
        let (mut all, mut targets) = (Vec::new(), BTreeSet::new());
        for (number, entry) in file.overrides.into_iter().enumerate() {
            let which = format!("override {} of the file (`{}`)", number + 1, safe(&entry.name));
            let wanted = Self::of(entry, session).await;
            let mut wanted = wanted.map_err(|failure| Failure::usage(format_args!("{which}: {failure}")))?;
            let is_in_force =
                found.iter().any(|it| *it.target() == wanted.target && *it.change() == wanted.change);
            match wanted.check(now, published) {
                Err(failure) if file.force || is_in_force => {
                    note(format_args!("{which}: {failure}; what fits of it applies"));
                }
                checked => {
                    checked.map_err(|failure| Failure::usage(format_args!("{which}: {failure}")))?;
                }
            }
            wanted.expires = wanted.expires.map(|end| end.min(now + LONGEST));
            if !targets.insert(wanted.target.clone()) {
                return Err(Failure::usage(format_args!("{which}: an earlier one is for the same callers")));
            }
            match wanted.expires {
                Some(end) if left(now, end).is_none() => {
                    note(format_args!("{which} has expired, and is left out"));
                }
                _ => all.push(wanted),
            }
        }
        Ok(all)
    }

    async fn of(entry: Entry, session: &Session) -> Result<Self, Failure> {
        let caller = Caller::new(&entry.name, entry.identity.as_deref(), &entry.parts)?;
        let caller = caller.found(true, session).await?;
        let change: LimitChange = entry.change.parse().map_err(Failure::usage)?;
        let expires = entry.expires.as_deref().map(|text| {
            text.parse::<Timestamp>().map_err(|_| {
                let shown = safe(text);
                Failure::usage(format_args!(
                    "`expires = \"{shown}\"` is not a time; write one as `2027-01-31T00:00:00Z`"
                ))
            })
        });
        let target = caller.target(&session.limiter)?;
        Ok(Self { caller, target, change, expires: expires.transpose()? })
    }

    /// Runs the same checks as `set`.
    fn check(&self, now: Timestamp, published: &[KnownLimit]) -> Result<(), Failure> {
        if self.expires.and_then(|end| left(now, end)).is_some_and(|left| left > LONGEST) {
            return Err(Failure::usage(
                "it expires in more than 366 days; leave `expires` out, or name an earlier time",
            ));
        }
        let _ = self.change.checked().map_err(Failure::usage)?;
        let known = published.iter().find(|met| met.name() == self.caller.name && !met.varies());
        let Some(limit) = known.map(KnownLimit::in_code) else { return Ok(()) };
        let misfit = match self.change.apply(limit) {
            Err(error) => error.message(),
            Ok(changed) if changed.is_concurrency() != limit.is_concurrency() => {
                "a concurrency limit and another limit cannot replace each other"
            }
            Ok(_) => return Ok(()),
        };
        Err(Failure::usage(format_args!(
            "`{}` does not fit the published limit `{limit}`: {misfit}",
            self.change
        )))
    }
}

/// [`read`] returns the same overrides for this text. An override that cannot be read is left out, with a note.
pub(super) fn written(overrides: &[Override], now: Timestamp, session: &Session) -> Result<String, Failure> {
    let mut file = File { force: true, ..File::default() };
    for found in overrides {
        if let Some(entry) = entry(found, now, session) {
            file.overrides.push(entry);
        } else {
            let (name, _) = crate::overrides::target(found, session);
            note(format_args!("an override of `{}` cannot be read, and cannot be undone", safe(&name)));
        }
    }
    let tables = toml::to_string(&file).map_err(Failure::found)?;
    // Without overrides, the text would have an empty array in one line, to which no table could be added.
    let tables = if file.overrides.is_empty() { "force = true\n" } else { &tables };
    Ok(format!(
        "# All overrides of the prefix `{}`. `ratelimit apply` makes them so.\n# `force`: they were in force, so they are set even if a limit has changed.\n{tables}",
        session.prefix.replace(char::is_control, " ")
    ))
}

/// `None` if no entry can describe the override.
fn entry(found: &Override, now: Timestamp, session: &Session) -> Option<Entry> {
    if matches!(found.effect(), OverrideEffect::Unreadable { .. }) {
        return None;
    }
    let (name, identity, parts) = match found.target() {
        OverrideTarget::Name(name) => (name.clone(), None, Vec::new()),
        OverrideTarget::Key(written) => {
            let key = key_of(&session.prefix, written)?;
            let identities = key.identities().collect::<Vec<_>>().join(",");
            let parts = key.parts().map(str::to_owned).collect();
            (key.name().to_owned(), (!identities.is_empty()).then_some(identities), parts)
        }
        _ => return None,
    };
    let caller = Caller::new(&name, identity.as_deref(), &parts).ok()?;
    let is_same = caller.target(&session.limiter).is_ok_and(|target| target == *found.target());
    let expires = found.expires_in().map(|left| (now + left).round(Unit::Second).map(|end| end.to_string()));
    let expires = expires.transpose().ok()?;
    is_same.then(|| Entry { name, identity, parts, change: found.change().to_string(), expires })
}
