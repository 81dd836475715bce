//! `ratelimit doctor`: checks a server for everything that limits need.

mod clocks;
mod cluster;
mod durability;
mod engine;
mod facts;
mod finding;
mod keys;
mod memory;
mod overrides;
mod rights;
mod version;

use crate::arguments::{Global, Pace, Sample};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{Output, Progress, note};
use crate::server::Server;
use clap::Args;
pub(crate) use facts::{Facts, is_permission};
use finding::Findings;
use ratelimit::store::RedisServer;

/// Check the server: engine, scripts, permissions, eviction, latency, clocks, cluster, keys, persistence
///
/// Each finding says what to do. The exit code is 1 if there is a problem. The checks write a few keys under a prefix of their
/// own and delete them. They read at most 10 000 keys.
#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// The deadline of your services' limiters in milliseconds
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    deadline: u32,
    #[command(flatten)]
    pace: Pace<Sample>,
}

pub(crate) async fn run(
    doctor: &Doctor,
    global: &Global,
    server: &Server,
    interrupt: &Interrupt,
    output: Output,
) -> Result<Exit, Failure> {
    let mut progress = Progress::new();
    let mut findings = Findings::default();
    progress.show("connecting");
    let servers = server.all().await?;
    let mut runs_scripts = true;
    for one in &servers {
        progress.show(format!("asking {one}"));
        runs_scripts &= about(one, doctor, global, &mut findings).await?;
    }
    if servers.len() > 1 {
        cluster::check(&servers[0], &mut findings).await?;
    }
    progress.show("comparing clocks");
    clocks::check(&servers, &mut findings).await?;
    if runs_scripts {
        progress.show("trying permissions");
        rights::check(global, server, &mut findings).await?;
        overrides::check(server, &servers, &mut findings).await?;
        progress.show("reading keys");
        keys::check(doctor.pace.keys_per_second, server, interrupt, &mut findings).await?;
    }
    progress.clear();
    if interrupt.is_set() {
        note("interrupted: some checks did not run");
    }
    findings.print(output)?;
    Ok(match (findings.has_problem(), interrupt.is_set()) {
        (_, true) => Exit::Interrupted,
        (true, false) => Exit::Found,
        (false, false) => Exit::Success,
    })
}

/// The checks of a single server. Returns whether it runs scripts.
async fn about(
    server: &RedisServer,
    doctor: &Doctor,
    global: &Global,
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
    engine::check(server, &global.prefix, cluster::is_meant(global), facts.as_ref(), findings).await
}
