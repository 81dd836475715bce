//! `ratelimit top`: a live view of the busiest limits.

mod health;
mod hot;
mod names;
mod rate;
mod report;
mod sampler;
mod terminal;
mod view;

use crate::exit::{Exit, Failure};
use crate::options::Given;
use crate::output::print;
use crate::session::Session;
use clap::Args;
use sampler::{Sampler, Snapshot};
use std::io::{self, IsTerminal as _};
use tokio::sync::watch;

/// Show the busiest and the fullest limits, live
///
/// The numbers come from Redis alone. All keys are read in turn at a bounded pace, each key twice within about a second. The
/// busiest and fullest keys are read once per second. UNITS/S is the rate at which units were taken between two readings. It is a
/// lower bound, because units that came back in between are not seen. Redis does not know refused calls, because a refusal writes
/// nothing. AT LIMIT counts keys whose next call would be refused. STATE is the time for which a key refuses calls, or the time
/// until all its units are free. AT LIMIT and STATE need the numbers of the limit, which services publish. For limits of methods,
/// and for numbers that differ between calls, pass --limit. For refused calls, see the events or metrics of your services.
///
/// Keys: `q` quits, `s` changes the order, `p` pauses, the arrows scroll.
#[derive(Args, Debug)]
pub(crate) struct Top {
    /// Show identities instead of hashes of their keys
    #[arg(long)]
    identities: bool,
    /// Stop after this number of seconds. With --json, one line is written each second
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    #[command(flatten)]
    given: Given,
    /// The maximum number of keys to read per second, at least 100
    #[arg(long, value_name = "KEYS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..))]
    keys_per_second: u32,
}

pub(crate) async fn run(top: &Top, session: &Session) -> Result<Exit, Failure> {
    if !session.output.json && !io::stdout().is_terminal() {
        return Err(Failure::usage("`top` needs a terminal; without one, pass --json"));
    }
    let sampler = Sampler::new(session, top).await?;
    let (publish, snapshots) = watch::channel(Snapshot::default());
    tokio::select! {
        never = sampler.run(&publish) => never,
        done = show(top, snapshots, session) => done,
    }
}

async fn show(
    top: &Top,
    mut snapshots: watch::Receiver<Snapshot>,
    session: &Session,
) -> Result<Exit, Failure> {
    if !session.output.json {
        return terminal::run(snapshots, top.seconds, session).await;
    }
    let mut left = top.seconds;
    while left != Some(0) {
        tokio::select! {
            changed = snapshots.changed() => if changed.is_err() { break },
            () = session.interrupt.wait() => return Ok(Exit::Interrupted),
        }
        let line = report::as_json(&snapshots.borrow_and_update());
        print(format_args!("{line}\n"))?;
        left = left.map(|left| left - 1);
    }
    Ok(Exit::Success)
}
