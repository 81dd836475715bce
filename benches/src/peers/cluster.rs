//! Sends one EVALSHA per call through redis-rs's cluster client, with our scripts for single requests.

use crate::shared::Subject;
use crate::shared::cluster::BY_CLIENT;
use crate::shared::load::Decider;
use crate::shared::ours::{BUCKET, COUNTER};
use crate::shared::plain::Call;
use redis::Connection;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use std::error::Error;

pub(crate) async fn through_cluster(
    ports: &[u16],
    servers: &mut [Connection],
) -> Result<Vec<Subject>, Box<dyn Error>> {
    let nodes: Vec<String> = ports.iter().map(|port| format!("redis://127.0.0.1:{port}")).collect();
    let connection = ClusterClient::new(nodes)?.get_async_connection().await?;
    let mut subjects = Vec::new();
    for (name, limit) in BY_CLIENT.into_iter().zip([&COUNTER, &BUCKET]) {
        let mut calls = Vec::new();
        for server in &mut *servers {
            calls.push(Call::load(server, limit, "cluster")?);
        }
        let call = calls.pop().ok_or("the cluster has no servers")?;
        subjects.push(Subject::other(name, Clustered { connection: connection.clone(), call }));
    }
    Ok(subjects)
}

#[derive(Clone)]
struct Clustered {
    connection: ClusterConnection,
    call: Call,
}

impl Decider for Clustered {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        Call::check(self.call.command(key).query_async::<i64>(&mut self.connection).await)
    }
}
