//! The connection of a session: reconnects after it has broken, and protects a server that is too slow.

use super::breaker::random_jitter;
use super::connection_state::{Attempted, ConnectionState, State};
use super::session::{SendError, Session};
use super::under_way::{Ending, UnderWay};
use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::{Connection, UNRESPONSIVE_AFTER};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// The next step of a call.
enum Access {
    Open(Connection),
    Wait(UnderWay<Attempted>),
    Unavailable(Error),
}

impl Session {
    /// Returns the open connection, or waits for a new one. Returns an error at once while the server is unhealthy.
    pub(super) async fn connected(&self) -> Result<Connection, SendError> {
        let outcome = match self.with(|state| self.access(state)) {
            Access::Open(connection) => return Ok(connection),
            Access::Unavailable(error) => return Err(SendError::NotConnected(error)),
            Access::Wait(outcome) => outcome,
        };
        let Some(attempted) = outcome.result().await else {
            let why = "the runtime that was connecting has shut down; try the call again";
            let error = self.endpoint().error(ErrorKind::Unavailable, "cannot connect to", why);
            return Err(SendError::RuntimeGone(error));
        };
        attempted.map_err(SendError::NotConnected)
    }

    /// Returns the error with which calls fail at once while the server is unhealthy, without entering the queue. `None` if the
    /// server is healthy, or if calls wait for an attempt to reach it.
    pub(super) fn unavailable(&self) -> Option<Error> {
        if !self.is_unhealthy() {
            return None;
        }
        match self.with(|state| self.access(state)) {
            Access::Unavailable(error) => Some(error),
            Access::Open(_) | Access::Wait(_) => None,
        }
    }

    /// If an attempt to reach an unhealthy server is under way or due, waits for the end of the attempt. Returns an error if
    /// the server stays unhealthy. Normal calls do not wait like this: they fail at once.
    pub(crate) async fn until_attempted(&self) -> Result<(), Error> {
        let attempt = self.with(|state| match (self.access(state), &state.connection) {
            (Access::Unavailable(_), ConnectionState::Connecting(outcome)) => Ok(Some(outcome.clone())),
            (Access::Unavailable(error), _) => Err(error),
            (Access::Wait(outcome), _) => Ok(Some(outcome)),
            (Access::Open(_), _) => Ok(None),
        })?;
        let Some(attempt) = attempt else { return Ok(()) };
        // If the runtime of the attempt has shut down, there is no result. The next call notices this, so it is not an error
        // here.
        attempt.result().await.map_or(Ok(()), |attempted| attempted.map(drop))
    }

    /// Returns whether there is a usable connection.
    pub(super) fn is_connected(&self) -> bool {
        self.with(|state| matches!(&state.connection, ConnectionState::Open(open) if open.is_open()))
    }

    /// Returns whether scripts on the connection may touch undeclared keys of several slots. `None`: not known.
    pub(crate) fn any_slot(&self) -> Option<bool> {
        self.with(|state| state.any_slot)
    }

    pub(crate) fn set_any_slot(&self, permitted: Option<bool>) {
        self.with(|state| state.any_slot = permitted);
    }

    /// Opens the circuit breaker and probes the server, because too many calls in a row have missed their deadlines. `deadline`
    /// is the longest of these deadlines.
    pub(super) fn too_slow(&self, deadline: Duration) {
        self.with(|state| {
            if !state.breaker.is_closed() {
                return;
            }
            if let ConnectionState::Open(connection) = &state.connection {
                state.connection = ConnectionState::Slow(connection.clone(), deadline);
                state.error = Some(self.endpoint().no_reply(deadline));
            }
            state.breaker.trip();
        });
        let _ = self.unavailable();
    }

