//! Keys: each key names the state of one limit for one identity.
//!
//! A key in the store is `prefix:{tag}:name=part=part:format`:
//!
//! - the tag is the identity; several values are joined by `,`. A limit without an identity has its name and parts in the tag
//!   (`prefix:{name=part}:format`), so that global limits spread over the slots of a cluster;
//! - the name is the name of the limit, with `<` and `>` for its braces;
//! - the parts are the values of the name's placeholders. A function without a `key` that is inside of a type or of another
//!   function has the path of that type or function as a part;
//! - the format is the algorithm and the version of its state format.
//!
//! Identities and parts are escaped ([`writer`](crate::writer)). So different values never make the same key, and no value can
//! change another part of the key.

#![expect(clippy::inline_always, reason = "the values of a key and their hash then stay in registers")]

mod builder;
mod function;
mod name;
mod store_key;
mod stored;

use crate::macros::opaque;
pub(crate) use crate::writer::{KeySettings, open_hash};
pub(crate) use builder::{KeyBuilder, ValueSink, fold, render};
pub(crate) use function::Function;
pub(crate) use name::{LimitName, Name, NameGroup};
pub use store_key::StoreKey;
pub(crate) use store_key::name_in;
pub use stored::StoredKey;

use crate::identity::Identity;
use crate::macros::delegate;
use std::sync::Arc;

/// The name of a limit and the identity for which it counts, for the methods of [`RateLimiter`](crate::RateLimiter).
///
/// ```
/// use ratelimit::Key;
/// use std::net::IpAddr;
///
/// let address: IpAddr = [203, 0, 113, 7].into();
/// let login = Key::new("login").by(address);
/// let report = Key::new("report").by(42).part("pdf"); // each user and each kind of report
/// # let _ = (login, report);
/// ```
///
/// An attribute with `key = "report:{kind}"` and `by = user` has the key `Key::new("report:{kind}").by(user).part(kind)`: the
/// name of its limit, the identity, and a part for each placeholder.
///
/// A plain string is a key without an identity: all callers share the limit.
#[derive(Clone, Copy)]
#[must_use]
pub struct Key<'n, I = (), P = ()> {
    name: &'n str,
    identities: I,
    parts: P,
}

impl<'n> Key<'n> {
    /// Creates a key without an identity: all callers share the limit. `Key::new("login")` is the key of an attribute with
    /// `key = "login"`.
    ///
    /// The name should be a constant of the program, because logs, metrics and rejections show it, and the store contains it in
    /// full. Add values from clients with [`by`](Self::by), which hashes long values.
    pub fn new(name: &'n str) -> Self {
        Self { name, identities: (), parts: () }
    }
}

impl<'n, 'v, I: Identity, P: Identity> Key<'n, &'v [I], &'v [P]> {
    /// Creates a key with any number of identities and parts, for programs that know the number only at run time. The key is
    /// the same as if [`by`](Key::by) and [`part`](Key::part) had added the values one by one. Without an identity, all callers
    /// share the limit.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::{Key, Limit, RateLimiter, per};
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let limit = Limit::counter(10, per::DAY);
    /// limiter.check(&limit, Key::new("report").by("ann").part("pdf")).await?;
    ///
    /// // A tool that has read `--for ann --part pdf`:
    /// let (identities, parts) = (vec!["ann"], vec!["pdf"]);
    /// let key = Key::of_values("report", &identities, &parts);
    /// assert_eq!(limiter.peek(&limit, key).await?.remaining(), 9);
    /// # Ok(()) }
    /// ```
    pub fn of_values(name: &'n str, identities: &'v [I], parts: &'v [P]) -> Self {
        Self { name, identities, parts }
    }
}

impl<'n, I, P> Key<'n, I, P> {
    /// Adds an identity. A key with several identities counts for their combination.
    pub fn by<J: Identity>(self, identity: J) -> Key<'n, (I, J), P> {
        let Self { name, identities, parts } = self;
        Key { name, identities: (identities, identity), parts }
    }

    /// Sets who shares the limit in equal parts. The caller is not part of the key: all callers use the same bucket. While all of its
    /// units are wanted, each active caller gets an equal part. What some callers leave may be used by those that want more.
    ///
    /// Only token buckets and leaky buckets whose units come back one by one can be shared, without a `wait`, a `lease` or a
    /// `block`. See [`fair`](crate::rate_limit#fair).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Rejection> {
    /// use ratelimit::{Key, Limit, RateLimiter, per};
    ///
    /// const SEARCH: Limit = Limit::token_bucket(1000, per::SECOND);
    ///
    /// let limiter = RateLimiter::in_memory();
    /// for tenant in ["acme", "globex"] {
    ///     limiter.check(&SEARCH, Key::new("search").fair(tenant)).await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn fair<J: Identity>(self, caller: J) -> Key<'n, (I, Fair<J>), P> {
        let Self { name, identities, parts } = self;
        Key { name, identities: (identities, Fair(caller)), parts }
    }

    /// Adds a part: a value that belongs to the name, like the value of a placeholder in the attribute's `key`.
    pub fn part<J: Identity>(self, part: J) -> Key<'n, I, (P, J)> {
        let Self { name, identities, parts } = self;
        Key { name, identities, parts: (parts, part) }
    }
}

