//! What ours is compared with: one EVALSHA per call of the same script, by the same client.

use ratelimit::{Limit, RedisStore};
use redis::aio::MultiplexedConnection;
use std::error::Error;
use std::sync::Arc;

/// A connection, and the digests of the scripts of lone requests.
#[derive(Clone)]
pub(crate) struct Plain {
    connection: MultiplexedConnection,
    digests: Arc<Vec<(&'static str, String)>>,
}

impl Plain {
    pub(crate) async fn open(url: &str) -> Result<Self, Box<dyn Error>> {
        let client = redis::Client::open(url)?;
        // As ours is. Without, the client's own writes may wait for each other.
        let info = client.get_connection_info().clone();
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        let client = redis::Client::open(info.set_tcp_settings(tcp))?;
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let mut digests = Vec::new();
        for (name, text) in RedisStore::lone_scripts() {
            let mut load = redis::cmd("SCRIPT");
            load.arg("LOAD").arg(text);
            digests.push((name, load.query_async(&mut connection).await?));
        }
        Ok(Self { connection, digests: Arc::new(digests) })
    }

    /// For counters and token bucket whose count and time have no common divisor.
    pub(crate) async fn decide(&mut self, limit: &Limit, key: u64) -> Result<(), String> {
        let name = limit.algorithm().as_str();
        let digest = self.digests.iter().find(|(known, _)| *known == name).map_or("", |(_, digest)| digest);
        let mut call = redis::cmd("EVALSHA");
        call.arg(digest).arg(1).arg(format!("plain:{{{key}}}:bench:{name}")).arg(limit.count());
        let time = u64::try_from(limit.time().as_millis()).unwrap_or(u64::MAX);
        call.arg(time);
        if name == "token_bucket" {
            call.arg(limit.capacity());
        }
        let answer = call.arg(1).query_async::<redis::Value>(&mut self.connection).await;
        answer.map(|_| ()).map_err(|error| error.to_string())
    }
}
