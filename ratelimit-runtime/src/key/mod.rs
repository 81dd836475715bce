//! Keys: which limit, for which identity.
//!
//! A key in the store is `prefix:{tag}:name=part=part:format`:
//!
//! - the tag is the identity; several values are joined by `,`. A limit without an identity has its name and parts in the tag
//!   (`prefix:{name=part}:format`), so that global limits spread over the slots of a cluster;
//! - the name is the name of the limit, with `<` and `>` for its braces;
//! - the parts are the values of the name's placeholders, or what is around a function without a `key`: its type, or the
//!   function that contains it;
//! - the format is the algorithm and the version of its state format.
//!
//! Identities and parts are escaped ([`writer`](crate::writer)), so different values never make the same key, and no value can change
//! another part of the key.

mod function;
mod hash;
mod name;
mod store_key;
mod stored;

use crate::macros::opaque;
pub(crate) use crate::writer::KeySettings;
pub(crate) use function::Function;
pub(crate) use hash::{HashKey, open_hash};
pub(crate) use name::{LimitName, Name};
pub use store_key::StoreKey;
pub(crate) use store_key::{KeyBuilder, render, render_into};
pub use stored::StoredKey;

use crate::identity::Identity;
use crate::macros::delegate;
use std::sync::Arc;

/// The name of a limit and the identity that it counts for, for the methods of [`RateLimiter`](crate::RateLimiter).
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
/// The key of an attribute has the name of its limit, and a part for each placeholder: `key = "report:{kind}"` with `by = user` is
/// `Key::new("report:{kind}").by(user).part(kind)`.
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
    /// A key without an identity: all callers share the limit. `Key::new("login")` is the key of an attribute with
    /// `key = "login"`.
    ///
    /// The name is a constant of the program: logs, metrics and rejections show it, and it is stored as it is. Give what a client
    /// has sent to [`by`](Self::by), which hashes long values.
    pub fn new(name: &'n str) -> Self {
        Self { name, identities: (), parts: () }
    }
}

impl<'n, 'v, I: Identity, P: Identity> Key<'n, &'v [I], &'v [P]> {
    /// A key with any number of identities and parts, for programs that learn them at run time. It is the key to which
    /// [`by`](Key::by) and [`part`](Key::part) have added them one by one. Without an identity, all callers share the limit.
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
    /// Counts for this identity. If it is called more than once, counts for the combination.
    pub fn by<J: Identity>(self, identity: J) -> Key<'n, (I, J), P> {
        let Self { name, identities, parts } = self;
        Key { name, identities: (identities, identity), parts }
    }

    /// Adds a value to the name, like a placeholder in the attribute's `key`.
    pub fn part<J: Identity>(self, part: J) -> Key<'n, I, (P, J)> {
        let Self { name, identities, parts } = self;
        Key { name, identities, parts: (parts, part) }
    }
}

opaque! {
    /// Prints no identity and no part.
    [I, P] Key<'_, I, P>, |this| name = this.name
}

/// A [`Key`], or a string, which is a key without an identity.
///
/// A method reads its key when its future is polled. So the identities and parts of a key must be `Send` and `Sync`.
///
/// A `Box<dyn AsKey>` or an `Arc<dyn AsKey>` is a key of one type, whatever its identities are. It owns them, so it fits into a struct.
/// It costs one allocation, and a method that reads it allocates nothing.
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
    fn each_identity(&self, _visit: &mut dyn FnMut(&dyn Identity)) {}
    #[doc(hidden)]
    fn each_part(&self, _visit: &mut dyn FnMut(&dyn Identity)) {}
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
        fn each_identity(&self, visit: &mut dyn FnMut(&dyn Identity));
        fn each_part(&self, visit: &mut dyn FnMut(&dyn Identity));
    }
}

impl<I: Values, P: Values> AsKey for Key<'_, I, P> {
    fn name(&self) -> &str {
        self.name
    }

    fn each_identity(&self, visit: &mut dyn FnMut(&dyn Identity)) {
        self.identities.each(visit);
    }

    fn each_part(&self, visit: &mut dyn FnMut(&dyn Identity)) {
        self.parts.each(visit);
    }
}

/// The identities or the parts of a [`Key`]: `by` and `part` collect them as nested pairs.
#[doc(hidden)]
pub trait Values: Send + Sync {
    fn each(&self, visit: &mut dyn FnMut(&dyn Identity));
}

impl Values for () {
    fn each(&self, _: &mut dyn FnMut(&dyn Identity)) {}
}

impl<V: Values, J: Identity + Send + Sync> Values for (V, J) {
    fn each(&self, visit: &mut dyn FnMut(&dyn Identity)) {
        self.0.each(visit);
        visit(&self.1);
    }
}

impl<J: Identity + Send + Sync> Values for &[J] {
    fn each(&self, visit: &mut dyn FnMut(&dyn Identity)) {
        self.iter().for_each(|value| visit(value));
    }
}

#[cfg(test)]
mod tests;
