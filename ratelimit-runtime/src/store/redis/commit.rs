//! Group commit: calls that come while others are under way go together, as one script call, driven by a task of its own.

use super::call::Shared;
use super::gate::{Bounds, Driver, Gate};
use super::group::{self, Group, Outcome};
use super::health::PATIENCE;
use super::node::Node;
use super::slots::slot;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Decisions, Mode, OwnedRequest, Request};
use smallvec::smallvec;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

const BOUNDS: Bounds = Bounds { waiting: 16_384, batch: 128, drivers: 4, pause: Duration::from_micros(250) };

/// Where the calls to a server meet.
pub(super) struct Commit(Gate<Waiting>);

impl Commit {
    pub(super) fn new() -> Self {
        Self(Gate::new(BOUNDS))
    }
}

/// Decides a request, in a call of its own or together with others. Dropped before it was sent, it is not sent.
pub(super) async fn decide(
    shared: Arc<Shared>,
    mode: Mode,
    request: OwnedRequest,
) -> Result<Decisions, Error> {
    let node = shared.home.node(|| slot(request.request().key())).await?;
    let gate = &node.commit.0;
    if let Some(_alone) = gate.alone() {
        // On the heap, so that those who wait for others move little.
        return Box::pin(shared.decide_one(mode, &request.request())).await;
    }
    let (waiting, answer) = Waiting::new(mode, request);
    match gate.queue(waiting, Instant::now()) {
        Ok(None) => {}
        Ok(Some(driver)) => drop(tokio::spawn(drive(Arc::clone(&shared), Arc::clone(&node), driver))),
        Err(_) => {
            return Err(shared.address().error(ErrorKind::Unavailable, "too many calls wait for", FULL));
        }
    }
    match answer.await {
        Ok(Answer::Decided(answer)) => answer.map(|decision| smallvec![decision]),
        Ok(Answer::Yourself(request)) => Box::pin(shared.decide_one(mode, &request.request())).await,
        Err(_) => Err(lost(&shared)),
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

enum Answer {
    Decided(Result<Decision, Error>),
    /// It was not sent.
    Yourself(OwnedRequest),
}

/// A request whose caller waits. Dropped before it was sent, it goes back to its caller.
struct Waiting {
    mode: Mode,
    request: Option<OwnedRequest>,
    caller: Option<oneshot::Sender<Answer>>,
}

impl Waiting {
    fn new(mode: Mode, request: OwnedRequest) -> (Self, oneshot::Receiver<Answer>) {
        let (caller, answer) = oneshot::channel();
        (Self { mode, request: Some(request), caller: Some(caller) }, answer)
    }

    fn is_wanted(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| !caller.is_closed())
    }

    fn request(&self) -> Option<Request<'_>> {
        self.request.as_ref().map(OwnedRequest::request)
    }

    fn answer(mut self, answer: Result<Decision, Error>) {
        if let Some(caller) = self.caller.take() {
            let _ = caller.send(Answer::Decided(answer));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let (Some(caller), Some(request)) = (self.caller.take(), self.request.take()) {
            let _ = caller.send(Answer::Yourself(request));
        }
    }
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
        self.waiting.iter().filter_map(Waiting::request).collect()
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

async fn drive(shared: Arc<Shared>, node: Arc<Node>, mut driver: Driver<Waiting>) {
    loop {
        // Whoever is about to ask comes along.
        tokio::task::yield_now().await;
        let waiting = driver.take(Waiting::is_wanted, Instant::now());
        if waiting.is_empty() {
            return;
        }
        send(&shared, &node, in_calls(&shared, waiting)).await;
    }
}

/// A call is of one mode, and where keys live on slots, on one of them.
fn in_calls(shared: &Arc<Shared>, waiting: Vec<Waiting>) -> Vec<Sent> {
    let by_slot = shared.is_sharded();
    let place = |waiting: &Waiting| {
        let slot = waiting.request().filter(|_| by_slot).map(|request| slot(request.key()));
        (waiting.mode == Mode::Charge, slot)
    };
    let mut calls: BTreeMap<(bool, Option<u16>), Sent> = BTreeMap::new();
    for waiting in waiting {
        let call = calls.entry(place(&waiting)).or_insert_with(|| Sent {
            shared: Arc::clone(shared),
            mode: waiting.mode,
            waiting: Vec::new(),
        });
        call.waiting.push(waiting);
    }
    calls.into_values().collect()
}

async fn send(shared: &Arc<Shared>, node: &Arc<Node>, calls: Vec<Sent>) {
    let outcomes = {
        let requests: Vec<Vec<Request<'_>>> = calls.iter().map(Sent::requests).collect();
        let groups: Vec<Group<'_>> = calls
            .iter()
            .zip(&requests)
            .map(|(call, requests)| Group::new(shared, call.mode, requests))
            .collect();
        let mut sending = pin!(group::send(shared, node, &groups));
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
