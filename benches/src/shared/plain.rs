//! Clients that send one EVALSHA per call, with our script for single requests. One client is redis-rs on one connection,
//! the other a bare socket.

use super::load::Decider;
use ratelimit::{__testing, Limit};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, RedisError, RedisResult};
use std::error::Error;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

/// The script call for a key. Supports counters, and token buckets whose count and time have no common divisor.
#[derive(Clone)]
pub(crate) struct Call {
    limit: &'static Limit,
    digest: Arc<str>,
    /// The prefix of the keys, so that different subjects use different keys.
    prefix: &'static str,
}

impl Call {
    /// Loads the script into the server.
    pub(crate) fn load(
        server: &mut redis::Connection,
        limit: &'static Limit,
        prefix: &'static str,
    ) -> Result<Self, Box<dyn Error>> {
        let name = limit.algorithm().as_str();
        let text = __testing::single_scripts().into_iter().find(|(known, _)| *known == name);
        let (_, text) = text.ok_or("this algorithm has no script")?;
        let digest: String = redis::cmd("SCRIPT").arg("LOAD").arg(text).query(server)?;
        Ok(Self { limit, digest: digest.into(), prefix })
    }

    pub(crate) fn command(&self, key: u64) -> Cmd {
        let mut call = redis::cmd("EVALSHA");
        let name = self.limit.algorithm().as_str();
        call.arg(&*self.digest).arg(1).arg(format!("{}:{{{key}}}:bench:{name}", self.prefix));
        call.arg(self.limit.count()).arg(u64::try_from(self.limit.time().as_millis()).unwrap_or(u64::MAX));
        if name == "token_bucket" {
            call.arg(self.limit.capacity());
        }
        call.arg(1);
        call
    }

    /// Checks the reply. It is one integer, which is negative for a refusal.
    pub(crate) fn check(reply: Result<i64, impl ToString>) -> Result<(), String> {
        match reply {
            Ok(0..) => Ok(()),
            Ok(refused) => Err(format!("refused: {refused}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// redis-rs on one connection for all callers.
#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) connection: MultiplexedConnection,
    pub(crate) call: Call,
}

impl Decider for Plain {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        Call::check(self.call.command(key).query_async::<i64>(&mut self.connection).await)
    }
}

/// Opens a connection with redis-rs's defaults. Nagle's algorithm may delay small writes.
pub(crate) async fn default_connection(url: &str) -> RedisResult<MultiplexedConnection> {
    Client::open(url)?.get_multiplexed_async_connection_with_config(&without_timeout()).await
}

/// Opens a connection without Nagle's algorithm, like the connections of our client.
pub(crate) async fn quick_connection(url: &str) -> RedisResult<MultiplexedConnection> {
    let info = Client::open(url)?.get_connection_info().clone();
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    Client::open(info.set_tcp_settings(tcp))?
        .get_multiplexed_async_connection_with_config(&without_timeout())
        .await
}

/// Returns a configuration without a timeout. The default of half a second is too short on a busy machine.
fn without_timeout() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new().set_response_timeout(None)
}

/// A bare socket for one caller. Shows how long a round trip to the server takes.
#[derive(Clone)]
pub(crate) struct Socket {
    stream: Arc<Mutex<TcpStream>>,
    call: Call,
}

impl Socket {
    pub(crate) async fn open(port: u16, call: Call) -> std::io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: Arc::new(Mutex::new(stream)), call })
    }
}

impl Decider for Socket {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        let call = self.call.command(key).get_packed_command();
        let mut stream = self.stream.lock().await;
        stream.write_all(&call).await.map_err(|error| error.to_string())?;
        let (mut reply, mut length) = ([0; 64], 0);
        while !reply[..length].ends_with(b"\r\n") {
            let read = stream.read(&mut reply[length..]).await.map_err(|error| error.to_string())?;
            if read == 0 {
                return Err("the server closed the connection, or its reply is too long".to_owned());
            }
            length += read;
        }
        let integer = redis::parse_redis_value(&reply[..length])
            .and_then(|value| redis::from_redis_value::<i64>(value).map_err(RedisError::from));
        Call::check(integer)
    }
}