/// A caller among the identities of a [`Key`], which shares the limit with the other callers.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Fair<J>(J);

opaque! {
    /// Prints nothing, because the caller may be private.
    [J] Fair<J>
}

opaque! {
    /// Prints only the name, because identities and parts may be private.
    [I, P] Key<'_, I, P>, |this| name = this.name
}

/// A [`Key`], or a string, which is a key without an identity.
///
/// A method reads its key when its future is polled. So the identities and parts of a key must be `Send` and `Sync`.
///
/// A `Box<dyn AsKey>` or an `Arc<dyn AsKey>` has the same type for all kinds of identities. It owns the identities, so it can
/// be a field of a struct. Creating it costs one allocation. A method that reads it allocates nothing.
///
/// ```
/// use ratelimit::{AsKey, Key, Limit, RateLimiter, Rejection, per};
/// use std::sync::Arc;
///
/// struct Upload {
///     key: Arc<dyn AsKey>, // a clone shares it
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Rejection> {
/// let limiter = RateLimiter::in_memory();
/// let upload = Upload { key: Arc::new(Key::new("uploads").by("ann".to_owned())) };
/// limiter.check(&Limit::counter(10, per::DAY), &upload.key).await?;
/// # Ok(()) }
/// ```
pub trait AsKey: Send + Sync {
    #[doc(hidden)]
    fn name(&self) -> &str;
    #[doc(hidden)]
    #[inline(always)]
    fn write_identities(&self, _to: &mut ValueSink<'_, '_>) {}
    #[doc(hidden)]
    #[inline(always)]
    fn write_parts(&self, _to: &mut ValueSink<'_, '_>) {}
    /// Whether the key has a caller that shares the limit with others.
    #[doc(hidden)]
    #[inline(always)]
    fn has_caller(&self) -> bool {
        false
    }
    #[doc(hidden)]
    #[inline(always)]
    fn write_caller(&self, _to: &mut ValueSink<'_, '_>) {}
}

impl AsKey for str {
    fn name(&self) -> &str {
        self
    }
}

impl AsKey for String {
    fn name(&self) -> &str {
        self
    }
}

delegate! {
    AsKey for &T, Box<T>, Arc<T> => {
        fn name(&self) -> &str;
        fn write_identities(&self, to: &mut ValueSink<'_, '_>);
        fn write_parts(&self, to: &mut ValueSink<'_, '_>);
        fn has_caller(&self) -> bool;
        fn write_caller(&self, to: &mut ValueSink<'_, '_>);
    }
}

impl<I: Values, P: Values> AsKey for Key<'_, I, P> {
    fn name(&self) -> &str {
        self.name
    }

    #[inline(always)]
    fn write_identities(&self, to: &mut ValueSink<'_, '_>) {
        self.identities.each(to);
    }

    #[inline(always)]
    fn write_parts(&self, to: &mut ValueSink<'_, '_>) {
        self.parts.each(to);
    }

    #[inline(always)]
    fn has_caller(&self) -> bool {
        self.identities.has_caller()
    }

    fn write_caller(&self, to: &mut ValueSink<'_, '_>) {
        self.identities.caller(to);
    }
}

/// The identities or the parts of a [`Key`], which `by` and `part` collect as nested pairs.
#[doc(hidden)]
pub trait Values: Send + Sync {
    fn each(&self, to: &mut ValueSink<'_, '_>);
    #[inline(always)]
    fn has_caller(&self) -> bool {
        false
    }
    fn caller(&self, _to: &mut ValueSink<'_, '_>) {}
}

impl Values for () {
    #[inline(always)]
    fn each(&self, _: &mut ValueSink<'_, '_>) {}
}

impl<V: Values, J: Identity + Send + Sync> Values for (V, J) {
    #[inline(always)]
    fn each(&self, to: &mut ValueSink<'_, '_>) {
        self.0.each(to);
        to.add(&self.1);
    }

    #[inline(always)]
    fn has_caller(&self) -> bool {
        self.0.has_caller()
    }

    fn caller(&self, to: &mut ValueSink<'_, '_>) {
        self.0.caller(to);
    }
}

impl<V: Values, J: Identity + Send + Sync> Values for (V, Fair<J>) {
    #[inline(always)]
    fn each(&self, to: &mut ValueSink<'_, '_>) {
        self.0.each(to);
    }

    #[inline(always)]
    fn has_caller(&self) -> bool {
        true
    }

    fn caller(&self, to: &mut ValueSink<'_, '_>) {
        to.add(&self.1.0);
    }
}

impl<J: Identity + Send + Sync> Values for &[J] {
    fn each(&self, to: &mut ValueSink<'_, '_>) {
        self.iter().for_each(|value| to.add(value));
    }
}

#[cfg(test)]
mod tests;
