//! `Later`: the limits of a function that returns a future. The function reads its arguments when it is called. The limiter and
//! the request context are those of the place where the future is first polled, or else those of the call.

use super::address::{Address, Client};
use super::admission::{Admit, Calls};
use super::call::Call;
use super::check::Check;
use crate::context::RequestContext;
use crate::error::Error;
use crate::identity::RequestHeaders;
use crate::limiter::current::or_installed;
use crate::limiter::{CurrentLimiter, OnError, RateLimiter};
use crate::macros::opaque;
use crate::proxies::KeptHeaders;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

/// The limits of a call that was made, and whose future was not polled yet.
#[must_use = "the decision must be awaited"]
pub struct Later(Box<Made>);

/// Boxed, so that the future of the function stays small.
struct Made {
    calls: Calls,
    /// The limiter of the scope in which the function was called.
    limiter: Option<RateLimiter>,
    /// The context in which the function was called.
    context: Option<RequestContext>,
}

impl Later {
    /// The limits of a function in the order of their attributes. Call it when the function is called.
    pub fn of<const LIMITS: usize>(calls: [Call; LIMITS]) -> Self {
        let (limiter, context) = (RateLimiter::scoped(), RequestContext::current());
        Self(Box::new(Made { calls: Calls::of(calls), limiter, context }))
    }

    /// Decides the limits like [`Call::start`]. Call it when the future is polled.
    pub fn start(self) -> Check {
        let (calls, context) = self.settled();
        match context {
            None => calls.start(),
            Some(context) => Check::admitting(Box::pin(context.scope(calls.admit()))),
        }
    }

    /// Decides the limits like [`Call::admit`]. Call it when the future is polled.
    pub fn admit(self) -> Admit {
        let (calls, context) = self.settled();
        match context {
            None => calls.admit(),
            Some(context) => Box::pin(context.scope(calls.admit())),
        }
    }

    /// Gives the limits their limiter, and finds the context of the call if the future is polled without a context.
    fn settled(self) -> (Calls, Option<RequestContext>) {
        let Made { mut calls, limiter, context } = *self.0;
        let context = context.filter(|_| RequestContext::current().is_none());
        let limiter = RateLimiter::scoped().or(limiter);
        let mut settle = || calls.0.iter_mut().for_each(|call| call.settle(limiter.as_ref()));
        match &context {
            None => settle(),
            Some(context) => context.sync_scope(settle),
        }
        (calls, context)
    }
}

/// What a call waits to do until its limiter is known.
#[derive(Clone, Default)]
pub(super) struct Waiting {
    /// Whether the attribute has named the limiter.
    is_limiter_given: bool,
    /// What the arguments say. Boxed, because most arguments need no limiter.
    notes: Option<Box<Notes>>,
}

#[derive(Clone, Default)]
struct Notes {
    /// The error of an argument.
    error: Option<Error>,
    on_error: Option<OnError>,
    /// The clients whose addresses are in the key, and the places from which the key reads the addresses.
    clients: Vec<(KeptClient, Arc<OnceLock<IpAddr>>)>,
}

impl Waiting {
    /// Waits for a limiter that the attribute has named.
    pub(super) fn of_given_limiter() -> Self {
        Self { is_limiter_given: true, ..Self::default() }
    }

    fn notes(&mut self) -> &mut Notes {
        self.notes.get_or_insert_default()
    }

    pub(super) fn fail(&mut self, error: Error) {
        self.notes().error = Some(error);
    }

    pub(super) fn on_error(&mut self, on_error: OnError) {
        self.notes().on_error = Some(on_error);
    }

    /// Adds a client. Returns the place of its address.
    pub(super) fn client(&mut self, client: Client<'_>) -> Arc<OnceLock<IpAddr>> {
        let place = Arc::default();
        self.notes().clients.push((KeptClient::from(client), Arc::clone(&place)));
        place
    }

    /// Finds the limiter of the call, which then can complete its key.
    pub(super) fn limiter(
        self,
        given: Result<CurrentLimiter, Error>,
        name: &'static str,
        scoped: Option<&RateLimiter>,
    ) -> Result<CurrentLimiter, Error> {
        let limiter = if self.is_limiter_given { given? } else { or_installed(scoped.cloned(), name)? };
        let Some(notes) = self.notes.filter(|_| !limiter.is_off()) else { return Ok(limiter) };
        if let Some(error) = notes.error {
            return Err(error);
        }
        for (client, place) in notes.clients {
            let _ = place.set(client.address(&limiter)?);
        }
        Ok(match notes.on_error {
            Some(on_error) => CurrentLimiter::Owned(limiter.with_on_error(on_error)),
            None => limiter,
        })
    }
}

/// A copy of what the arguments say about the client.
#[derive(Clone)]
struct KeptClient {
    address: Address,
    headers: Option<KeptHeaders>,
}

impl From<Client<'_>> for KeptClient {
    fn from(client: Client<'_>) -> Self {
        let headers = client.headers.filter(|_| matches!(client.address, Address::Peer(Some(_))));
        Self { address: client.address, headers: headers.map(KeptHeaders::of) }
    }
}

impl KeptClient {
    fn address(&self, limiter: &RateLimiter) -> Result<IpAddr, Error> {
        let headers = self.headers.as_ref().map(|headers| headers as &dyn RequestHeaders);
        Client { address: self.address, headers }.address(limiter)
    }
}

opaque!(Later);
