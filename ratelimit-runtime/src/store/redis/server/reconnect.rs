//! The connection of one runtime to one server: made anew when it breaks, and spared while the server is too slow.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::connection::Connection;
use crate::store::redis::connect::connector::Way;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::connect::health::PATIENCE;
use crate::store::redis::server::breaker::Breaker;
use crate::store::redis::server::slow_calls::Pace;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A connection: open, being made, or away.
pub(crate) struct Link(Arc<Inner>);

struct Inner {
    way: Arc<Way>,
    state: Mutex<State>,
    /// Calls are told at once. What the state says too, without its lock.
    is_ill: AtomicBool,
    /// The number of links to this server of which the same is true.
    all_ill: Arc<AtomicUsize>,
    pace: Pace,
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
    /// Open, but answers have come too late for everybody.
    Slow(Slow),
    /// One attempt is under way, in a task of its own.
    Connecting(watch::Receiver<Option<Outcome>>),
}

#[derive(Clone)]
struct Slow {
    connection: Connection,
    /// Within this time, an answer would have been in time.
    patience: Duration,
}

type Outcome = Result<Connection, Error>;

impl Link {
    pub(crate) fn new(way: &Arc<Way>, all_ill: &Arc<AtomicUsize>) -> Self {
        let state = State { link: Linked::No, breaker: Breaker::default(), error: None };
        Self(Arc::new(Inner {
            way: Arc::clone(way),
            state: Mutex::new(state),
            is_ill: AtomicBool::new(false),
            all_ill: Arc::clone(all_ill),
            pace: Pace::default(),
        }))
    }

    /// Where it leads.
    pub(crate) fn address(&self) -> &Address {
        self.0.way.address()
    }

    /// The open connection, or one that is made now; an error at once while the server is known to be unavailable.
    /// `None` if the runtime has shut down before there was one.
    pub(crate) async fn get(&self) -> Option<Outcome> {
        let mut outcome = match self.0.with(|state| self.look(state)) {
            Look::Open(connection) => return Some(Ok(connection)),
            Look::Away(error) => return Some(Err(error)),
            Look::Wait(outcome) => outcome,
        };
        outcome.wait_for(Option::is_some).await.ok()?.clone()
    }

    /// What a call would be told at once. Then it need not stand behind those that wait in vain already.
    pub(crate) fn away(&self) -> Option<Error> {
        if !self.0.is_ill.load(Ordering::Relaxed) {
            return None;
        }
        match self.0.with(|state| self.look(state)) {
            Look::Away(error) => Some(error),
            Look::Open(_) | Look::Wait(_) => None,
        }
    }

    /// Whether there is a connection that can be used now.
    pub(crate) fn is_open(&self) -> bool {
        self.0.with(|state| matches!(&state.link, Linked::Open(connection) if connection.health().is_open()))
    }

    /// Notes that a caller has received an answer in time.
    pub(crate) fn kept(&self) {
        self.0.pace.kept();
    }

    /// Notes that a caller has given up after this time.
    pub(crate) fn missed(&self, deadline: Duration) {
        if let Some(patience) = self.0.pace.missed(deadline) {
            self.fell_slow(patience);
        }
    }

    fn look(&self, state: &mut State) -> Look {
        let mut slow = None;
        match &state.link {
            Linked::Open(connection) if connection.health().is_open() => {
                return Look::Open(connection.clone());
            }
            Linked::Connecting(outcome) if state.is_tried() => {
                let outcome = outcome.clone();
                return if state.breaker.lets_wait() {
                    Look::Wait(outcome)
                } else {
                    Look::Away(self.why(state))
                };
            }
            Linked::Slow(held) if held.connection.health().is_open() => slow = Some(held.clone()),
            Linked::No | Linked::Open(_) | Linked::Slow(_) | Linked::Connecting(_) => {}
        }
        let now = Instant::now();
        if !state.breaker.lets_try(now) {
            return Look::Away(self.why(state));
        }
        let (sender, outcome) = watch::channel(None);
        state.link = Linked::Connecting(outcome.clone());
        tokio::spawn(attempt(Arc::clone(&self.0), slow, sender, now, state.breaker.patience()));
        if state.breaker.lets_wait() { Look::Wait(outcome) } else { Look::Away(self.why(state)) }
    }

