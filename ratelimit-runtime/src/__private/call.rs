//! `Call`: one limit of a limited call, with its limiter, key and units.

use super::address::Client;
use super::later::Waiting;
use super::request::HeaderValue;
use super::site::Site;
use super::units::ZeroCosts;
use crate::error::{Error, ErrorKind};
use crate::identity::Identity;
use crate::key::{Function, KeyBuilder, KeySettings, Name};
use crate::learn::{Estimate, Estimator};
use crate::limit::{Limit, LimitError};
use crate::limiter::current::current;
use crate::limiter::{CurrentLimiter, Member, OnError, RateLimiter, note};
use crate::observe::registry::Source;
use crate::store::cost::Cost;
use crate::store::{PROBE, Request};
use crate::writer::KeyWriter;
use std::net::IpAddr;
use std::panic::Location;
use std::sync::LazyLock;

/// The error of `by = "user"` if there is no user.
const NO_USER: &str = "the request has no user; set one in a middleware, for example as `Extension<User>`, \
     or let visitors pass with `skip_if`";
/// The error of `by = "header:.."` if there is no usable header.
const NO_HEADER: &str = "the header that identifies the caller is missing or occurs more than once";

/// One limit of a call, before its decision.
#[derive(Clone)]
pub struct Call {
    /// The limiter that decides the call.
    pub(super) limiter: Result<CurrentLimiter, Error>,
    pub(super) limit: Limit,
    pub(super) cost: Cost,
    /// The estimate that the cost is. `None` if the cost is no estimate.
    estimate: Option<Estimate>,
    pub(super) key: KeyBuilder<'static>,
    pub(super) source: Source,
    pub(super) shadow: bool,
    pauses: bool,
    pub(super) skipped: bool,
    /// What the call waits to do until its future is polled. `None` if the limiter is already known.
    waiting: Option<Waiting>,
}

impl Call {
    /// Creates a call for the scoped limiter. Without a scoped limiter, the installed one decides, else the default one.
    pub fn new(site: &'static Site) -> Self {
        Self::with(site, current(site.name.as_str()))
    }

    /// Notes that the call is decided alone, by [`start`](Self::start), and not as a shadow limit. If possible, the values of its key
    /// are then only hashed.
    #[inline]
    pub fn alone(&mut self, site: &'static Site) {
        if let Ok(limiter) = self.limiter.as_deref()
            && let Some(facts) = site.facts(limiter)
            && limiter.folds(&self.limit, facts.group())
        {
            self.key.fold(facts.name, limiter.keys());
        }
    }

    /// Creates a call that this limiter decides.
    pub fn by_limiter(site: &'static Site, limiter: &RateLimiter) -> Self {
        Self::with(site, Ok(CurrentLimiter::Owned(limiter.clone())))
    }

    /// Creates a call of a function that returns a future. The limiter is found when the future is polled.
    pub fn later(site: &'static Site) -> Self {
        let unknown =
            Error::new(ErrorKind::Configuration, "the limiter is not known before the future is polled");
        Self::with(site, Err(unknown)).waits(Waiting::default())
    }

    /// Creates a call of a function that returns a future, which this limiter decides.
    pub fn later_by(site: &'static Site, limiter: &RateLimiter) -> Self {
        Self::by_limiter(site, limiter).waits(Waiting::of_given_limiter())
    }

    fn waits(mut self, waiting: Waiting) -> Self {
        (self.waiting, self.key, self.skipped) = (Some(waiting), self.key.before_limiter(), false);
        self
    }

    /// Finds the limiter of a call that was made by [`later`](Self::later), and completes its key. `scoped` is the limiter of the
    /// scope that applies.
    pub(super) fn settle(&mut self, scoped: Option<&RateLimiter>) {
        let Some(waiting) = self.waiting.take() else { return };
        let given = self.limiter.clone();
        self.limiter = waiting.limiter(given, self.name().as_str(), scoped);
        if let Ok(limiter) = &self.limiter {
            self.skipped |= limiter.is_off();
            self.key.settle(limiter.keys());
        }
    }

