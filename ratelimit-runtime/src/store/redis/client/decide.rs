//! Decisions and adjustments in one script call each.

use super::{Client, slot};
use crate::error::Error;
use crate::limit::Limit;
use crate::store::redis::script::single;
use crate::store::redis::script::{ScriptCall, adjusted, decisions, encode_adjust, encode_decide};
use crate::store::{Adjusted, Adjustment, Awaited, Decisions, Mode, Request};
use redis::Value;
use smallvec::SmallVec;

impl Client {
    /// Decides about requests by the script `decide`.
    pub(super) async fn decide(
        &self,
        mode: Mode,
        requests: &[&Request],
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        let call = ScriptCall::new(&self.decide, requests.len(), |command| {
            encode_decide(command, mode, requests);
        });
        let reply = self.run(&call, awaited).await?;
        let limits: SmallVec<[Limit; 1]> = requests.iter().map(|request| *request.limit()).collect();
        decisions(&reply, mode, &limits).map_err(|invalid| self.invalid(&invalid))
    }

    /// Decides about one request: by its small script if there is one, else by `decide`.
    pub(crate) async fn decide_one(
        &self,
        mode: Mode,
        request: &Request,
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        match self.single_call(mode, request) {
            Some(call) => self.decide_single(&call, mode, request, awaited).await,
            None => self.decide(mode, &[request], awaited).await,
        }
    }

    /// Creates the call of the small script for a plain request.
    pub(crate) fn single_call(&self, mode: Mode, request: &Request) -> Option<ScriptCall> {
        let script = self.single.as_ref()?.script(mode, request)?;
        Some(ScriptCall::new(script, 1, |command| single::encode(command, request)))
    }

    /// Decides about a single request by its small script. If the script replies nil or ends with an error, it has written
    /// nothing. The request is then decided by `decide`, whose error is more exact.
    pub(crate) async fn decide_single(
        &self,
        call: &ScriptCall,
        mode: Mode,
        request: &Request,
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        match self.run(call, awaited).await {
            Ok(Value::Nil) => {}
            Ok(reply) => {
                let decision = single::decision(&reply, mode, request);
                return decision.map(Decisions::one).map_err(|invalid| self.invalid(&invalid));
            }
            Err(error) if error.is_transient() => return Err(error),
            Err(_) => {}
        }
        self.decide(mode, &[request], awaited).await
    }

    /// Makes adjustments by the script `adjust`.
    ///
    /// Until the server has executed the script once, the call is sent by text. An unknown digest would cost a second round
    /// trip, and the caller's next request could arrive before the returned units.
    pub(super) async fn adjust(&self, adjustments: &[Adjustment]) -> Result<Adjusted, Error> {
        // If there is no key, there is no server to ask.
        if adjustments.is_empty() {
            return Ok(Adjusted::new());
        }
        let awaited = Awaited::default();
        let call = ScriptCall::new(&self.adjust, adjustments.len(), |command| {
            encode_adjust(command, adjustments);
        });
        let node = self.topology.node(|| slot(&call), &awaited).await?;
        let reply = if node.knows_adjust() {
            self.run(&call, &awaited).await?
        } else {
            let sent = self.topology.send(|| slot(&call), &call.by_text(), &awaited).await;
            let reply = sent.map_err(|failed| self.explain(failed))?;
            node.learned_adjust();
            reply
        };
        adjusted(&reply, adjustments).map_err(|invalid| self.invalid(&invalid))
    }
}
