//! A node: the client's view of one server, with a session for each runtime.

use super::per_runtime::PerRuntime;
use super::session::{SendError, Session};
use crate::error::Error;
use crate::store::Awaited;
use crate::store::redis::connect::{Connector, Endpoint};
use redis::{Cmd, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(crate) struct Node {
    connector: Arc<Connector>,
    sessions: PerRuntime<Session>,
    /// The number of sessions that find the server unhealthy: unavailable, or too slow for its callers.
    unhealthy: Arc<AtomicUsize>,
    /// Whether the server has executed the script `adjust` before, and so has it in its script cache.
    pub(crate) knows_adjust: AtomicBool,
}

impl Node {
    pub(crate) fn new(connector: Connector) -> Arc<Self> {
        Arc::new(Self {
            connector: Arc::new(connector),
            sessions: PerRuntime::default(),
            unhealthy: Arc::default(),
            knows_adjust: AtomicBool::new(false),
        })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.connector.endpoint()
    }

    /// Returns the session of the current runtime.
    ///
    /// # Errors
    ///
    /// Returns an error outside of a runtime, and in a runtime without timers.
    pub(crate) fn session(&self) -> Result<Arc<Session>, Error> {
        self.sessions.current(|runtime| Session::new(runtime, &self.connector, &self.unhealthy))
    }

    /// Sends a command for a caller that waits for the reply.
    pub(crate) async fn call(&self, command: &Cmd, awaited: &Awaited) -> Result<Value, SendError> {
        match self.session().map_err(SendError::NotConnected)?.call(command, awaited).await {
            // The runtime of that session has shut down, and another runtime polls this call now. So the call uses the session
            // of this other runtime.
            Err(SendError::RuntimeGone(_)) => {
                self.session().map_err(SendError::NotConnected)?.call(command, awaited).await
            }
            reply => reply,
        }
    }

    /// Returns whether the current runtime has a usable connection.
    pub(crate) fn is_connected(&self) -> bool {
        self.sessions.existing().is_some_and(|session| session.is_connected())
    }

    /// Returns whether any runtime has a usable connection.
    pub(crate) fn is_connected_anywhere(&self) -> bool {
        self.sessions.any(Session::is_connected)
    }

    /// Returns the error with which calls fail at once while the current runtime finds the server unhealthy. `None` if calls
    /// may continue.
    pub(crate) fn unavailable(&self) -> Option<Error> {
        // Nearly always, no session is unhealthy. The lookup of the session is skipped then.
        if self.unhealthy.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.sessions.existing()?.unavailable()
    }
}
