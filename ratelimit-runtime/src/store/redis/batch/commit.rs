//! Group commit: calls that come while others are under way go together, as one script call, driven by a task of its own.

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::Awaited;
use crate::store::redis::batch::group;
use crate::store::redis::batch::group::{Group, Outcome};
use crate::store::redis::client::Shared;
use crate::store::redis::client::across_slots::slot;
use crate::store::redis::connect::health::PATIENCE;
use crate::store::redis::server::session::Session;
use crate::store::redis::waiting::pending as seat;
use crate::store::redis::waiting::pending::{Answer, Caller};
use crate::store::redis::waiting::queue::{Bounds, Driver, Entered, Gate};
use crate::store::{Decisions, MissedDeadline, Mode, OwnedRequest, Request};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const BOUNDS: Bounds = Bounds { waiting: 16_384, batch: 128, drivers: 4, pause: Duration::from_micros(250) };

/// Where the calls to a server meet.
pub(crate) struct Commit(Gate<Waiting>);

impl Commit {
    pub(crate) fn new() -> Self {
        Self(Gate::new(BOUNDS))
    }
}

/// What a call asks.
pub(crate) struct Question {
    mode: Mode,
    request: OwnedRequest,
    /// The session in whose queue the call waits.
    session: OnceLock<Arc<Session>>,
    /// What the call waits for when it asks for itself.
    awaited: Awaited,
}

pub(crate) type Seat = seat::Seat<Question, Result<Decision, Error>>;
type Waiting = seat::Waiting<Question, Result<Decision, Error>>;

/// A seat for a call. Its request is copied once, into it.
pub(crate) fn seat(mode: Mode, request: &Request<'_>) -> Arc<Seat> {
    Seat::new(Question {
        mode,
        request: OwnedRequest::of(request),
        session: OnceLock::new(),
        awaited: Awaited::default(),
    })
}

impl Question {
    fn request(&self) -> Request<'_> {
        self.request.request()
    }
}

/// Decides a request, in a call of its own or together with others. Dropped before it was sent, it is not sent.
pub(crate) async fn decide(shared: Arc<Shared>, seat: Arc<Seat>) -> Result<Decisions, Error> {
    let question = seat.question();
    let session = shared.home.session(|| slot(question.request().key()), &question.awaited).await?;
    // What needs much is on the heap, so that the calls that wait for others move little.
    let decide_alone = async || {
        let request = question.request();
        Box::pin(shared.decide_one(question.mode, &request, &question.awaited)).await
    };
    match session.commit.0.enter(|| Waiting::new(&seat), Instant::now) {
        Entered::Alone(_alone) => {
            return decide_alone().await;
        }
        Entered::Waits(None) => {}
        Entered::Waits(Some(driver)) => {
            tokio::spawn(drive(Arc::clone(&shared), Arc::clone(&session), driver));
        }
        Entered::Full => {
            return Err(shared.address().error(ErrorKind::Unavailable, "too many calls wait for", FULL));
        }
    }
    let session = question.session.get_or_init(|| session);
    match Caller(&seat).await {
        Answer::Decided(answer) => {
            session.heard(&answer);
            answer.map(Decisions::one)
        }
        Answer::Yourself => decide_alone().await,
    }
}

impl MissedDeadline for Seat {
    fn missed_deadline(&self, deadline: Duration) {
        let question = self.question();
        // Nothing else is awaited unless the call has left the queue.
        match question.session.get() {
            Some(session) if !question.awaited.is_set() => session.missed_deadline(deadline),
            _ => question.awaited.missed_deadline(deadline),
        }
    }
}

const FULL: &str = "there is no room for more";

fn lost(shared: &Shared) -> Error {
    shared.address().error(
        ErrorKind::Unavailable,
        "lost the answer of",
        "the runtime that waited for it is gone",
    )
}

/// Requests on their way. Dropped before the answer is here, it may have been lost, and nobody asks again.
struct Sent {
    shared: Arc<Shared>,
    mode: Mode,
    waiting: Vec<Waiting>,
}

impl Sent {
    fn is_wanted(&self) -> bool {
        self.waiting.iter().any(Waiting::is_wanted)
    }

    fn requests(&self) -> Vec<Request<'_>> {
        self.waiting.iter().filter_map(Waiting::question).map(Question::request).collect()
    }

    /// The answers are in the order of the requests.
    fn answer(mut self, answers: Vec<Result<Decision, Error>>) {
        for (waiting, answer) in std::mem::take(&mut self.waiting).into_iter().zip(answers) {
            waiting.answer(answer);
        }
    }

    fn fail(mut self, error: &Error) {
        for waiting in std::mem::take(&mut self.waiting) {
            waiting.answer(Err(error.clone()));
        }
    }

    /// The server has refused the call: each caller asks for itself, and hears what concerns it. Nothing of the call was
    /// done, unless a foreign key has passed for one of ours: then what came before it counts twice, rather than that such a
    /// key refuses the calls of others.
    fn give_back(mut self) {
        self.waiting.clear();
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            waiting.answer(Err(lost(&self.shared)));
        }
    }
}

async fn drive(shared: Arc<Shared>, session: Arc<Session>, mut driver: Driver<Waiting>) {
    loop {
        // Whoever is about to ask comes along.
        tokio::task::yield_now().await;
        let waiting = driver.take(Waiting::is_wanted, Instant::now());
        if waiting.is_empty() {
            return;
        }
        send(&shared, &session, in_calls(&shared, waiting)).await;
    }
}

/// A call is of one mode, and where keys live on slots, on one of them.
fn in_calls(shared: &Arc<Shared>, waiting: Vec<Waiting>) -> Vec<Sent> {
    let by_slot = shared.is_sharded();
    let mut calls: BTreeMap<(bool, Option<u16>), Sent> = BTreeMap::new();
    for waiting in waiting {
        let Some(question) = waiting.question() else { continue };
        let mode = question.mode;
        let place = (mode == Mode::Charge, by_slot.then(|| slot(question.request().key())));
        let call = || Sent { shared: Arc::clone(shared), mode, waiting: Vec::new() };
        calls.entry(place).or_insert_with(call).waiting.push(waiting);
    }
    calls.into_values().collect()
}

async fn send(shared: &Arc<Shared>, session: &Arc<Session>, calls: Vec<Sent>) {
    let outcomes = {
        let requests: Vec<Vec<Request<'_>>> = calls.iter().map(Sent::requests).collect();
        let groups: Vec<Group<'_>> = calls
            .iter()
            .zip(&requests)
            .map(|(call, requests)| Group::new(shared, call.mode, requests))
            .collect();
        let mut sending = pin!(group::send(shared, session, &groups));
        loop {
            match tokio::time::timeout(PATIENCE, sending.as_mut()).await {
                Ok(outcomes) => break outcomes,
                Err(_) if calls.iter().any(Sent::is_wanted) => {}
                // Everybody has given up, and so the calls are.
                Err(_) => return,
            }
        }
    };
    for (call, outcome) in calls.into_iter().zip(outcomes) {
        match outcome {
            Outcome::Answers(answers) => call.answer(answers),
            Outcome::Failed(error) => call.fail(&error),
            Outcome::Refused => call.give_back(),
        }
    }
}
