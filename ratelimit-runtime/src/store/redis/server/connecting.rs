//! The connection of a session: reconnects after it has broken, tests it after a silence, and protects a server that is too slow.

use super::breaker::random_jitter;
use super::connection_state::{Attempted, State};
use super::session::{SendError, Session};
use super::under_way::{Ending, UnderWay};
use crate::clock;
use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::{Borrowed, Connection, UNRESPONSIVE_AFTER};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::Poll;
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
        let attempt = self.with(|state| match (self.access(state), state.attempt()) {
            (Access::Unavailable(_), Some(attempt)) | (Access::Wait(attempt), _) => Ok(Some(attempt)),
            (Access::Unavailable(error), None) => Err(error),
            (Access::Open(_), _) => Ok(None),
        })?;
        let Some(attempt) = attempt else { return Ok(()) };
        // If the runtime of the attempt has shut down, there is no result. The next call notices this, so it is not an error
        // here.
        attempt.result().await.map_or(Ok(()), |attempted| attempted.map(drop))
    }

    /// Returns whether there is a usable connection.
    pub(super) fn is_connected(&self) -> bool {
        self.with(|state| state.breaker.is_closed() && state.open().is_some())
    }

    /// Borrows the socket of the open connection, for the task of the session. Returns whether it is a new one.
    pub(crate) fn borrow_socket(&self, borrowed: &mut Option<Borrowed>) -> bool {
        let state = self.state.lock();
        let io = state.open().and_then(Connection::io);
        let is_same = matches!((&*borrowed, io), (Some(borrowed), Some(io)) if borrowed.is(io));
        if !is_same {
            *borrowed = io.map(Borrowed::new);
        }
        !is_same
    }

    /// Returns whether scripts on the connection may touch undeclared keys of several slots. `None`: not known.
    pub(crate) fn any_slot(&self) -> Option<bool> {
        self.with(|state| state.any_slot)
    }

    pub(crate) fn set_any_slot(&self, permitted: Option<bool>) {
        self.with(|state| state.any_slot = permitted);
    }

    /// Notes that a caller has given up after `deadline`. `counts` says whether it has waited for a decision.
    ///
    /// The calls of one pause of the server miss their deadlines together, so only the first of them counts. After too many
    /// missed deadlines in a row, the circuit breaker opens. If the server was not heard since the call began, the connection
    /// may be dead, so it is tested at once. This also holds for a call that does not count: the server may have been heard just
    /// after the first of these calls began.
    pub(super) fn missed(&self, deadline: Duration, counts: bool) {
        let now = Instant::now();
        let began = now.checked_sub(deadline).unwrap_or(now);
        self.with(|state| {
            let is_first = state.missed.is_none_or(|last| began >= last);
            if is_first {
                state.missed = Some(now);
            }
            if let Some(longest) = (counts && is_first).then(|| self.slow_calls.missed(deadline)).flatten()
                && state.breaker.is_closed()
            {
                state.breaker.trip();
                (state.slow, state.error) = (Some(longest), Some(self.endpoint().no_reply(longest)));
            }
            let is_silent = state.open().is_some_and(|open| !open.traffic().was_heard_after(began));
            if is_silent && state.silent_since.is_none() {
                state.silent_since = Some(began);
            }
            let is_closed = state.breaker.is_closed();
            if state.attempt().is_none() && if is_closed { is_silent } else { is_first } {
                let fails = (began + SILENT).max(now + deadline);
                let _ = self.begin_attempt(state, Some((fails, deadline)));
            }
        });
    }

    /// Determines what a call can do. Starts an attempt if one is needed and allowed.
    fn access(&self, state: &mut State) -> Access {
        if let Some(attempt) = state.attempt() {
            return self.wait_or_fail(state, attempt);
        }
        if state.breaker.is_closed()
            && let Some(open) = state.open().filter(|open| open.traffic().is_trusted())
        {
            return Access::Open(open.clone());
        }
        match self.begin_attempt(state, None) {
            Some(attempt) => self.wait_or_fail(state, attempt),
            None => Access::Unavailable(self.last_error(state)),
        }
    }

    /// Starts an attempt if one is allowed. If the connection is open, the attempt tests it. `fails`: after a missed deadline, the
    /// time at which the test has failed if the server is still silent.
    fn begin_attempt(
        &self,
        state: &mut State,
        fails: Option<(Instant, Duration)>,
    ) -> Option<UnderWay<Attempted>> {
        let now = Instant::now();
        // If there is no strong reference, the session is being dropped.
        let session = self.me.upgrade().filter(|_| state.breaker.allows_attempt(now))?;
        let test = state.open().cloned().map(|open| {
            let silent = state.silent_since.filter(|since| !open.traffic().was_heard_after(*since));
            // A call waits for the test of an idle connection, so the connection has little time to show that it lives. A
            // server that was too slow has more time, because a new connection would be as slow.
            let is_idle = state.breaker.is_closed() && fails.is_none();
            let patience = if is_idle { HEAD_START } else { UNRESPONSIVE_AFTER };
            Test { open, since: silent.unwrap_or(now), patience, fails }
        });
        let (ending, outcome) = UnderWay::start();
        state.attempt = Some(outcome.clone());
        self.runtime.spawn(attempt(session, test, ending, now, state.breaker.attempt_timeout()));
        Some(outcome)
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

    /// Tests a connection that was idle, silent or too slow. If nothing is heard, also connects anew, because a firewall may have
    /// forgotten the connection. The first of both that replies is used.
    async fn test(&self, test: Test, timeout: Duration) -> Attempted {
        let Test { open, mut since, patience, mut fails } = test;
        let mut on_open = pin!(self.replies(open.clone()));
        loop {
            let anew = since + patience;
            let look = fails.map_or(anew, |(fails, _)| anew.min(fails));
            match clock::until(look, on_open.as_mut()).await {
                // The connection has broken or was aborted, so nothing is lost by a new one.
                Some(Err(_)) if !open.is_open() => return self.connect(timeout).await,
                Some(replied) => return replied,
                // The server is slow, but not silent.
                None if open.traffic().was_heard_after(since) => (since, fails) = (Instant::now(), None),
                None => match fails {
                    Some((fails, deadline)) if fails < anew => {
                        return Err(self.endpoint().no_reply(deadline));
                    }
                    _ => break,
                },
            }
        }
        let mut anew = pin!(async { self.replies(self.connect(timeout).await?).await });
        let (mut failed_open, mut failed_anew) = (None, None);
        poll_fn(|context| {
            if failed_open.is_none()
                && let Poll::Ready(replied) = on_open.as_mut().poll(context)
            {
                match replied {
                    Ok(open) => return Poll::Ready(Ok(open)),
                    Err(error) => failed_open = Some(error),
                }
            }
            if failed_anew.is_none()
                && let Poll::Ready(replied) = anew.as_mut().poll(context)
            {
                match replied {
                    Ok(connection) => {
                        open.abort();
                        return Poll::Ready(Ok(connection));
                    }
                    Err(error) => failed_anew = Some(error),
                }
            }
            match (&failed_open, &failed_anew) {
                (Some(_), Some(error)) => Poll::Ready(Err(error.clone())),
                _ => Poll::Pending,
            }
        })
        .await
    }

    async fn connect(&self, timeout: Duration) -> Attempted {
        let connected = clock::until(Instant::now() + timeout, Box::pin(self.connector.connect())).await;
        connected.unwrap_or_else(|| Err(self.endpoint().no_reply(timeout)))
    }

    /// Sends `PING`. If the reply is late, the server may have become fast again just then, so a second `PING` shows whether the
    /// server is still slow. After a late reply, the connection stays open. Without any reply, the connection is aborted.
    async fn replies(&self, mut connection: Connection) -> Attempted {
        let mut within = UNRESPONSIVE_AFTER;
        for _ in 0..2 {
            let (began, slow) = (Instant::now(), || self.with(|state| state.slow));
            let longest = slow().map_or(UNRESPONSIVE_AFTER, |slow| slow.max(UNRESPONSIVE_AFTER));
            let replied = clock::until(began + longest, connection.ping()).await;
            within = slow().unwrap_or(longest);
            match replied {
                Some(Ok(())) if began.elapsed() <= within => return Ok(connection),
                Some(Ok(())) => {}
                Some(Err(_)) => break,
                None => {
                    connection.abort();
                    break;
                }
            }
        }
        Err(self.endpoint().no_reply(within))
    }
}

