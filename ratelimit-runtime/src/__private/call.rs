//! One limited call: its site, its key, its cost, its decision.

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::{KeyBuilder, KeySettings, KeyWriter, Name};
use crate::limit::{Limit, LimitError};
use crate::limiter::RateLimiter;
use crate::limiter::current::{Current, current};
use crate::rejection::Rejection;
use crate::store::Reply;
use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

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
        Self { name: site.name.as_str(), limiter, key, limit: site.limit.map(Ok), cost: 1 }
    }

    /// The limit of this call, where the site has none.
    pub fn limit(&mut self, limit: Result<Limit, LimitError>) {
        self.limit = Some(limit);
    }

    /// The units that this call takes.
    pub fn cost(&mut self, cost: u32) {
        self.cost = cost;
    }

    /// A writer for one more element of the identity.
    pub fn identity(&mut self) -> KeyWriter<'_> {
        self.key.identity(settings(&self.limiter))
    }

    /// A writer for the value of one more hole of the name.
    pub fn part(&mut self) -> KeyWriter<'_> {
        self.key.part(settings(&self.limiter))
    }

    /// The address that was found among the arguments.
    pub fn ip(&mut self, address: Option<IpAddr>) {
        match address {
            Some(address) => self.identity().ip(address),
            None => self.key.set_absent(NO_ADDRESS),
        }
    }

    /// The type of a method without a key of its own: methods of one name on two types are two limits.
    pub fn of_type(&mut self, name: &'static str) {
        self.part().text(name);
    }

    /// Decides, at once where the store needs no waiting. The answer borrows nothing.
    pub fn start(mut self) -> Check {
        let name = self.name;
        let reply = self.decide().unwrap_or_else(|error| Reply::ready(Err(error)));
        Check { name, reply }
    }

    fn decide(&mut self) -> Result<Reply<Decision>, Error> {
        let Some(limit) = self.limit else {
            return Err(Error::new(ErrorKind::Limit, "the call has brought no limit along"));
        };
        let limit = limit?;
        let limiter = self.limiter.as_deref().map_err(Error::clone)?;
        Ok(limiter.decide(self.key.finish(limit.form())?, &limit, self.cost))
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

/// Says, once a minute for each limit, that somebody has to mend something. Outages are the limiter's to report.
fn complain(name: &'static str, error: &Error) {
    static LAST: LazyLock<Mutex<HashMap<&'static str, Instant>>> = LazyLock::new(Mutex::default);
    if error.is_transient() {
        return;
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.get(name).is_none_or(|last| last.elapsed() > Duration::from_secs(60)) {
        last.insert(name, Instant::now());
        tracing::error!(limit = name, %error, "calls are rejected, since their limit cannot be decided");
    }
}

/// Whether the call may go on.
#[derive(Debug)]
#[must_use = "the decision has to be awaited"]
pub struct Check {
    name: &'static str,
    reply: Reply<Decision>,
}

impl Future for Check {
    type Output = Result<(), Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(Pin::new(&mut self.reply).poll(context));
        Poll::Ready(match answer {
            Ok(decision) if decision.allowed() => Ok(()),
            Ok(decision) => Err(Rejection::limited(self.name, decision)),
            Err(error) => {
                complain(self.name, &error);
                Err(Rejection::unavailable(self.name, error))
            }
        })
    }
}
