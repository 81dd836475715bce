//! One server, and the sessions that the runtimes of this process have with it.

use super::address::Address;
use super::failure;
use super::per_runtime::PerRuntime;
use super::session::Session;
use super::way::Way;
use crate::error::{Error, ErrorKind};
use crate::store::Awaited;
use redis::{Cmd, RedisError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(super) struct Node {
    way: Arc<Way>,
    sessions: PerRuntime<Session>,
    /// How many sessions find the server unavailable or too slow.
    ill: Arc<AtomicUsize>,
    knows_adjust: AtomicBool,
}

/// Why there is no answer that can be used.
pub(super) enum Failed {
    /// Nothing was sent.
    Connect(Error),
    /// Nothing was sent: the runtime that was connecting has shut down.
    Lost(Arc<Session>),
    /// The server's error, or the connection's.
    Answer(Arc<Session>, RedisError),
}

impl Failed {
    pub(super) fn explain(self) -> Error {
        match self {
            Self::Connect(error) => error,
            Self::Lost(session) => session.address().error(
                ErrorKind::Unavailable,
                "lost the attempt to reach",
                "its runtime has shut down; try again",
            ),
            Self::Answer(session, error) => failure::explain(session.address(), &error),
        }
    }
}

impl Node {
    pub(super) fn new(way: Way) -> Arc<Self> {
        Arc::new(Self {
            way: Arc::new(way),
            sessions: PerRuntime::default(),
            ill: Arc::default(),
            knows_adjust: AtomicBool::new(false),
        })
    }

    pub(super) fn address(&self) -> &Address {
        self.way.address()
    }

    /// The session of the current runtime.
    ///
    /// # Errors
    ///
    /// Outside of a runtime.
    pub(super) fn session(&self) -> Result<Arc<Session>, Error> {
        self.sessions.current(|| Session::new(&self.way, &self.ill))
    }

    /// Sends a command for a caller that waits for the answer.
    pub(super) async fn ask(&self, command: &Cmd, awaited: &Awaited) -> Result<Value, Failed> {
        match self.session().map_err(Failed::Connect)?.ask(command, awaited).await {
            // The caller is polled by another runtime now.
            Err(Failed::Lost(_)) => self.session().map_err(Failed::Connect)?.ask(command, awaited).await,
            answer => answer,
        }
    }

    /// Whether the current runtime has a connection that can be used now.
    pub(super) fn is_open(&self) -> bool {
        self.sessions.existing().is_some_and(|session| session.is_open())
    }

    /// Whether any runtime has a connection that can be used now.
    pub(super) fn is_open_anywhere(&self) -> bool {
        self.sessions.any(Session::is_open)
    }

    /// The error to return at once, while the server is known to be unavailable or too slow.
    pub(super) fn away(&self) -> Option<Error> {
        // The usual answer needs no look at the sessions.
        if self.ill.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.sessions.existing()?.away()
    }

    /// Whether the server has answered to the digest of the script that adjusts.
    pub(super) fn knows_adjust(&self) -> bool {
        self.knows_adjust.load(Ordering::Relaxed)
    }

    pub(super) fn has_learned_adjust(&self) {
        self.knows_adjust.store(true, Ordering::Relaxed);
    }
}
