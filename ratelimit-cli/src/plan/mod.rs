//! `ratelimit plan`, `apply` and `drift`: all overrides of a prefix in a file.

mod difference;
mod file;

use crate::exit::{Exit, Failure};
use crate::files;
use crate::output::{note, plural, show};
use crate::overrides::is_unknown;
use crate::session::{Session, server_time};
use clap::Args;
use difference::{Difference, differences};
use file::Wanted;
use jiff::Timestamp;
use ratelimit::overrides::Override;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that `plan` and `drift` compare with the store.
#[derive(Args, Debug)]
pub(crate) struct Overrides {
    /// The file with all overrides
    file: PathBuf,
}

/// Make the overrides of the prefix those of a file, and write a file that undoes it
///
/// An override that is not in the file is removed. All changes are made in one step, unless somebody else changes overrides at
/// the same time: then nothing is changed. The previous overrides are written to a file: `limits.before.toml` for `limits.toml`.
/// `ratelimit apply limits.before.toml` then undoes the change.
#[derive(Args, Debug)]
pub(crate) struct Apply {
    /// The file with all overrides, as for `plan`
    file: PathBuf,
    /// The file for the previous overrides
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
}

/// The differences between the overrides of a file and those in the store.
struct Compared {
    now: Timestamp,
    /// The version of the overrides, and the overrides in the store.
    version: u64,
    found: Vec<Override>,
    differences: Vec<Difference>,
}

impl Compared {
    async fn read(path: &Path, session: &Session) -> Result<Self, Failure> {
        let file = file::read(path)?;
        let server = session.servers.reachable.first();
        let server = server.ok_or_else(|| Failure::server("no server has replied"))?;
        let now = Timestamp::UNIX_EPOCH.checked_add(server_time(server).await?).map_err(Failure::server)?;
        let published = session.limiter.published_limits().await.unwrap_or_default();
        // The version is read first. If somebody changes an override in between, it is out of date, and nothing is changed.
        let version = session.limiter.overrides().version().await;
        let version = version.map_err(|error| session.of_overrides(error))?;
        let found = session.overrides().await?;
        let wanted = Wanted::all(file, now, &found, &published, session).await?;
        let names: BTreeSet<&str> = wanted.iter().map(|wanted| wanted.caller.name.as_str()).collect();
        for name in names.into_iter().filter(|name| is_unknown(name, &published)) {
            note(format_args!("no service has published the name `{}`", crate::output::safe(name)));
        }
        let differences = differences(wanted, &found, now, session);
        Ok(Self { now, version, found, differences })
    }

    fn as_json(&self) -> Value {
        self.differences.iter().map(Difference::as_json).collect()
    }

    fn as_text(&self, session: &Session) -> String {
        self.differences.iter().map(|difference| difference.as_text(session.output)).collect()
    }
}

pub(crate) async fn plan(plan: &Overrides, session: &Session) -> Result<Exit, Failure> {
    let compared = Compared::read(&plan.file, session).await?;
    let text = match compared.differences.len() {
        0 => "nothing to change\n".to_owned(),
        all => format!(
            "{}{}; `ratelimit apply {}` makes them\n",
            compared.as_text(session),
            plural(all as u64, "change"),
            plan.file.display()
        ),
    };
    show(session.output, &json!({ "changes": compared.as_json() }), text)
}

pub(crate) async fn drift(drift: &Overrides, session: &Session) -> Result<Exit, Failure> {
    let compared = Compared::read(&drift.file, session).await?;
    let is_same = compared.differences.is_empty();
    let (list, file) = (compared.as_text(session), drift.file.display());
    let text = if is_same {
        "the overrides are those of the file\n".to_owned()
    } else {
        format!("{list}the overrides are not those of `{file}`; to become so, they need the changes above\n")
    };
    show(session.output, &json!({ "changes": compared.as_json() }), text)?;
    Ok(if is_same { Exit::Success } else { Exit::Found })
}

pub(crate) async fn apply(apply: &Apply, session: &Session) -> Result<Exit, Failure> {
    let compared = Compared::read(&apply.file, session).await?;
    if compared.differences.is_empty() {
        return show(session.output, &json!({ "changes": [], "before": null }), "nothing to change\n");
    }
    let before = apply.before.clone().unwrap_or_else(|| before_path(&apply.file));
    if files::is_same(&before, &apply.file) {
        return Err(Failure::usage("`--before` names the file that is applied; name another one"));
    }
    let undo = file::written(&compared.found, compared.now, session)?;
    let undo = files::Staged::new(&before, undo.as_bytes(), &apply.file)?;
    if session.interrupt.is_set() {
        return Err(Failure::interrupted());
    }
    let updates: Vec<_> = compared.differences.iter().map(|one| one.update(compared.now)).collect();
    let replaced = session.limiter.overrides().replace(compared.version, &updates).await;
    match replaced {
        Ok(true) => undo.commit()?,
        Ok(false) => {
            return Err(Failure::found(format!(
                "nothing was changed: somebody else has changed overrides in the meantime; see what is left to change with `ratelimit plan {}`",
                apply.file.display()
            )));
        }
        Err(error) if error.is_transient() => {
            undo.commit()?;
            return Err(session.of_overrides(error).and(&format!(
                "all changes may have been made, or none: `ratelimit drift {}` says it, and `ratelimit apply {}` undoes them",
                apply.file.display(),
                before.display()
            )));
        }
        Err(error) => return Err(session.of_overrides(error)),
    }
    let all = compared.differences.len();
    let text = format!(
        "{}{} made; running processes apply them within one second\n`ratelimit apply {}` undoes them\n",
        compared.as_text(session),
        plural(all as u64, "change"),
        before.display()
    );
    show(session.output, &json!({ "changes": compared.as_json(), "before": before }), text)
}

/// `limits.before.toml` for `limits.toml`.
fn before_path(file: &Path) -> PathBuf {
    file.with_extension("before.toml")
}

/// The time from now to an end. `None` if less than a second is left, because no override lasts for a shorter time.
fn left(now: Timestamp, end: Timestamp) -> Option<Duration> {
    let left = Duration::try_from(end.duration_since(now)).ok()?;
    (left >= Duration::from_secs(1)).then_some(left)
}