    /// Creates a call for a limit of a layer.
    pub(crate) fn of_layer(
        name: &'static str,
        limit: &Limit,
        place: &'static Location<'static>,
        limiter: Result<CurrentLimiter, Error>,
    ) -> Self {
        let source = Source { site: 0, place: Some(place) };
        Self { source, ..Self::of(Name::of_layer(name), None, Some(limit), limiter) }
    }

    pub(super) fn with(site: &'static Site, limiter: Result<CurrentLimiter, Error>) -> Self {
        Self { source: site.source(), ..Self::of(site.name, site.function, site.limit.as_ref(), limiter) }
    }

    fn of(
        name: Name<'static>,
        function: Option<Function>,
        limit: Option<&Limit>,
        limiter: Result<CurrentLimiter, Error>,
    ) -> Self {
        let skipped = limiter.as_ref().is_ok_and(|limiter| limiter.is_off());
        Self {
            limiter,
            limit: *limit.unwrap_or(&PROBE),
            cost: Cost::new(1),
            estimate: None,
            key: KeyBuilder::new(name, function),
            source: Source::default(),
            shadow: false,
            pauses: false,
            skipped,
            waiting: None,
        }
    }

    /// Sets the limit, for a site whose limit is not a constant.
    pub fn limit(&mut self, limit: Result<Limit, LimitError>) {
        match limit {
            Ok(limit) => self.limit = limit,
            Err(error) => self.fail(error.into()),
        }
    }

    /// Notes an error of an argument. The error replaces the limiter, so that the call is rejected.
    fn fail(&mut self, error: Error) {
        match &mut self.waiting {
            Some(waiting) => waiting.fail(error),
            None => self.limiter = Err(error),
        }
    }

    /// Sets the limit from a value. Without a limit, exempts the call.
    pub fn limit_or_none(&mut self, limit: Option<Limit>) {
        match limit {
            Some(limit) => self.limit = limit,
            None => self.skipped = true,
        }
    }

    /// Sets the number of units that this call takes.
    pub fn cost(&mut self, cost: u32) {
        self.cost.units = cost;
    }

    /// Sets the number of units that an expression says. Warns once if the expression is zero for each of the first calls.
    pub fn computed_cost(&mut self, cost: u32, zero: &ZeroCosts) {
        if zero.is_conspicuous(cost) {
            tracing::warn!(
                limit = self.name().as_str(),
                "the `cost` of the first 100 calls was zero, and calls that cost nothing are never limited; if the cost is a \
                 quotient, round it up: `cost = bytes.div_ceil(1024)`"
            );
        }
        self.cost(cost);
    }

    /// Sets the number of units to the estimated cost of a call of this class.
    pub fn learned_cost(&mut self, estimator: &'static Estimator, class: u64, ceiling: u32) {
        let estimate = estimator.estimate_class(class, ceiling);
        self.cost.units = estimate.units();
        self.estimate = Some(estimate);
    }

    /// Sets the number of units that this call leaves to others.
    pub fn keep(&mut self, keep: u32) {
        self.cost.keep = keep;
    }