/// A test of an open connection.
struct Test {
    open: Connection,
    /// The time since which nothing was heard.
    since: Instant,
    /// After this time without a sound, a new connection is opened beside it.
    patience: Duration,
    /// The time at which the test has failed if the server is still silent, and the deadline that was missed.
    fails: Option<(Instant, Duration)>,
}

/// The time for which an idle connection alone is asked before a new one is opened beside it.
const HEAD_START: Duration = Duration::from_millis(40);

/// After a missed deadline, calls fail at once if the server was silent for this time, or for twice the deadline if that is
/// longer.
const SILENT: Duration = Duration::from_millis(275);

/// Connects, or tests an open connection. The attempt runs in a separate task, so that it continues when a caller gives up.
async fn attempt(
    session: Arc<Session>,
    test: Option<Test>,
    ending: Ending<Attempted>,
    began: Instant,
    timeout: Duration,
) {
    let tested = test.as_ref().map(|test| test.open.clone());
    let outcome = match test {
        Some(test) => session.test(test, timeout).await,
        None => session.connect(timeout).await,
    };
    let pause = session.with(|state| match &outcome {
        Ok(connection) => {
            let is_same = tested.is_some_and(|tested| tested.is(connection));
            let any_slot = state.any_slot.filter(|_| is_same);
            *state = State { connection: Some(connection.clone()), any_slot, ..State::default() };
            session.slow_calls.reset();
            None
        }
        Err(error) => {
            state.breaker.failed(began, random_jitter());
            (state.attempt, state.error) = (None, Some(error.clone()));
            Some(state.breaker.pause(Instant::now()))
        }
    });
    if let Some(pause) = pause {
        session.runtime.spawn(try_again(Arc::downgrade(&session), pause));
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
