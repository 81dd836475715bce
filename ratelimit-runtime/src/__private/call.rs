//! One limited call: its site, its key, its cost.

use super::admission::{self, Admit};
use super::check::{self, Check};
use super::request::HeaderValue;
use crate::error::{Error, ErrorKind};
use crate::identity::Identity;
use crate::key::{KeyBuilder, KeySettings, KeyWriter, Name};
use crate::limit::{Limit, LimitError};
use crate::limiter::current::current;
use crate::limiter::{Current, Member, OnError, RateLimiter};
use smallvec::SmallVec;
use std::net::IpAddr;
use std::sync::LazyLock;

/// Why `by = "user"` has found nobody.
const NO_USER: &str = "the request carries no user";
/// Why `by = "header:.."` has found nobody.
const NO_HEADER: &str =
    "the request does not carry the header that says who calls, or carries it more than once";
/// Why `by = "ip"` has found nobody.
const NO_ADDRESS: &str = "the request carries no address of its client; axum has one when it serves with `into_make_service_with_connect_info::<SocketAddr>()`";

/// What is known of an attribute at compile time.
#[derive(Debug)]
pub struct Site {
    name: Name<'static>,
    limit: Option<Limit>,
}

impl Site {
    /// A site whose limit is known.
    #[must_use]
    pub const fn new(name: &'static str, limit: Limit) -> Self {
        Self { name: Name::new(name), limit: Some(limit) }
    }

    /// A site whose limit each call brings along.
    #[must_use]
    pub const fn per_call(name: &'static str) -> Self {
        Self { name: Name::new(name), limit: None }
    }
}

/// A call that is about to be decided.
pub struct Call {
    name: &'static str,
    limiter: Result<Current, Error>,
    key: KeyBuilder<'static>,
    limit: Option<Result<Limit, LimitError>>,
    cost: u32,
    charge_after: bool,
    shadow: bool,
    skipped: bool,
}

impl Call {
    /// A call decided by the scoped limiter, else the installed one, else the default.
    #[must_use]
    pub fn new(site: &'static Site) -> Self {
        Self::with(site, current(site.name.as_str()))
    }

    /// A call decided by this limiter.
    #[must_use]
    pub fn by_limiter(site: &'static Site, limiter: &RateLimiter) -> Self {
        Self::with(site, Ok(Current::Own(limiter.clone())))
    }

    fn with(site: &'static Site, limiter: Result<Current, Error>) -> Self {
        let key = KeyBuilder::new(settings(&limiter), site.name);
        Self {
            name: site.name.as_str(),
            limiter,
            key,
            limit: site.limit.map(Ok),
            cost: 1,
            charge_after: false,
            shadow: false,
            skipped: false,
        }
    }

    /// The limit of this call, where the site has none.
    pub fn limit(&mut self, limit: Result<Limit, LimitError>) {
        self.limit = Some(limit);
    }

    /// The units that this call takes.
    pub fn cost(&mut self, cost: u32) {
        self.cost = cost;
    }

    /// The units are taken after the call, if its result says so.
    pub fn charge_later(&mut self) {
        self.charge_after = true;
    }

