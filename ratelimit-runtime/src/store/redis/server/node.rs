//! One server, and the sessions that the runtimes of this process have with it.

use crate::error::{Error, ErrorKind};
use crate::store::Awaited;
use crate::store::redis::connect::connector::Way;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::errors::failure;
use crate::store::redis::server::per_runtime::PerRuntime;
use crate::store::redis::server::session::Session;
use redis::{Cmd, RedisError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(crate) struct Node {
    way: Arc<Way>,
    sessions: PerRuntime<Session>,
    /// How many sessions find the server unavailable or too slow.
    ill: Arc<AtomicUsize>,
    knows_adjust: AtomicBool,
}

/// Why there is no answer that can be used.
pub(crate) enum Failed {
    /// Nothing was sent.
    Connect(Error),
    /// Nothing was sent: the runtime that was connecting has shut down.
    Lost(Arc<Session>),
    /// The server's error, or the connection's.
    Answer(Arc<Session>, RedisError),
}

impl Failed {
    pub(crate) fn explain(self) -> Error {
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
    pub(crate) fn new(way: Way) -> Arc<Self> {
        Arc::new(Self {
            way: Arc::new(way),
            sessions: PerRuntime::default(),
            ill: Arc::default(),
            knows_adjust: AtomicBool::new(false),
        })
    }

    pub(crate) fn address(&self) -> &Address {
        self.way.address()
    }

    /// The session of the current runtime.
    ///
    /// # Errors
    ///
    /// Outside of a runtime.
    pub(crate) fn session(&self) -> Result<Arc<Session>, Error> {
        self.sessions.current(|| Session::new(&self.way, &self.ill))
    }

    /// Sends a command for a caller that waits for the answer.
    pub(crate) async fn ask(&self, command: &Cmd, awaited: &Awaited) -> Result<Value, Failed> {
        match self.session().map_err(Failed::Connect)?.ask(command, awaited).await {
            // The caller is polled by another runtime now.
            Err(Failed::Lost(_)) => self.session().map_err(Failed::Connect)?.ask(command, awaited).await,
            answer => answer,
        }
    }

    /// Whether the current runtime has a connection that can be used now.
    pub(crate) fn is_open(&self) -> bool {
        self.sessions.existing().is_some_and(|session| session.is_open())
    }

    /// Whether any runtime has a connection that can be used now.
    pub(crate) fn is_open_anywhere(&self) -> bool {
        self.sessions.any(Session::is_open)
    }

    /// The error to return at once, while the server is known to be unavailable or too slow.
    pub(crate) fn away(&self) -> Option<Error> {
        // The usual answer needs no look at the sessions.
        if self.ill.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.sessions.existing()?.away()
    }

    /// Whether the server has answered to the digest of the script that adjusts.
    pub(crate) fn knows_adjust(&self) -> bool {
        self.knows_adjust.load(Ordering::Relaxed)
    }

    pub(crate) fn has_learned_adjust(&self) {
        self.knows_adjust.store(true, Ordering::Relaxed);
    }
}
