//! A primary with two replicas, and three Sentinels that replace it.

use crate::server::RedisServer;
use crate::wait::{until, until_or};
use redis::RedisResult;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The name of the primary in the Sentinels' configuration.
const NAME: &str = "mymaster";

const SENTINELS: usize = 3;
const REPLICAS: usize = 2;

/// A primary, two replicas, and three Sentinels. A port identifies a server or a Sentinel.
///
/// If the primary is killed, the Sentinels replace it after about 2.5 seconds, because it must first be silent for one second.
#[derive(Debug)]
pub struct Sentinels {
    servers: Vec<RedisServer>,
    sentinels: Vec<RedisServer>,
}

impl Sentinels {
    /// Starts all servers, and waits until they know each other. This takes about 2.5 seconds.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(None, None)
    }

    /// Starts all servers, with one password for the servers and another one for the Sentinels.
    #[must_use]
    pub fn with_passwords(servers: &str, sentinels: &str) -> Self {
        Self::start_with(Some(servers), Some(sentinels))
    }

    fn start_with(password: Option<&str>, sentinel_password: Option<&str>) -> Self {
        let server = |replicates: Option<u16>| {
            let builder = RedisServer::builder().args([
                "--repl-diskless-sync",
                "yes",
                "--repl-diskless-sync-delay",
                "0",
            ]);
            let builder = match password {
                Some(password) => builder.password(password).args(["--masterauth", password]),
                None => builder,
            };
            match replicates {
                Some(port) => builder.args(replica_of(port)).start(),
                None => builder.start(),
            }
        };
        let primary = server(None);
        let port = primary.port();
        let servers: Vec<_> =
            [primary].into_iter().chain((0..REPLICAS).map(|_| server(Some(port)))).collect();
        // A Sentinel that starts knows the existing replicas at once. It finds later replicas up to ten seconds later.
        until("the replicas are in step", || replicas_in_step(&servers[0]).unwrap_or(0) == REPLICAS);
        let configuration = configuration(port, password, sentinel_password);
        let sentinel = |_| {
            let builder = RedisServer::builder().sentinel(configuration.clone());
            match sentinel_password {
                Some(password) => builder.password(password).start(),
                None => builder.start(),
            }
        };
        let all = Self { servers, sentinels: (0..SENTINELS).map(sentinel).collect() };
        all.wait_until_whole();
        all
    }

    /// The URL without passwords: `redis+sentinel://127.0.0.1:port,127.0.0.1:port,127.0.0.1:port/mymaster`
    #[must_use]
    pub fn url(&self) -> String {
        let ports: Vec<_> = self.sentinel_ports().iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("redis+sentinel://{}/{NAME}", ports.join(","))
    }

    /// The ports of the Sentinels.
    #[must_use]
    pub fn sentinel_ports(&self) -> Vec<u16> {
        self.sentinels.iter().map(RedisServer::port).collect()
    }

    /// The ports of the servers.
    #[must_use]
    pub fn ports(&self) -> Vec<u16> {
        self.servers.iter().map(RedisServer::port).collect()
    }

    /// A server or a Sentinel, for assertions and faults.
    #[must_use]
    pub fn server(&self, port: u16) -> &RedisServer {
        let mut all = self.servers.iter().chain(&self.sentinels);
        all.find(|server| server.port() == port).expect("the port of a server")
    }

    /// The port of the primary, according to the first running Sentinel.
    #[must_use]
    pub fn primary(&self) -> u16 {
        let sentinel = self.sentinels.iter().find(|sentinel| sentinel.is_running()).expect("a Sentinel runs");
        let mut ask = redis::cmd("SENTINEL");
        let answer: RedisResult<(String, u16)> =
            ask.arg("GET-MASTER-ADDR-BY-NAME").arg(NAME).query(&mut sentinel.raw());
        answer.expect("a Sentinel knows the primary").1
    }

    /// Kills a server or a Sentinel.
    pub fn kill(&mut self, port: u16) {
        self.server_mut(port).kill();
    }

    /// Kills the primary. Returns its port.
    pub fn kill_primary(&mut self) -> u16 {
        let primary = self.primary();
        self.kill(primary);
        primary
    }

    /// Starts a killed server again, as a replica of the current primary.
    pub fn restart(&mut self, port: u16) {
        let primary = self.primary();
        assert_ne!(port, primary, "it was not replaced yet");
        self.server_mut(port).restart_with(replica_of(primary));
    }

    /// Makes a replica replace the primary. The old primary becomes a replica without closing connections, so clients that
    /// write to it see that it is read-only. Returns the new primary's port.
    #[must_use]
    pub fn hand_over(&self) -> u16 {
        let old = self.primary();
        let mut ordered: Option<Instant> = None;
        until("the Sentinels hand over", || {
            // The Sentinels refuse an order while they reconfigure the replicas after the last failover. They give up a
            // failover if a replica is not ready.
            if ordered.is_none_or(|then| then.elapsed() > Duration::from_secs(3)) {
                let mut order = redis::cmd("SENTINEL");
                let taken = order.arg("FAILOVER").arg(NAME).exec(&mut self.sentinels[0].raw());
                ordered = taken.ok().map(|()| Instant::now());
            }
            self.primary() != old
        });
        let new = self.primary();
        // Makes the old primary a replica at once. The Sentinels would do this only after ten or twenty seconds.
        redis::cmd("REPLICAOF")
            .arg("127.0.0.1")
            .arg(new)
            .exec(&mut self.server(old).raw())
            .expect("it obeys");
        new
    }

    /// Waits until the Sentinels report another primary than `old`. Returns the new primary's port.
    #[must_use]
    pub fn wait_for_another(&self, old: u16) -> u16 {
        until_or("there is another primary", || self.primary() != old, || self.logs());
        self.primary()
    }

    /// Waits until every Sentinel knows the other Sentinels, the primary and both replicas, and the replicas are synchronized.
    /// From then on, another primary may fail.
    pub fn wait_until_whole(&self) {
        until("the Sentinels know each other", || {
            let primary = self.primary();
            replicas_in_step(self.server(primary)).unwrap_or(0) == REPLICAS
                && self.sentinels.iter().all(|sentinel| knows_all(sentinel, primary).unwrap_or(false))
        });
    }

    fn logs(&self) -> String {
        let logs: Vec<_> = self.sentinels.iter().map(RedisServer::log_tail).collect();
        logs.join("\n\n")
    }

    fn server_mut(&mut self, port: u16) -> &mut RedisServer {
        let mut all = self.servers.iter_mut().chain(&mut self.sentinels);
        all.find(|server| server.port() == port).expect("the port of a server")
    }
}

