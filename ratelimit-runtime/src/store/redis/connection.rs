//! One multiplexed connection, made anew when it breaks.

use super::address::Address;
use super::failure;
use super::health::{CloseOnDrop, Health, Patience};
use crate::error::{Error, ErrorKind};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, ConnectionAddr, RedisResult, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::watch;

/// A connection that can be used now. Cheap to clone.
#[derive(Clone)]
pub(super) struct Connection {
    multiplexed: MultiplexedConnection,
    health: Arc<Health>,
}

impl Connection {
    pub(super) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let patience = Patience::new(Arc::clone(&self.health));
        let answer = self.multiplexed.send_packed_command(command).await;
        patience.rewarded();
        answer?.extract_error()
    }
}

/// The connection of a store: open, being made, or away.
pub(super) struct Link {
    address: Address,
    state: Arc<Mutex<State>>,
}

enum State {
    /// Nothing was tried yet, or an open connection has broken: the next call makes one and waits for it.
    Closed,
    Open(Connection),
    /// One attempt is under way. `wait` says whether calls wait for it.
    Connecting {
        outcome: watch::Receiver<Option<Result<Connection, Error>>>,
        wait: bool,
    },
    /// The last attempt has failed. Calls fail at once, and after `until` one of them starts another attempt.
    Away {
        error: Error,
        until: Instant,
        attempts: u32,
    },
}

/// Longest time for one attempt, and the bounds of the pause between two.
const ATTEMPT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

impl Link {
    pub(super) fn new(address: Address) -> Self {
        Self { address, state: Arc::new(Mutex::new(State::Closed)) }
    }

    /// The open connection, or one that is made now; an error at once while the server is known to be away.
    pub(super) async fn get(&self) -> Result<Connection, Error> {
        let mut outcome = match self.look() {
            Look::Open(connection) => return Ok(connection),
            Look::Away(error) => return Err(error),
            Look::Wait(outcome) => outcome,
        };
        match outcome.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(outcome)) => outcome.clone(),
            // The attempt is gone with its runtime; the next call makes one on its own.
            _ => Err(self.address.error(ErrorKind::Unavailable, "lost the attempt to reach", "try again")),
        }
    }

    /// Whether there is a connection that can be used now.
    pub(super) fn is_open(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(&*state, State::Open(connection) if connection.health.is_open())
    }

    fn look(&self) -> Look {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (attempts, wait, error) = match &*state {
            State::Open(connection) if connection.health.is_open() => {
                return Look::Open(connection.clone());
            }
            State::Connecting { outcome, wait }
                if outcome.has_changed().is_ok() || outcome.borrow().is_some() =>
            {
                return if *wait { Look::Wait(outcome.clone()) } else { Look::Away(self.away()) };
            }
            State::Away { error, until, .. } if Instant::now() < *until => return Look::Away(error.clone()),
            State::Away { error, attempts, .. } => (*attempts, false, Some(error.clone())),
            State::Closed | State::Open(_) | State::Connecting { .. } => (0, true, None),
        };
        let (sender, outcome) = watch::channel(None);
        *state = State::Connecting { outcome: outcome.clone(), wait };
        tokio::spawn(attempt(self.address.clone(), Arc::clone(&self.state), sender, attempts));
        error.map_or(Look::Wait(outcome), Look::Away)
    }

    fn away(&self) -> Error {
        self.address.error(ErrorKind::Unavailable, "still trying to reach", "it was not there a moment ago")
    }
}

enum Look {
    Open(Connection),
    Wait(watch::Receiver<Option<Result<Connection, Error>>>),
    Away(Error),
}

/// Connects in a task of its own, so that a caller that gives up does not take the attempt along.
async fn attempt(
    address: Address,
    state: Arc<Mutex<State>>,
    sender: watch::Sender<Option<Result<Connection, Error>>>,
    attempts: u32,
) {
    let outcome = match tokio::time::timeout(ATTEMPT, connect(&address)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(address.error(ErrorKind::Unavailable, "cannot reach", "no answer within 2 seconds")),
    };
    *state.lock().unwrap_or_else(PoisonError::into_inner) = match &outcome {
        Ok(connection) => State::Open(connection.clone()),
        Err(error) => State::Away {
            error: error.clone(),
            until: Instant::now() + pause(attempts),
            attempts: attempts.saturating_add(1),
        },
    };
    let _ = sender.send(Some(outcome));
}

/// Twice as long after each failure, and up to as much again by chance, so that processes do not return in step.
fn pause(attempts: u32) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let pause = PAUSE.saturating_mul(1 << attempts.min(10)).min(LONGEST_PAUSE);
    let [a, b, ..] = RandomState::new().hash_one(attempts).to_le_bytes();
    let chance = u32::from(u16::from_le_bytes([a, b])) % 1000;
    pause / 2 + pause / 2000 * chance
}

async fn connect(address: &Address) -> Result<Connection, Error> {
    let unreachable = |error: std::io::Error| address.error(ErrorKind::Unavailable, "cannot reach", error);
    match address.connection_addr() {
        ConnectionAddr::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            open(address, stream).await
        }
        #[cfg(unix)]
        ConnectionAddr::Unix(path) => {
            let stream = tokio::net::UnixStream::connect(path).await.map_err(unreachable)?;
            open(address, stream).await
        }
        _ => Err(address.error(
            ErrorKind::Configuration,
            "cannot connect to",
            "this kind of address is not built in",
        )),
    }
}

async fn open<S>(address: &Address, stream: S) -> Result<Connection, Error>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    // Deadlines are the limiter's.
    let config = AsyncConnectionConfig::new().set_response_timeout(None);
    let (multiplexed, driver) = MultiplexedConnection::new_with_config(address.settings(), stream, config)
        .await
        .map_err(|error| failure::explain(address, &error))?;
    let health = Arc::new(Health::default());
    let until_dropped = CloseOnDrop(Arc::clone(&health));
    // The driver ends when the server closes the connection, and is dropped with its runtime: either way the flag
    // falls, and the next call knows, without having sent anything, that it needs a new connection.
    tokio::spawn(async move {
        let _until_dropped = until_dropped;
        driver.await;
    });
    Ok(Connection { multiplexed, health })
}