    /// A writer for one more value of the identity.
    pub fn identity(&mut self) -> KeyWriter<'_> {
        self.key.identity(settings(&self.limiter))
    }

    /// A writer for the value of one more placeholder of the name.
    pub fn part(&mut self) -> KeyWriter<'_> {
        self.key.part(settings(&self.limiter))
    }

    /// The address that was found among the arguments.
    pub fn ip(&mut self, address: Option<IpAddr>) {
        match address {
            Some(address) => self.identity().ip(address),
            None => self.key.set_absent(ErrorKind::Configuration, NO_ADDRESS),
        }
    }

    /// The user that was found among the arguments.
    pub fn user(&mut self, user: Option<&impl Identity>) {
        match user {
            Some(user) => user.write(&mut self.identity()),
            None => self.key.set_absent(ErrorKind::NoIdentity, NO_USER),
        }
    }

    /// The header that was found among the arguments. It may be a token: what is written is its keyed hash.
    pub fn header(&mut self, value: Option<&HeaderValue>) {
        match value {
            Some(value) => self.identity().secret(value.as_bytes()),
            None => self.key.set_absent(ErrorKind::NoIdentity, NO_HEADER),
        }
    }

    /// The failure policy of this call.
    pub fn on_error(&mut self, on_error: OnError) {
        if let Ok(limiter) = &mut self.limiter {
            *limiter = Current::Own(limiter.with_on_error(on_error));
        }
    }

    /// Whether the call is exempt from this limit. Then nothing more is asked of it.
    pub fn skips(&mut self, skip: bool) -> bool {
        self.skipped = skip;
        skip
    }

    /// Makes the limit a shadow limit, which never refuses. Its site has the name of a shadow limit.
    pub fn shadow(&mut self) {
        self.shadow = true;
    }

    /// Makes the limit of this call a shadow limit with a name of its own, if the condition holds. This comes before the
    /// parts of the key.
    pub fn shadow_if(&mut self, shadow: bool, name: &'static str) {
        if shadow {
            self.shadow = true;
            self.name = name;
            self.key.rename(Name::new(name));
        }
    }

    /// The type of a method without a key of its own: methods of one name on two types are two limits.
    pub fn of_type(&mut self, name: &'static str) {
        self.part().text(name);
    }

    /// Decides the call. A store that needs no waiting has decided when this returns. The answer borrows nothing.
    pub fn start(self) -> Check {
        check::start_one(self)
    }

    /// As [`start`](Self::start), and what the call has taken can be returned.
    pub fn admit(self) -> Admit {
        admission::start(SmallVec::from_buf([self]))
    }

    /// A stack of two.
    #[must_use]
    pub fn and(self, next: Self) -> Calls {
        Calls(SmallVec::from_buf([self])).and(next)
    }

    pub(super) fn is_skipped(&self) -> bool {
        self.skipped
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn is_shadow(&self) -> bool {
        self.shadow
    }

    /// Whether the overrides are known. Without a limiter there are none.
    pub(super) fn knows_overrides(&self) -> bool {
        self.limiter.as_ref().map_or(true, |limiter| limiter.knows_overrides())
    }

    /// The limiter that decides the call.
    pub(super) fn limiter(&self) -> Result<&RateLimiter, Error> {
        self.limiter.as_deref().map_err(Error::clone)
    }

    /// What the store is asked, and the limiter that asks it.
    pub(super) fn resolve(self) -> Result<Resolved, Error> {
        let limiter = self.limiter?;
        let limit = self
            .limit
            .ok_or_else(|| Error::new(ErrorKind::Limit, "the call has brought no limit along"))??;
        let key = self.key.finish()?;
        let request = limiter.resolve(self.name, key, &limit, self.cost);
        let mut member = Member::new(request);
        (member.charge_after, member.shadow) = (self.charge_after, self.shadow);
        Ok(Resolved { limiter, member })
    }
}

/// A call with the limit in force, under the key of its state.
pub(super) struct Resolved {
    pub(super) limiter: Current,
    pub(super) member: Member,
}

/// The limits of one call, which are decided together.
pub struct Calls(SmallVec<[Call; 1]>);

impl Calls {
    /// One more limit.
    #[must_use]
    pub fn and(mut self, next: Call) -> Self {
        self.0.push(next);
        self
    }

    /// As [`Call::start`].
    pub fn start(self) -> Check {
        check::start_all(self.0)
    }

    /// As [`Call::admit`].
    pub fn admit(self) -> Admit {
        admission::start(self.0)
    }
}

/// Without a limiter nothing is decided, but the key has to be written all the same.
fn settings(limiter: &Result<Current, Error>) -> &KeySettings {
    static NONE: LazyLock<KeySettings> =
        LazyLock::new(|| KeySettings { prefix: Box::default(), secret: [0; 16], ipv6_prefix: 64 });
    match limiter {
        Ok(limiter) => limiter.keys(),
        Err(_) => &NONE,
    }
}
