//! `ratelimit doctor`: checks that a server has everything that limits need.

mod clocks;
mod cluster;
mod durability;
mod engine;
mod facts;
mod finding;
mod idle;
mod keys;
mod memory;
mod overrides;
mod rights;
mod version;

use crate::exit::{Exit, Failure};
use crate::output::{note, progress};
use crate::session::Session;
use clap::Args;
pub(crate) use facts::{Facts, is_permission};
use finding::Findings;
use ratelimit::store::RedisServer;

/// Check the server: engine, scripts, permissions, eviction, latency, clocks, cluster, keys, persistence
///
/// Each finding says what to do. The exit code is 1 if there is a problem. The checks write a few keys under a separate prefix
/// and delete them. They read at most 10 000 keys.
#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// The deadline of your services' limiters in milliseconds
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    deadline: u32,
    /// The maximum number of keys to read per second, at least 100
    #[arg(long, value_name = "KEYS", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(100..))]
    keys_per_second: u32,
}

pub(crate) async fn run(doctor: &Doctor, session: &Session) -> Result<Exit, Failure> {
    let progress = progress();
    let mut findings = Findings::default();
    let servers = &session.servers.reachable;
    let mut runs_scripts = true;
    for server in servers {
        progress.set_message(format!("asking {server}"));
        let checked = about(server, doctor, session, &mut findings).await;
        runs_scripts &= findings.ended("server", checked).unwrap_or(false);
    }
    findings.whole_store();
    if session.is_cluster {
        progress.set_message("asking the cluster");
        let checked = cluster::check(&session.servers, &mut findings).await;
        findings.ended("cluster", checked);
    }
    progress.set_message("comparing clocks");
    let checked = clocks::check(servers, &mut findings).await;
    findings.ended("clocks", checked);
    if runs_scripts {
        progress.set_message("trying permissions");
        let checked = rights::check(session, &mut findings).await;
        findings.ended("permissions", checked);
        let checked = overrides::check(session, servers, &mut findings).await;
        findings.ended("overrides", checked);
        progress.set_message("reading keys");
        let checked = keys::check(doctor.keys_per_second, session, &mut findings).await;
        findings.ended("keys", checked);
    }
    progress.finish_and_clear();
    if session.interrupt.is_set() {
        note("interrupted: some checks did not run");
    }
    findings.print(session.output)?;
    Ok(match (findings.has_problem(), session.interrupt.is_set()) {
        (_, true) => Exit::Interrupted,
        (true, false) => Exit::Found,
        (false, false) => Exit::Success,
    })
}

/// Runs the checks of a single server. Returns whether the server runs scripts.
async fn about(
    server: &RedisServer,
    doctor: &Doctor,
    session: &Session,
    findings: &mut Findings,
) -> Result<bool, Failure> {
    findings.server(server);
    clocks::latency(server, doctor.deadline, findings).await?;
    let facts = Facts::of(server).await?;
    match &facts {
        Some(facts) => {
            version::check(facts, findings);
            memory::check(facts, findings);
            durability::check(facts, findings);
        }
        None => findings.unknown(
            "version, memory and persistence",
            "the user may not run `info`",
            "to check them, permit it: `ACL SETUSER name +info`",
        ),
    }
    idle::check(server, findings).await;
    engine::check(server, session, facts.as_ref(), findings).await
}
