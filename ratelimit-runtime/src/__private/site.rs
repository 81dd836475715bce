//! `Site`: the constants of one attribute in the generated code. `SiteRequest`: its request, if all of it is constant.

use crate::key::{Function, KeyBuilder, Name};
use crate::limit::Limit;
use crate::limiter::{RateLimiter, note};
use crate::store::{Request, StoreKey};
use std::sync::OnceLock;

/// The name of an attribute, and its limit if that is a constant.
#[derive(Debug)]
pub struct Site {
    pub(super) name: Name<'static>,
    /// The function with this name, if functions inside of others may have the same one.
    pub(super) function: Option<Function>,
    pub(super) limit: Option<Limit>,
}

impl Site {
    /// A site whose limit is a constant.
    pub const fn new(name: &'static str, limit: Limit) -> Self {
        Self { name: Name::of_site(name), function: None, limit: Some(limit) }
    }

    /// A site whose limit is set at each call.
    pub const fn per_call(name: &'static str) -> Self {
        Self { name: Name::of_site(name), function: None, limit: None }
    }

    /// Says that the name is the attribute's `key`. Generated code calls this for names with `::`. Without it, such a name
    /// looks like the path of a function, and clients see only the last part.
    pub const fn written(mut self) -> Self {
        self.name = Name::written(self.name.as_str());
        self
    }

    /// Says that the name is the path of a function, which may be inside of another function. `path_inside` is `type_name` of a
    /// type that is declared in the function.
    pub const fn in_function(mut self, path_inside: fn() -> &'static str) -> Self {
        self.function = Some(Function::new(path_inside));
        self
    }
}

/// The request of a site without an identity and without placeholders, whose limit is a constant. It is made once, for the first
/// limiter that decides the site. For any other limiter, each call makes its own request.
#[derive(Debug)]
pub struct SiteRequest(
    /// The id of the limiter, and the request.
    OnceLock<(u64, Request)>,
);

impl SiteRequest {
    /// A request that is not made yet.
    #[expect(clippy::new_without_default, reason = "it initializes a static")]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The request, if this limiter can decide it unchanged, because no override applies and the units are charged at once.
    #[inline]
    pub(super) fn of(&self, site: &Site, limiter: &RateLimiter) -> Option<&Request> {
        let (made_for, request) = self.0.get().or_else(|| self.make(site, limiter))?;
        (*made_for == limiter.id() && limiter.has_no_overrides()).then_some(request)
    }

    #[cold]
    fn make(&self, site: &Site, limiter: &RateLimiter) -> Option<&(u64, Request)> {
        let limit = site.limit.filter(|limit| limit.is_charged_at_once() && !limiter.is_off())?;
        let mut request = Request::new(StoreKey::default(), limit, 1);
        KeyBuilder::new(site.name, site.function).finish(&mut request.key, limiter.keys()).ok()?;
        request.add_format();
        note(site.name.as_str(), &limit, limiter, true);
        Some(self.0.get_or_init(|| (limiter.id(), request)))
    }
}
