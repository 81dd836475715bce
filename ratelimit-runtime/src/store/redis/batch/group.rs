//! Requests of many callers on their way to one server: one call for each mode and slot, all of them at once.

use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use crate::store::redis::batch::merge::Batch;
use crate::store::redis::client::{Call, Shared, is_unknown_script};
use crate::store::redis::errors::failure;
use crate::store::redis::script::scripts::Wrong;
use crate::store::redis::script::single as lone;
use crate::store::redis::server::node::Failed;
use crate::store::redis::server::session::Session;
use crate::store::{Mode, Request};
use redis::{Pipeline, RedisError, RedisResult, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// What one call asks for. Its requests are in order of arrival, each for itself, on keys that can be in one call.
pub(crate) struct Group<'r> {
    mode: Mode,
    requests: &'r [Request<'r>],
    call: Call,
    /// What `decide` is asked; a small script where there is none.
    batch: Option<Batch<'r>>,
}

/// What comes of it.
pub(crate) enum Outcome {
    /// In the order of the requests.
    Answers(Vec<Result<Decision, Error>>),
    /// For all of them.
    Failed(Error),
    /// The server has refused the call. Each request has to be asked for by itself, to hear what concerns it, or where it
    /// is decided now.
    Refused,
}

impl<'r> Group<'r> {
    pub(crate) fn new(shared: &Shared, mode: Mode, requests: &'r [Request<'r>]) -> Self {
        if let Some(script) = shared.lone.as_ref().and_then(|lone| lone.script(mode, requests)) {
            let call = Call::new(script, |command| lone::encode(command, &requests[0]));
            return Self { mode, requests, call, batch: None };
        }
        let batch = Batch::new(mode, requests);
        let call = Call::new(&shared.decide, |command| batch.encode(command));
        Self { mode, requests, call, batch: Some(batch) }
    }

    fn outcome(&self, shared: &Shared, session: &Arc<Session>, answer: RedisResult<Value>) -> Outcome {
        match answer {
            Ok(value) => self.read(shared, &value),
            Err(error) => {
                let elsewhere = failure::is_elsewhere(&error);
                match shared.explain(Failed::Answer(Arc::clone(session), error)) {
                    error if error.is_transient() && !elsewhere => {
                        shared.home.has_failed();
                        Outcome::Failed(error)
                    }
                    _ => Outcome::Refused,
                }
            }
        }
    }

    fn read(&self, shared: &Shared, value: &Value) -> Outcome {
        let Some(batch) = &self.batch else {
            let [request] = self.requests else { return Outcome::Refused };
            let decision =
                lone::decision(value, self.mode, request.limit(), request.cost(), request.permit());
            return Outcome::Answers(vec![decision.map_err(|wrong| shared.wrong(&wrong, &[]))]);
        };
        let explain = |wrong: Wrong| {
            let keys: Vec<StoreKey<'_>> = self.requests.iter().map(|request| *request.key()).collect();
            shared.wrong(&wrong, &keys)
        };
        Outcome::Answers(match batch.answers(value) {
            Ok(answers) => answers.into_iter().map(|answer| answer.map_err(explain)).collect(),
            Err(wrong) => vec![Err(explain(wrong)); self.requests.len()],
        })
    }
}

/// Sends all groups to a server, and says what came of each.
pub(crate) async fn send(shared: &Shared, session: &Arc<Session>, groups: &[Group<'_>]) -> Vec<Outcome> {
    let answers = match groups {
        [group] => send_one(session, group).await.map(|answer| vec![answer]),
        _ => send_many(session, groups).await,
    };
    match answers {
        Ok(answers) => {
            groups.iter().zip(answers).map(|(group, answer)| group.outcome(shared, session, answer)).collect()
        }
        Err(failed) => {
            shared.home.has_failed();
            let error = failed.explain();
            groups.iter().map(|_| Outcome::Failed(error.clone())).collect()
        }
    }
}

async fn send_one(session: &Arc<Session>, group: &Group<'_>) -> Result<RedisResult<Value>, Failed> {
    let answer = match session.send(group.call.by_digest()).await {
        // It was not executed, so it may be sent again; the text stays in the server's cache.
        Err(Failed::Answer(_, error)) if is_unknown_script(&error) => {
            session.send(&group.call.by_text()).await
        }
        answer => answer,
    };
    match answer {
        Ok(value) => Ok(Ok(value)),
        Err(Failed::Answer(_, error)) if !error.is_io_error() => Ok(Err(error)),
        Err(failed) => Err(failed),
    }
}

async fn send_many(session: &Arc<Session>, groups: &[Group<'_>]) -> Result<Vec<RedisResult<Value>>, Failed> {
    let mut commands = Pipeline::with_capacity(groups.len());
    for group in groups {
        commands.add_command(group.call.by_digest().clone());
    }
    let mut answers = session.send_all(&commands).await?;
    let is_unknown = |answer: &RedisResult<Value>| answer.as_ref().is_err_and(is_unknown_script);
    let unknown: Vec<usize> =
        (0..groups.len()).filter(|at| answers.get(*at).is_some_and(is_unknown)).collect();
    if !unknown.is_empty() {
        // Each script once by text, in front of those that need it too.
        let mut told = HashSet::new();
        let mut commands = Pipeline::with_capacity(unknown.len());
        for at in &unknown {
            let call = &groups[*at].call;
            commands.add_command(if told.insert(call.digest()) {
                call.by_text()
            } else {
                call.by_digest().clone()
            });
        }
        for (at, answer) in unknown.into_iter().zip(session.send_all(&commands).await?) {
            answers[at] = answer;
        }
    }
    answers.resize_with(groups.len(), || {
        Err(RedisError::from((redis::ErrorKind::Parse, "an answer is missing")))
    });
    Ok(answers)
}