    fn why(&self, state: &State) -> Error {
        state.error.clone().unwrap_or_else(|| {
            self.address().error(ErrorKind::Unavailable, "no answer from", "it has fallen silent")
        })
    }

    /// Too many callers have given up.
    fn fell_slow(&self, patience: Duration) {
        self.0.with(|state| {
            if !state.breaker.lets_wait() {
                return;
            }
            if let Linked::Open(connection) = &state.link {
                state.link = Linked::Slow(Slow { connection: connection.clone(), patience });
                state.error = Some(self.0.too_slow(patience));
            }
            state.breaker.fell_ill();
        });
    }
}

impl State {
    /// Whether an attempt is under way; one that is lost with its runtime is not.
    fn is_tried(&self) -> bool {
        let Linked::Connecting(outcome) = &self.link else { return false };
        outcome.has_changed().is_ok() || outcome.borrow().is_some()
    }
}

impl Inner {
    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut state);
        self.set_ill(!state.breaker.lets_wait());
        result
    }

    fn set_ill(&self, ill: bool) {
        match (self.is_ill.swap(ill, Ordering::Relaxed), ill) {
            (false, true) => drop(self.all_ill.fetch_add(1, Ordering::Relaxed)),
            (true, false) => drop(self.all_ill.fetch_sub(1, Ordering::Relaxed)),
            _ => {}
        }
    }

    fn too_slow(&self, patience: Duration) -> Error {
        let what = format!("it answers later than within {patience:?}, after which its callers give up");
        self.way.address().error(ErrorKind::Unavailable, "cannot wait for", what)
    }

    /// Asks a server that was too slow for a sign of life.
    async fn probe(&self, slow: &Slow) -> Outcome {
        let (asked, mut connection) = (Instant::now(), slow.connection.clone());
        let answer = tokio::time::timeout(PATIENCE.max(slow.patience), connection.lives()).await;
        match answer {
            Ok(Ok(())) if asked.elapsed() <= slow.patience => return Ok(connection),
            // Late, but there.
            Ok(_) => {}
            Err(_) => connection.health().give_up(),
        }
        Err(self.too_slow(slow.patience))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.set_ill(false);
    }
}

enum Look {
    Open(Connection),
    Wait(watch::Receiver<Option<Outcome>>),
    Away(Error),
}

/// Connects in a task of its own, so that a caller that gives up does not take the attempt along.
async fn attempt(
    link: Arc<Inner>,
    slow: Option<Slow>,
    sender: watch::Sender<Option<Outcome>>,
    began: Instant,
    patience: Duration,
) {
    let outcome = match &slow {
        Some(slow) => link.probe(slow).await,
        None => tokio::time::timeout(patience, link.way.connect()).await.unwrap_or_else(|_| {
            let what = format!("no answer within {patience:?}");
            Err(link.way.address().error(ErrorKind::Unavailable, "cannot reach", what))
        }),
    };
    link.with(|state| match &outcome {
        Ok(connection) => {
            state.breaker.succeeded();
            state.link = Linked::Open(connection.clone());
            state.error = None;
            link.pace.kept();
        }
        Err(error) => {
            state.breaker.failed(began, chance());
            state.link = slow.map_or(Linked::No, Linked::Slow);
            state.error = Some(error.clone());
        }
    });
    let _ = sender.send(Some(outcome));
}

/// From 0 to 1000.
fn chance() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    let [a, b, ..] = RandomState::new().hash_one(0).to_le_bytes();
    u32::from(u16::from_le_bytes([a, b])) % 1001
}