fn replica_of(port: u16) -> [String; 3] {
    ["--replicaof".to_owned(), "127.0.0.1".to_owned(), port.to_string()]
}

fn configuration(primary: u16, password: Option<&str>, sentinel_password: Option<&str>) -> String {
    let mut lines = vec![
        format!("sentinel monitor {NAME} 127.0.0.1 {primary} 2"),
        format!("sentinel down-after-milliseconds {NAME} 1000"),
        // A Sentinel waits for twice this time before another attempt.
        format!("sentinel failover-timeout {NAME} 2000"),
        format!("sentinel parallel-syncs {NAME} 2"),
    ];
    lines.extend(password.map(|password| format!("sentinel auth-pass {NAME} {password}")));
    if let Some(password) = sentinel_password {
        lines.extend([format!("requirepass {password}"), format!("sentinel sentinel-pass {password}")]);
    }
    lines.join("\n")
}

fn replicas_in_step(server: &RedisServer) -> RedisResult<usize> {
    let info: String = redis::cmd("INFO").arg("replication").query(&mut server.try_raw()?)?;
    Ok(info.matches("state=online").count())
}

fn knows_all(sentinel: &RedisServer, primary: u16) -> RedisResult<bool> {
    let mut raw = sentinel.try_raw()?;
    let known: HashMap<String, String> = redis::cmd("SENTINEL").arg("MASTER").arg(NAME).query(&mut raw)?;
    let replicas: Vec<HashMap<String, String>> =
        redis::cmd("SENTINEL").arg("REPLICAS").arg(NAME).query(&mut raw)?;
    let is = |name: &str, value: &str| known.get(name).is_some_and(|found| found == value);
    let in_step = |replica: &&HashMap<String, String>| {
        replica.get("flags").is_some_and(|flags| flags == "slave")
            && replica.get("master-link-status").is_some_and(|status| status == "ok")
            && replica.get("master-port").is_some_and(|port| *port == primary.to_string())
    };
    Ok(is("num-other-sentinels", &(SENTINELS - 1).to_string())
        && is("flags", "master")
        && is("port", &primary.to_string())
        && replicas.iter().filter(in_step).count() == REPLICAS)
}
