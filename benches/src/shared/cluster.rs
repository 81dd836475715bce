//! The part `cluster`: decisions through a private cluster of three nodes. In a cluster, only keys of the same slot can
//! share a script call.

use super::ours::{self, BUCKET, COUNTER, Ours};
use super::subject::{CPU, PER_SECOND, Subject, table};
use super::{BUCKET_NAME, COUNTER_NAME};
use crate::report::{Better, Bound, Table};
use crate::{Effort, Results, cpu, peers};
use redis::Connection;
use std::error::Error;
use support::Cluster;

pub(crate) const BY_CLIENT: [&str; 2] = ["counter by cluster client", "token bucket by cluster client"];

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let mut cluster = Cluster::start(3);
    let ports = cluster.ports();
    let (primaries, replicas) = ports.split_at(3);
    for replica in replicas {
        cluster.kill(*replica);
    }
    let mut servers: Vec<Connection> = primaries.iter().map(|port| cluster.server(*port).raw()).collect();
    let context = format!(
        "{}, three nodes without replicas, on loopback; all share the cores.",
        cpu::server_name(&mut servers[0])?
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let table = runtime.block_on(measure(&cluster.url(), primaries, &mut servers, effort))?;
    Ok(Results { context, tables: vec![table] })
}

async fn measure(
    url: &str,
    ports: &[u16],
    servers: &mut [Connection],
    effort: &Effort,
) -> Result<Table, Box<dyn Error>> {
    let limiter = ours::limiter(url).await?;
    let mut subjects = vec![
        Subject::ours(COUNTER_NAME, Ours::new(&limiter, &COUNTER)),
        Subject::ours(BUCKET_NAME, Ours::new(&limiter, &BUCKET)),
    ];
    subjects.extend(peers::through_cluster(ports, servers).await?);
    let title = "512 callers, 10 000 keys on three nodes";
    let mut table = table(title, (512, 10_000), subjects, servers, effort)
        .await?
        .draw(PER_SECOND, Better::More)
        .draw(CPU, Better::Less);
    for (ours, by_client) in [COUNTER_NAME, BUCKET_NAME].into_iter().zip(BY_CLIENT) {
        table.goal(ours, by_client, PER_SECOND, Bound::AtLeast(2.3));
    }
    Ok(table)
}
