//! One script call: sent by digest, by text where the server does not know it, its answer read.

pub(crate) mod across_slots;

use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::Awaited;
use crate::store::redis::client::across_slots::slot;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::script::scripts as script;
use crate::store::redis::script::scripts::{Script, Wrong};
use crate::store::redis::script::single as lone;
use crate::store::redis::script::single::Lone;
use crate::store::redis::server::node::Failed;
use crate::store::redis::topology::Home;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Request};
use redis::{ErrorKind as RedisKind, ServerErrorKind, Value};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the clones of a store share.
pub(crate) struct Shared {
    pub(crate) home: Home,
    pub(crate) decide: Script,
    pub(crate) adjust: Script,
    pub(crate) lone: Option<Lone>,
    pub(crate) sharded: AtomicBool,
}

/// One script call, by digest, and by text where the server does not know it yet.
pub(crate) struct Call {
    by_digest: redis::Cmd,
    script: Arc<str>,
}

/// Whether a server has said that it does not know a script: then nothing was executed.
pub(crate) fn is_unknown_script(error: &redis::RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::NoScript)
}

impl Call {
    pub(crate) fn new(script: &Script, encode: impl FnOnce(&mut redis::Cmd)) -> Self {
        let mut by_digest = redis::cmd("EVALSHA");
        by_digest.arg(script.digest());
        encode(&mut by_digest);
        Self { by_digest, script: script.text() }
    }

    /// Which script it is.
    pub(crate) fn digest(&self) -> &[u8] {
        match self.by_digest.args_iter().nth(1) {
            Some(redis::Arg::Simple(digest)) => digest,
            _ => &[],
        }
    }

    pub(crate) fn by_digest(&self) -> &redis::Cmd {
        &self.by_digest
    }

    /// The slot of the first key, and so of all.
    pub(crate) fn slot(&self) -> u16 {
        self.keys(1).first().map(slot).unwrap_or_default()
    }

    /// The first keys of the call.
    fn keys(&self, number: usize) -> SmallVec<[StoreKey<'_>; 1]> {
        let key = |argument| match argument {
            redis::Arg::Simple(key) => StoreKey::new(key),
            _ => StoreKey::new(b""),
        };
        self.by_digest.args_iter().skip(3).take(number).map(key).collect()
    }

    pub(crate) fn by_text(&self) -> redis::Cmd {
        let mut by_text = redis::cmd("EVAL");
        by_text.arg(&*self.script);
        for argument in self.by_digest.args_iter().skip(2) {
            if let redis::Arg::Simple(argument) = argument {
                by_text.arg(argument);
            }
        }
        by_text
    }
}

/// What a lone request asks, but for its key, which is in the call.
pub(crate) struct Alone {
    limit: Limit,
    cost: u32,
    permit: u64,
}

impl Alone {
    pub(crate) fn of(request: &Request<'_>) -> Self {
        Self { limit: *request.limit(), cost: request.cost(), permit: request.permit() }
    }
}

