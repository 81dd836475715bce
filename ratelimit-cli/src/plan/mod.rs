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
/// An override that is not in the file is removed. The previous overrides are first written to a file: `limits.before.toml` for
/// `limits.toml`. `ratelimit apply limits.before.toml` then undoes the change.
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
    differences: Vec<Difference>,
}

impl Compared {
    async fn read(path: &Path, session: &Session) -> Result<Self, Failure> {
        let entries = file::read(path)?;
        let server = session.servers.reachable.first();
        let server = server.ok_or_else(|| Failure::server("no server has replied"))?;
        let now = Timestamp::UNIX_EPOCH.checked_add(server_time(server).await?).map_err(Failure::server)?;
        let published = session.limiter.published_limits().await.unwrap_or_default();
        let wanted = Wanted::all(entries, now, &published, session).await?;
        let names: BTreeSet<&str> = wanted.iter().map(|wanted| wanted.caller.name.as_str()).collect();
        for name in names.into_iter().filter(|name| is_unknown(name, &published)) {
            note(format_args!("no service has published the name `{}`", crate::output::safe(name)));
        }
        Ok(Self { now, differences: differences(wanted, &session.overrides().await?, now, session) })
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
    if before == apply.file {
        return Err(Failure::usage("`--before` names the file that is applied; name another one"));
    }
    let of_now = file::written(&session.overrides().await?, compared.now, session)?;
    files::write(&before, of_now.as_bytes())?;
    let all = compared.differences.len();
    for (made, difference) in compared.differences.iter().enumerate() {
        let undo =
            format!("{made} of {all} changes were made; `ratelimit apply {}` undoes them", before.display());
        if session.interrupt.is_set() {
            note(undo);
            return Ok(Exit::Interrupted);
        }
        difference.make(compared.now, session).await.map_err(|failure| failure.and(&undo))?;
    }
    let text = format!(
        "{}{} made; running processes apply them within one second\n`ratelimit apply {}` undoes them\n",
        compared.as_text(session),
        plural(all as u64, "change"),
        before.display()
    );
    show(session.output, &json!({ "changes": compared.as_json(), "before": before }), text)
}

/// Returns `limits.before.toml` for `limits.toml`.
fn before_path(file: &Path) -> PathBuf {
    file.with_extension("before.toml")
}

/// The time from now to an end. `None` if less than a second is left, because no override lasts for a shorter time.
fn left(now: Timestamp, end: Timestamp) -> Option<Duration> {
    let left = Duration::try_from(end.duration_since(now)).ok()?;
    (left >= Duration::from_secs(1)).then_some(left)
}
