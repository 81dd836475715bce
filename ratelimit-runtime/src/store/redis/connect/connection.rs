//! A connection that many calls use at once.

use crate::store::redis::connect::health::{CloseOnDrop, Health};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Cmd, Pipeline, RedisConnectionInfo, RedisResult, Value};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// A connection that can be used now. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connection {
    wire: Wire,
    health: Arc<Health>,
}

#[derive(Clone)]
enum Wire {
    Own(MultiplexedConnection),
    Handed(Handed),
}

/// Makes clones of a connection that was handed in.
pub(crate) type Handed = Arc<dyn Fn() -> Box<dyn ConnectionLike + Send> + Send + Sync>;

impl Connection {
    /// Says who this is and which database it wants.
    pub(crate) async fn over<S>(settings: &RedisConnectionInfo, stream: S) -> RedisResult<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // Deadlines are the limiter's.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let (multiplexed, driver) = MultiplexedConnection::new_with_config(settings, stream, config).await?;
        let health = Arc::new(Health::default());
        let until_dropped = CloseOnDrop(Arc::clone(&health));
        // The driver ends when the server closes the connection, and is dropped with its runtime: either way the flag
        // falls, and the next call knows, without having sent anything, that it needs a new connection.
        let driver = tokio::spawn(async move {
            let _until_dropped = until_dropped;
            driver.await;
        });
        health.drives(driver.abort_handle());
        Ok(Self { wire: Wire::Own(multiplexed), health })
    }

    pub(crate) fn handed(handed: &Handed) -> Self {
        Self { wire: Wire::Handed(Arc::clone(handed)), health: Arc::default() }
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let answer = match &mut self.wire {
            Wire::Own(multiplexed) => multiplexed.send_packed_command(command).await,
            Wire::Handed(handed) => handed().req_packed_command(command).await,
        };
        self.checked(answer)?.extract_error()
    }

    /// Whether the server answers at all, be it that this is not permitted.
    pub(crate) async fn lives(&mut self) -> RedisResult<()> {
        match self.send(&redis::cmd("PING")).await {
            Err(error) if error.is_io_error() => Err(error),
            _ => Ok(()),
        }
    }

    /// Several commands at once. The answer to each may be an error of its own.
    pub(crate) async fn send_all(&mut self, commands: &Pipeline) -> RedisResult<Vec<RedisResult<Value>>> {
        let number = commands.len();
        let answers = match &mut self.wire {
            Wire::Own(multiplexed) => multiplexed.send_packed_commands(commands, 0, number).await,
            Wire::Handed(handed) => handed().req_packed_commands(commands, 0, number).await,
        };
        Ok(self.checked(answers)?.into_iter().map(Value::extract_error).collect())
    }

    /// Whoever hears first that it is broken says so, lest the next call is lost on it. Nobody else does where it was handed in.
    fn checked<T>(&self, answer: RedisResult<T>) -> RedisResult<T> {
        if let Err(error) = &answer
            && error.is_io_error()
        {
            self.health.close();
        }
        answer
    }
}
