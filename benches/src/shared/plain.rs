//! One EVALSHA per call, of the script that ours sends for a lone request: by redis-rs over one connection, and over a
//! bare socket.

use super::crowd::Asker;
use ratelimit::{__testing, Limit};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, RedisError, RedisResult};
use std::error::Error;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Mutex;

/// The call for a key, and how its answer is understood. For counters and token buckets whose count and time have no
/// common divisor.
#[derive(Clone)]
pub(crate) struct Call {
    limit: &'static Limit,
    digest: Arc<str>,
    /// In front of the key, so that nobody meets the keys of somebody else.
    who: &'static str,
}

impl Call {
    /// The server learns the script.
    pub(crate) fn load(
        server: &mut redis::Connection,
        limit: &'static Limit,
        who: &'static str,
    ) -> Result<Self, Box<dyn Error>> {
        let name = limit.algorithm().as_str();
        let text = __testing::single_scripts().into_iter().find(|(known, _)| *known == name);
        let (_, text) = text.ok_or("no such script")?;
        let digest: String = redis::cmd("SCRIPT").arg("LOAD").arg(text).query(server)?;
        Ok(Self { limit, digest: digest.into(), who })
    }

    pub(crate) fn command(&self, key: u64) -> Cmd {
        let mut call = redis::cmd("EVALSHA");
        let name = self.limit.algorithm().as_str();
        call.arg(&*self.digest).arg(1).arg(format!("{}:{{{key}}}:bench:{name}", self.who));
        call.arg(self.limit.count()).arg(u64::try_from(self.limit.time().as_millis()).unwrap_or(u64::MAX));
        if name == "token_bucket" {
            call.arg(self.limit.capacity());
        }
        call.arg(1);
        call
    }

    /// The answer is one integer, below zero where the call is refused.
    pub(crate) fn judge(answer: Result<i64, impl ToString>) -> Result<(), String> {
        match answer {
            Ok(0..) => Ok(()),
            Ok(refused) => Err(format!("refused: {refused}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// One connection for all callers.
#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) connection: MultiplexedConnection,
    pub(crate) call: Call,
}

impl Asker for Plain {
    async fn ask(&mut self, key: u64) -> Result<(), String> {
        Call::judge(self.call.command(key).query_async::<i64>(&mut self.connection).await)
    }
}

/// A connection as redis-rs makes it: small writes may wait for each other.
pub(crate) async fn default_connection(url: &str) -> RedisResult<MultiplexedConnection> {
    Client::open(url)?.get_multiplexed_async_connection_with_config(&patient()).await
}

/// A connection as ours is: they never wait.
pub(crate) async fn quick_connection(url: &str) -> RedisResult<MultiplexedConnection> {
    let info = Client::open(url)?.get_connection_info().clone();
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    Client::open(info.set_tcp_settings(tcp))?.get_multiplexed_async_connection_with_config(&patient()).await
}

/// Half a second would be too short where other work has the processors.
fn patient() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new().set_response_timeout(None)
}

/// A bare socket, for one caller: what the way to the server and back takes.
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

impl Asker for Socket {
    async fn ask(&mut self, key: u64) -> Result<(), String> {
        let call = self.call.command(key).get_packed_command();
        let mut stream = self.stream.lock().await;
        stream.write_all(&call).await.map_err(|error| error.to_string())?;
        let (mut answer, mut length) = ([0; 64], 0);
        while !answer[..length].ends_with(b"\r\n") {
            let read = stream.read(&mut answer[length..]).await.map_err(|error| error.to_string())?;
            if read == 0 {
                return Err("the server has hung up, or says more than a number".to_owned());
            }
            length += read;
        }
        let integer = redis::parse_redis_value(&answer[..length])
            .and_then(|value| redis::from_redis_value::<i64>(value).map_err(RedisError::from));
        Call::judge(integer)
    }
}
