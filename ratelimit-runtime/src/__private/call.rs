//! One limited call: its site, its key, its cost.

use super::check::{self, Check};
use super::hold::{self, Hold};
use super::request::HeaderValue;
use crate::error::{Error, ErrorKind};
use crate::identity::Identity;
use crate::key::{KeyBuilder, KeySettings, KeyWriter, Name};
use crate::limit::{Limit, LimitError};
use crate::limiter::current::{Current, current};
use crate::limiter::{OnError, Question, RateLimiter};
use crate::store::Request;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;
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
    later: bool,
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
            later: false,
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
        self.later = true;
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

    /// Decides, at once where the store needs no waiting. The answer borrows nothing.
    pub fn start(self) -> Check {
        check::start(smallvec![self])
    }

    /// As [`start`](Self::start), and what was taken stays at hand.
    pub fn hold(self) -> Hold {
        hold::hold(smallvec![self])
    }

    /// A stack of two.
    #[must_use]
    pub fn and(self, next: Self) -> Calls {
        Calls(SmallVec::from_iter([self])).and(next)
    }

    pub(super) fn is_skipped(&self) -> bool {
        self.skipped
    }

    pub(super) fn is_shadow(&self) -> bool {
        self.shadow
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn limiter(&self) -> Result<&RateLimiter, Error> {
        self.limiter.as_deref().map_err(Error::clone)
    }

    /// The limit that holds now, and whether it is no more than a question to the store. The key is finished.
    pub(super) fn resolve(&mut self) -> Result<(Limit, bool), Error> {
        let written = self.written()?;
        let key = self.key.finish()?;
        let limiter = self.limiter.as_deref().map_err(Error::clone)?;
        let limit = limiter.overridden(self.name, key, &written);
        Ok((limit, !self.later && limit.wait_ms() == 0 && !limit.is_concurrency()))
    }

    /// The question to the store, by the limit that [`resolve`](Self::resolve) has found, and who asks it.
    pub(super) fn request<'c>(
        &'c mut self,
        limit: &'c Limit,
    ) -> Result<(Request<'c>, &'c RateLimiter), Error> {
        let key = self.key.finish()?;
        key.add_format(limit);
        let limiter = self.limiter.as_deref().map_err(Error::clone)?;
        Ok((Request::new(key.as_store_key(), limit, self.cost), limiter))
    }

    /// What is asked where that takes longer.
    pub(super) fn into_question(mut self) -> Result<Question, Error> {
        let limit = self.written()?;
        self.key.finish()?;
        let Self { name, key, cost, later, shadow, .. } = self;
        let (name, key) = (Cow::Borrowed(name), key.into_key());
        Ok(Question { name, key, limit, cost, later, aside: shadow })
    }

    fn written(&self) -> Result<Limit, Error> {
        let limit =
            self.limit.ok_or_else(|| Error::new(ErrorKind::Limit, "the call has brought no limit along"))?;
        Ok(limit?)
    }
}

/// Calls of several limits that are decided together.
pub struct Calls(SmallVec<[Call; 1]>);

impl Calls {
    /// One more limit.
    #[must_use]
    pub fn and(mut self, next: Call) -> Self {
        self.0.push(next);
        self
    }

    /// Decides, at once where the store needs no waiting. The answer borrows nothing.
    pub fn start(self) -> Check {
        check::start(self.0)
    }

    /// As [`start`](Self::start), and what was taken stays at hand.
    pub fn hold(self) -> Hold {
        hold::hold(self.0)
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
