//! The connection of a session: reconnects after it has broken, and protects a server that is too slow.

mod attempt;

use super::breaker::Breaker;
use super::slow_calls::SlowCalls;
use super::under_way::UnderWay;
use super::unhealthy::{UnhealthyFlag, UnhealthySessions};
use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::{AnySlot, Connection, Connector, Endpoint};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The connection of one session, which is replaced after it has broken.
pub(crate) struct SessionConnection(Arc<Inner>);

struct Inner {
    connector: Arc<Connector>,
    state: Mutex<State>,
    /// Whether calls fail at once. It repeats the breaker's state.
    unhealthy: UnhealthyFlag,
    slow_calls: SlowCalls,
}

struct State {
    connection: ConnectionState,
    breaker: Breaker,
    /// Why calls fail: the error of the last attempt, or of the missed deadlines.
    error: Option<Error>,
}

enum ConnectionState {
    /// Nothing was tried yet, or the last attempt has failed.
    None,
    Open(Connection),
    /// The connection is open, but its replies miss the callers' deadlines.
    Slow(SlowConnection),
    /// A task connects or probes.
    Connecting(UnderWay<Attempted>),
}

#[derive(Clone)]
struct SlowConnection {
    connection: Connection,
    /// The longest deadline of the calls that missed theirs.
    deadline: Duration,
}

/// The result of an attempt to connect, or of a probe.
type Attempted = Result<Connection, Error>;

/// The next step of a call.
enum Access {
    Open(Connection),
    Wait(UnderWay<Attempted>),
    Unavailable(Error),
}

impl SessionConnection {
    pub(super) fn new(connector: &Arc<Connector>, unhealthy: &UnhealthySessions) -> Self {
        let state = State { connection: ConnectionState::None, breaker: Breaker::default(), error: None };
        Self(Arc::new(Inner {
            connector: Arc::clone(connector),
            state: Mutex::new(state),
            unhealthy: unhealthy.flag(),
            slow_calls: SlowCalls::default(),
        }))
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.0.connector.endpoint()
    }

    /// Returns the open connection, or waits for a new one. Returns an error at once while the server is unhealthy, and `None`
    /// if the runtime has shut down before the attempt ended.
    pub(super) async fn get(&self) -> Option<Attempted> {
        let outcome = match self.0.with(|state| self.access(state)) {
            Access::Open(connection) => return Some(Ok(connection)),
            Access::Unavailable(error) => return Some(Err(error)),
            Access::Wait(outcome) => outcome,
        };
        outcome.result().await
    }

    /// Returns the error with which a call fails at once. Such a call does not enter the queue.
    pub(super) fn unavailable(&self) -> Option<Error> {
        if !self.0.unhealthy.get() {
            return None;
        }
        match self.0.with(|state| self.access(state)) {
            Access::Unavailable(error) => Some(error),
            Access::Open(_) | Access::Wait(_) => None,
        }
    }

    /// Waits for the attempt to reach an unhealthy server, if one is under way or due. A call would fail at once instead.
    /// Returns the error of a server that stays unhealthy.
    pub(crate) async fn until_attempted(&self) -> Result<(), Error> {
        let attempt = self.0.with(|state| match (self.access(state), &state.connection) {
            (Access::Unavailable(_), ConnectionState::Connecting(outcome)) => Ok(Some(outcome.clone())),
            (Access::Unavailable(error), _) => Err(error),
            (Access::Wait(outcome), _) => Ok(Some(outcome)),
            (Access::Open(_), _) => Ok(None),
        })?;
        let Some(attempt) = attempt else { return Ok(()) };
        // If the runtime of the attempt has shut down, the next call finds that out.
        attempt.result().await.map_or(Ok(()), |attempted| attempted.map(drop))
    }

    /// Returns whether there is a usable connection.
    pub(super) fn is_connected(&self) -> bool {
        self.0.with(
            |state| matches!(&state.connection, ConnectionState::Open(connection) if connection.health().is_open()),
        )
    }

    /// Returns whether scripts on the open connection may touch keys of several slots, as far as that is known.
    pub(crate) fn any_slot(&self) -> Option<Arc<AnySlot>> {
        self.0.with(|state| match &state.connection {
            ConnectionState::Open(connection) => Some(Arc::clone(connection.any_slot())),
            ConnectionState::None | ConnectionState::Slow(_) | ConnectionState::Connecting(_) => None,
        })
    }

    /// Notes that a caller has received a reply in time.
    pub(super) fn received_in_time(&self) {
        self.0.slow_calls.reset();
    }

    /// Notes that a caller has given up after `deadline`. Opens the circuit breaker after too many in a row, and probes the server.
    pub(super) fn missed_deadline(&self, deadline: Duration) {
        if let Some(deadline) = self.0.slow_calls.missed(deadline) {
            self.0.with(|state| {
                if !state.breaker.is_closed() {
                    return;
                }
                if let ConnectionState::Open(connection) = &state.connection {
                    state.connection =
                        ConnectionState::Slow(SlowConnection { connection: connection.clone(), deadline });
                    state.error = Some(self.0.connector.endpoint().no_reply(deadline));
                }
                state.breaker.trip();
            });
            let _ = self.unavailable();
        }
    }

    /// Determines what a call can do. Starts an attempt if one is needed and allowed.
    fn access(&self, state: &mut State) -> Access {
        let mut slow = None;
        match &state.connection {
            ConnectionState::Open(connection) if connection.health().is_open() => {
                return Access::Open(connection.clone());
            }
            ConnectionState::Connecting(outcome) if outcome.is_alive() => {
                let outcome = outcome.clone();
                return self.wait_or_fail(state, outcome);
            }
            ConnectionState::Slow(current) if current.connection.health().is_open() => {
                slow = Some(current.clone());
            }
            ConnectionState::None
            | ConnectionState::Open(_)
            | ConnectionState::Slow(_)
            | ConnectionState::Connecting(_) => {}
        }
        let now = Instant::now();
        if !state.breaker.allows_attempt(now) {
            return Access::Unavailable(self.last_error(state));
        }
        let (ending, outcome) = UnderWay::start();
        state.connection = ConnectionState::Connecting(outcome.clone());
        let timeout = state.breaker.attempt_timeout();
        tokio::spawn(attempt::attempt(Arc::clone(&self.0), slow, ending, now, timeout));
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
}

impl Inner {
    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        let result = act(&mut state);
        self.unhealthy.set(!state.breaker.is_closed());
        result
    }
}
