//! What ours is compared with: one EVALSHA per call of the same script, by the same client, and by hand on a socket.

use ratelimit::{Limit, RedisStore};
use redis::aio::MultiplexedConnection;
use redis::{Cmd, ConnectionAddr};
use std::error::Error;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

/// A connection, one more without a client, and the digests of the scripts of lone requests.
#[derive(Clone)]
pub(crate) struct Plain {
    connection: MultiplexedConnection,
    socket: Arc<Mutex<TcpStream>>,
    digests: Arc<Vec<(&'static str, String)>>,
}

impl Plain {
    pub(crate) async fn open(url: &str) -> Result<Self, Box<dyn Error>> {
        let client = redis::Client::open(url)?;
        // As ours is. Without, the client's own writes may wait for each other.
        let info = client.get_connection_info().clone();
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        let ConnectionAddr::Tcp(host, port) = info.addr() else { return Err("no TCP".into()) };
        let socket = TcpStream::connect((host.as_str(), *port)).await?;
        socket.set_nodelay(true)?;
        let client = redis::Client::open(info.set_tcp_settings(tcp))?;
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let mut digests = Vec::new();
        for (name, text) in RedisStore::lone_scripts() {
            let mut load = redis::cmd("SCRIPT");
            load.arg("LOAD").arg(text);
            digests.push((name, load.query_async(&mut connection).await?));
        }
        Ok(Self { connection, socket: Arc::new(Mutex::new(socket)), digests: Arc::new(digests) })
    }

    pub(crate) async fn decide(&mut self, limit: &Limit, key: u64) -> Result<(), String> {
        let call = self.call(limit, key);
        let answer = call.query_async::<redis::Value>(&mut self.connection).await;
        answer.map(|_| ()).map_err(|error| error.to_string())
    }

    /// As a client could at best, for one caller.
    pub(crate) async fn decide_by_hand(&self, limit: &Limit, key: u64) -> Result<(), String> {
        let call = self.call(limit, key).get_packed_command();
        let (mut socket, mut answer, mut read) = (self.socket.lock().await, [0; 64], 0);
        let broken = |error: std::io::Error| error.to_string();
        socket.write_all(&call).await.map_err(broken)?;
        while !answer[..read].ends_with(b"\r\n") {
            read += match socket.read(&mut answer[read..]).await.map_err(broken)? {
                0 => return Err("no answer".into()),
                some => some,
            };
        }
        if answer[0] == b':' { Ok(()) } else { Err("no integer".into()) }
    }

    /// For counters and token buckets whose count and time have no common divisor.
    fn call(&self, limit: &Limit, key: u64) -> Cmd {
        let name = limit.algorithm().as_str();
        let digest = self.digests.iter().find(|(known, _)| *known == name).map_or("", |(_, digest)| digest);
        let mut call = redis::cmd("EVALSHA");
        call.arg(digest).arg(1).arg(format!("plain:{{{key}}}:bench:{name}")).arg(limit.count());
        let time = u64::try_from(limit.time().as_millis()).unwrap_or(u64::MAX);
        call.arg(time);
        if name == "token_bucket" {
            call.arg(limit.capacity());
        }
        call.arg(1);
        call
    }
}