impl Shared {
    /// Decides requests in one call.
    pub(crate) async fn decide(
        &self,
        mode: Mode,
        requests: &[Request<'_>],
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        let call = Call::new(&self.decide, |command| script::encode(command, mode, requests));
        let value = self.run(&call, awaited).await?;
        let limits: SmallVec<[Limit; 1]> = requests.iter().map(|request| *request.limit()).collect();
        script::decisions(&value, mode, &limits).map_err(|wrong| self.wrong(&wrong, &call.keys(limits.len())))
    }

    /// Decides a request that stands for itself, by its small script if there is one.
    pub(crate) async fn decide_one(
        &self,
        mode: Mode,
        request: &Request<'_>,
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        let requests = std::slice::from_ref(request);
        let Some(script) = self.lone.as_ref().and_then(|lone| lone.script(mode, requests)) else {
            return self.decide(mode, requests, awaited).await;
        };
        let call = Call::new(script, |command| lone::encode(command, request));
        self.decide_alone(&call, mode, &Alone::of(request), awaited).await
    }

    /// Adjusts in one call. By text until the server has answered one: what is given back has to be there before what is
    /// asked next, and not after a second try.
    pub(crate) async fn adjust(&self, adjustments: &[Adjustment<'_>]) -> Result<Adjusted, Error> {
        // Nothing to send, and no key that says to which server.
        if adjustments.is_empty() {
            return Ok(Adjusted::new());
        }
        let awaited = Awaited::default();
        let call = Call::new(&self.adjust, |command| script::encode_adjustments(command, adjustments));
        let node = self.home.node(|| call.slot(), &awaited).await?;
        let value = if node.knows_adjust() {
            self.run(&call, &awaited).await?
        } else {
            let sent = self.home.send(|| call.slot(), &call.by_text(), &awaited).await;
            let value = sent.map_err(|failed| self.explain(failed))?;
            node.has_learned_adjust();
            value
        };
        script::adjusted(&value, adjustments).map_err(|wrong| self.wrong(&wrong, &[]))
    }

    /// Decides a lone request by its small script. If the script ends with an error, it has written nothing, and `decide`
    /// says what is wrong.
    pub(crate) async fn decide_alone(
        &self,
        call: &Call,
        mode: Mode,
        alone: &Alone,
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        match self.run(call, awaited).await {
            Ok(value) => {
                let decision = lone::decision(&value, mode, &alone.limit, alone.cost, alone.permit);
                return decision.map(Decisions::one).map_err(|wrong| self.wrong(&wrong, &[]));
            }
            Err(error) if error.is_transient() => return Err(error),
            Err(_) => {}
        }
        let keys = call.keys(1);
        let key = keys.first().copied().unwrap_or(StoreKey::new(b""));
        let request = Request::new(key, &alone.limit, alone.cost).with_permit(alone.permit);
        self.decide(mode, &[request], awaited).await
    }

    pub(crate) async fn run(&self, call: &Call, awaited: &Awaited) -> Result<Value, Error> {
        match self.home.send(|| call.slot(), &call.by_digest, awaited).await {
            // It was not executed, so it may be sent again; the text stays in the server's cache.
            Err(Failed::Answer(_, error)) if is_unknown_script(&error) => {
                self.home.send(|| call.slot(), &call.by_text(), awaited).await
            }
            other => other,
        }
        .map_err(|failed| self.explain(failed))
    }

    /// An answer that cannot be used.
    pub(crate) fn wrong(&self, wrong: &Wrong, keys: &[StoreKey<'_>]) -> Error {
        let what = match wrong {
            Wrong::Answer(what) => Cow::Borrowed(*what),
            Wrong::Foreign(at) => {
                let hash = keys.get(*at).map(StoreKey::hash).unwrap_or_default();
                format!("the key with the hash {hash:016x} holds something that is not a rate limit").into()
            }
        };
        self.address().error(ErrorKind::Configuration, "cannot use the answer of", what)
    }

    /// One plain command on a key.
    pub(crate) async fn ask(&self, key: &StoreKey<'_>, command: &redis::Cmd) -> Result<Value, Error> {
        let sent = self.home.send(|| slot(key), command, &Awaited::default()).await;
        sent.map_err(|failed| self.explain(failed))
    }

    pub(crate) fn explain(&self, failed: Failed) -> Error {
        if let Failed::Answer(_, error) = &failed
            && error.kind() == RedisKind::Server(ServerErrorKind::CrossSlot)
        {
            self.sharded.store(true, Ordering::Relaxed);
        }
        failed.explain()
    }

    /// For messages that concern the whole.
    pub(crate) fn address(&self) -> &Address {
        self.home.address()
    }

    /// Whether keys of different slots cannot be in one call. Behind a connection that was handed in, the server says so
    /// when they are.
    pub(crate) fn is_sharded(&self) -> bool {
        self.sharded.load(Ordering::Relaxed)
    }
}