    /// Determines what a call can do. Starts an attempt if one is needed and allowed.
    fn access(&self, state: &mut State) -> Access {
        let mut slow = None;
        match &state.connection {
            ConnectionState::Open(connection) if connection.is_open() => {
                return Access::Open(connection.clone());
            }
            ConnectionState::Connecting(outcome) if outcome.is_alive() => {
                let outcome = outcome.clone();
                return self.wait_or_fail(state, outcome);
            }
            ConnectionState::Slow(connection, deadline) if connection.is_open() => {
                slow = Some((connection.clone(), *deadline));
            }
            _ => {}
        }
        let now = Instant::now();
        if !state.breaker.allows_attempt(now) {
            return Access::Unavailable(self.last_error(state));
        }
        // If there is no strong reference, the session is being dropped.
        let Some(session) = self.me.upgrade() else {
            return Access::Unavailable(self.last_error(state));
        };
        let (ending, outcome) = UnderWay::start();
        state.connection = ConnectionState::Connecting(outcome.clone());
        tokio::spawn(attempt(session, slow, ending, now, state.breaker.attempt_timeout()));
        self.wait_or_fail(state, outcome)
    }

    fn wait_or_fail(&self, state: &State, outcome: UnderWay<Attempted>) -> Access {
        if state.breaker.is_closed() {
            Access::Wait(outcome)
        } else {
            Access::Unavailable(self.last_error(state))
        }
    }

    fn last_error(&self, state: &State) -> Error {
        state.error.clone().unwrap_or_else(|| {
            let why = "earlier calls have missed their deadlines";
            self.endpoint().error(ErrorKind::Unavailable, "no reply from", why)
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        let result = act(&mut state);
        self.set_unhealthy(!state.breaker.is_closed());
        result
    }

    /// Sends `PING` to a server that was too slow. If the reply is late, the server may have become fast again just then, so a
    /// second `PING` shows whether the server is still slow. After a late reply, the connection stays open. Without any reply,
    /// the connection is aborted.
    async fn probe(&self, mut connection: Connection, deadline: Duration) -> Attempted {
        let timeout = UNRESPONSIVE_AFTER.max(deadline);
        for _ in 0..2 {
            let began = Instant::now();
            match tokio::time::timeout(timeout, connection.ping()).await {
                Ok(Ok(())) if began.elapsed() <= deadline => return Ok(connection),
                Ok(Ok(())) => {}
                Ok(Err(_)) => break,
                Err(_) => {
                    connection.abort();
                    break;
                }
            }
        }
        Err(self.endpoint().no_reply(deadline))
    }
}

/// Connects, or probes a slow connection. The attempt runs in a separate task, so that it continues when a caller gives up.
async fn attempt(
    session: Arc<Session>,
    slow: Option<(Connection, Duration)>,
    ending: Ending<Attempted>,
    began: Instant,
    timeout: Duration,
) {
    let outcome = match slow.clone() {
        Some((connection, deadline)) => session.probe(connection, deadline).await,
        None => tokio::time::timeout(timeout, session.connector.connect())
            .await
            .unwrap_or_else(|_| Err(session.endpoint().no_reply(timeout))),
    };
    let pause = session.with(|state| match &outcome {
        Ok(connection) => {
            let connection = ConnectionState::Open(connection.clone());
            *state = State { connection, ..State::default() };
            session.slow_calls.reset();
            None
        }
        Err(error) => {
            state.breaker.failed(began, random_jitter());
            state.connection = slow.map_or(ConnectionState::None, |(connection, deadline)| {
                ConnectionState::Slow(connection, deadline)
            });
            state.error = Some(error.clone());
            Some(state.breaker.pause(Instant::now()))
        }
    });
    if let Some(pause) = pause {
        tokio::spawn(try_again(Arc::downgrade(&session), pause));
    }
    ending.with(outcome);
}

/// Starts the next attempt after a pause, so that the server is found again even without calls. Starts none if a call has
/// started an attempt in the meantime.
async fn try_again(session: Weak<Session>, pause: Duration) {
    tokio::time::sleep(pause).await;
    if let Some(session) = session.upgrade() {
        let _ = session.unavailable();
    }
}
