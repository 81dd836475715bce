//! The connection to one server, made anew when it breaks.

use super::address::Address;
use super::breaker::Breaker;
use super::connection::Connection;
use super::way::Way;
use crate::error::{Error, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A connection: open, being made, or away.
pub(super) struct Link {
    way: Arc<Way>,
    state: Arc<Mutex<State>>,
}

struct State {
    link: Linked,
    breaker: Breaker,
    /// Why the last attempt has failed.
    error: Option<Error>,
}

enum Linked {
    /// Nothing was tried yet, or the last attempt has failed.
    No,
    Open(Connection),
    /// One attempt is under way, in a task of its own.
    Connecting(watch::Receiver<Option<Result<Connection, Error>>>),
}

impl Link {
    pub(super) fn new(way: Way) -> Self {
        let state = State { link: Linked::No, breaker: Breaker::default(), error: None };
        Self { way: Arc::new(way), state: Arc::new(Mutex::new(state)) }
    }

    /// Where it leads.
    pub(super) fn address(&self) -> &Address {
        self.way.address()
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
            _ => Err(self.address().error(ErrorKind::Unavailable, "lost the attempt to reach", "try again")),
        }
    }

    /// Whether there is a connection that can be used now.
    pub(super) fn is_open(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(&state.link, Linked::Open(connection) if connection.health().is_open())
    }

    fn look(&self) -> Look {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &state.link {
            Linked::Open(connection) if connection.health().is_open() => {
                return Look::Open(connection.clone());
            }
            Linked::Open(connection) => {
                if connection.health().fell_silent() {
                    state.breaker.fell_silent();
                }
                state.link = Linked::No;
            }
            Linked::Connecting(outcome) if outcome.has_changed().is_ok() || outcome.borrow().is_some() => {
                let outcome = outcome.clone();
                return if state.breaker.lets_wait() { Look::Wait(outcome) } else { self.away(&state) };
            }
            Linked::No | Linked::Connecting(_) => {}
        }
        let now = Instant::now();
        if !state.breaker.lets_try(now) {
            return self.away(&state);
        }
        let (sender, outcome) = watch::channel(None);
        state.link = Linked::Connecting(outcome.clone());
        let patience = state.breaker.patience();
        tokio::spawn(attempt(Arc::clone(&self.way), Arc::clone(&self.state), sender, now, patience));
        if state.breaker.lets_wait() { Look::Wait(outcome) } else { self.away(&state) }
    }

    fn away(&self, state: &State) -> Look {
        Look::Away(state.error.clone().unwrap_or_else(|| {
            self.address().error(ErrorKind::Unavailable, "no answer from", "it has fallen silent")
        }))
    }
}

enum Look {
    Open(Connection),
    Wait(watch::Receiver<Option<Result<Connection, Error>>>),
    Away(Error),
}

/// Connects in a task of its own, so that a caller that gives up does not take the attempt along.
async fn attempt(
    way: Arc<Way>,
    state: Arc<Mutex<State>>,
    sender: watch::Sender<Option<Result<Connection, Error>>>,
    began: Instant,
    patience: Duration,
) {
    let outcome = tokio::time::timeout(patience, way.connect()).await.unwrap_or_else(|_| {
        let what = format!("no answer within {patience:?}");
        Err(way.address().error(ErrorKind::Unavailable, "cannot reach", what))
    });
    {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match &outcome {
            Ok(connection) => {
                state.breaker.succeeded();
                state.link = Linked::Open(connection.clone());
                state.error = None;
            }
            Err(error) => {
                state.breaker.failed(began, chance());
                state.link = Linked::No;
                state.error = Some(error.clone());
            }
        }
    }
    let _ = sender.send(Some(outcome));
}

/// From 0 to 1000.
fn chance() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    let [a, b, ..] = RandomState::new().hash_one(0).to_le_bytes();
    u32::from(u16::from_le_bytes([a, b])) % 1001
}
