//! The state of a session's connection.

use super::breaker::Breaker;
use super::under_way::UnderWay;
use crate::error::Error;
use crate::store::redis::connect::Connection;
use std::time::Duration;

/// The connection of one session, with its circuit breaker. A connection that has broken is replaced.
#[derive(Default)]
pub(super) struct State {
    pub(super) connection: ConnectionState,
    pub(super) breaker: Breaker,
    /// The error with which calls fail: the error of the last attempt, or the error that reports missed deadlines.
    pub(super) error: Option<Error>,
    /// Whether scripts on this connection may touch undeclared keys of several slots. `None`: not known.
    pub(super) any_slot: Option<bool>,
}

#[derive(Default)]
pub(super) enum ConnectionState {
    /// Nothing was tried yet, or the last attempt has failed.
    #[default]
    None,
    Open(Connection),
    /// The connection is open, but its replies miss the callers' deadlines. The duration is the longest of these deadlines.
    Slow(Connection, Duration),
    /// A task connects or probes.
    Connecting(UnderWay<Attempted>),
}

/// The result of an attempt to connect, or of a probe.
pub(super) type Attempted = Result<Connection, Error>;
