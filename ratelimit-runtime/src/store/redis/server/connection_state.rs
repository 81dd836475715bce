//! The state of a session's connection.

use super::breaker::Breaker;
use super::under_way::UnderWay;
use crate::error::Error;
use crate::store::redis::connect::Connection;
use std::time::Duration;
use tokio::time::Instant;

/// The connection of one session, with its circuit breaker.
#[derive(Default)]
pub(super) struct State {
    /// The last connection. It may be closed, and its server may be silent or too slow.
    pub(super) connection: Option<Connection>,
    /// A task that connects, or that tests the connection.
    pub(super) attempt: Option<UnderWay<Attempted>>,
    pub(super) breaker: Breaker,
    /// The error with which calls fail: the error of the last attempt, or the error that reports missed deadlines.
    pub(super) error: Option<Error>,
    /// The longest of the deadlines that were missed in a row, if there were too many. The server must reply within this time.
    pub(super) slow: Option<Duration>,
    /// The time at which a missed deadline was last counted.
    pub(super) missed: Option<Instant>,
    /// The time at which the first call began that has missed its deadline while nothing was heard.
    pub(super) silent_since: Option<Instant>,
    /// Whether scripts on this connection may touch undeclared keys of several slots. `None`: not known.
    pub(super) any_slot: Option<bool>,
}

impl State {
    /// Returns the connection if it is open.
    pub(super) fn open(&self) -> Option<&Connection> {
        self.connection.as_ref().filter(|connection| connection.is_open())
    }

    /// Returns the attempt that is under way.
    pub(super) fn attempt(&self) -> Option<UnderWay<Attempted>> {
        self.attempt.as_ref().filter(|attempt| attempt.is_alive()).cloned()
    }
}

/// The result of an attempt to connect, or of a test of the connection.
pub(super) type Attempted = Result<Connection, Error>;