    /// Returns a writer for the next value of the identity.
    pub fn identity(&mut self) -> KeyWriter<'_> {
        self.key.identity(settings(&self.limiter))
    }

    /// Returns a writer for the next value of the caller that shares the limit with others.
    pub fn fair(&mut self) -> KeyWriter<'_> {
        self.key.caller(settings(&self.limiter))
    }

    /// Returns a writer for the value of the next placeholder of the name.
    pub fn part(&mut self) -> KeyWriter<'_> {
        self.key.part(settings(&self.limiter))
    }

    /// Sets the identity to the address of the client that was found among the arguments.
    pub fn ip(&mut self, client: Client<'_>) {
        if let Some(waiting) = &mut self.waiting {
            let address = waiting.client(client);
            self.identity().write_late(move |key| {
                if let Some(address) = address.get() {
                    key.ip(*address);
                }
            });
            return;
        }
        let Ok(limiter) = &self.limiter else { return };
        match client.address(limiter) {
            // IPv4 has its own branch, in which the compiler removes the code for IPv6 addresses.
            Ok(IpAddr::V4(address)) => self.identity().ip(address.into()),
            Ok(address) => self.identity().ip(address),
            Err(error) => self.limiter = Err(error),
        }
    }

    /// Sets the identity to the user that was found among the arguments.
    pub fn user(&mut self, user: Option<&impl Identity>) {
        match user {
            Some(user) => user.write(&mut self.identity()),
            None => self.key.set_absent(ErrorKind::NoIdentity, NO_USER),
        }
    }

    /// Sets the identity to the header that was found among the arguments. The key contains a keyed hash of the value,
    /// because it may be a token.
    pub fn header(&mut self, value: Option<&HeaderValue>) {
        match value {
            Some(value) => self.identity().secret(value),
            None => self.key.set_absent(ErrorKind::NoIdentity, NO_HEADER),
        }
    }

    /// Sets the failure policy of this call.
    pub fn on_error(&mut self, on_error: OnError) {
        if let Some(waiting) = &mut self.waiting {
            waiting.on_error(on_error);
        } else if let Ok(limiter) = &mut self.limiter {
            *limiter = CurrentLimiter::Owned(limiter.with_on_error(on_error));
        }
    }

    /// Exempts the call from this limit if `skip` is true. Returns whether the call is exempt, for this or another reason.
    pub fn skips(&mut self, skip: bool) -> bool {
        self.skipped |= skip;
        self.skipped
    }

    /// Makes the limit a shadow limit. Its site already has the name of a shadow limit.
    pub fn shadow(&mut self) {
        self.shadow = true;
    }

    /// Marks the limit as one that the results of calls may pause.
    pub fn pauses(&mut self) {
        self.pauses = true;
    }

    /// Makes the limit a shadow limit with its own name, if `shadow` is true. Call it before the parts of the key are
    /// written.
    pub fn shadow_if(&mut self, shadow: bool, name: &'static str) {
        if shadow {
            self.shadow = true;
            self.key.rename(self.key.name().renamed(name));
        }
    }

    /// Writes the name of a method's type into the key. The attribute has no `key`, so the name of the limit does not contain
    /// the type. The type separates the limits of methods that have the same name on two types.
    pub fn of_type(&mut self, name: &'static str) {
        self.part().text(name);
    }

    /// The name of the limit. A limit that results pause is one of outgoing calls, which is no business of clients.
    pub(super) fn name(&self) -> Name<'static> {
        let name = self.key.name();
        if self.pauses { name.internal() } else { name }
    }

    /// Whether the overrides are loaded. A call without a limiter needs no overrides.
    pub(super) fn knows_overrides(&self) -> bool {
        self.limiter.as_ref().map_or(true, |limiter| limiter.knows_overrides())
    }

    /// Returns the request to the store, without its key.
    pub(super) fn request(&self) -> Request {
        Request::of_cost(self.limit, self.cost)
    }

    /// Completes the key and applies the override. After that, `request` is complete.
    pub(super) fn complete(&mut self, request: &mut Request) -> Result<&RateLimiter, Error> {
        let limiter = self.limiter.as_deref().map_err(Error::clone)?;
        self.key.complete(limiter.keys())?;
        if self.key.has_caller() {
            self.limit.check_fair()?;
        }
        note(self.key.name().as_str(), &self.limit, limiter, self.source);
        limiter.resolve(&self.key, request);
        Ok(limiter)
    }

    /// Makes a member of a stack from the completed request of this call. `position` is the position of the limit among the
    /// attributes.
    pub(super) fn member(&self, request: Request, position: usize) -> Member {
        let mut member = Member::new(request, self.key.name().as_str());
        (member.position, member.shadow, member.pauses) = (position, self.shadow, self.pauses);
        member.estimate = self.estimate;
        member
    }
}

/// Returns the key settings of the limiter. Without a limiter the call is not decided, but generated code still writes the key.
fn settings(limiter: &Result<CurrentLimiter, Error>) -> &KeySettings {
    static NONE: LazyLock<KeySettings> = LazyLock::new(|| KeySettings::new("", None, 64));
    match limiter {
        Ok(limiter) => limiter.keys(),
        Err(_) => &NONE,
    }
}
