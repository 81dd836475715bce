//! `Site`: the constants of one attribute in the generated code. `SiteRequest`: a site's request, if it is constant.

use crate::key::{Function, KeyBuilder, Name};
use crate::limit::Limit;
use crate::limiter::{RateLimiter, note};
use crate::observe::registry::Source;
use crate::store::{Request, StoreKey};
use std::panic::Location;
use std::sync::OnceLock;

/// The name of an attribute, and its limit if the limit is a constant.
#[derive(Debug)]
pub struct Site {
    pub(super) name: Name<'static>,
    /// The function whose path is the name, if the function may be declared inside another function. The key then contains the
    /// place of the function, so that functions of the same name have separate limits.
    pub(super) function: Option<Function>,
    pub(super) limit: Option<Limit>,
    /// The attribute.
    place: &'static Location<'static>,
}

impl Site {
    /// A site whose limit is a constant.
    #[track_caller]
    pub const fn new(name: &'static str, limit: Limit) -> Self {
        let place = Location::caller();
        Self { name: Name::of_site(name), function: None, limit: Some(limit), place }
    }

    /// A site whose limit is set at each call.
    #[track_caller]
    pub const fn per_call(name: &'static str) -> Self {
        let place = Location::caller();
        Self { name: Name::of_site(name), function: None, limit: None, place }
    }

    /// Returns where the limit is written, for the registry.
    pub(super) fn source(&'static self) -> Source {
        match self.limit {
            Some(_) => {
                let place = self.function.is_none().then_some(self.place);
                Source { site: std::ptr::from_ref(self).addr(), place }
            }
            None => Source::default(),
        }
    }

    /// Marks the name as the attribute's `key`. Generated code calls this for a `key` that contains `::`. Otherwise such a name
    /// would look like the path of a function, and clients would see only its last part.
    pub const fn written(mut self) -> Self {
        self.name = Name::written(self.name.as_str());
        self
    }

    /// Marks the name as the path of a function, which may be declared inside another function. `path_inside` returns the
    /// `type_name` of a type that is declared in the function.
    pub const fn in_function(mut self, path_inside: fn() -> &'static str) -> Self {
        self.function = Some(Function::new(path_inside));
        self
    }
}

/// The constant request of a site: its limit is a constant, and it has no identity and no placeholders. The request is made
/// once, for the first limiter that decides the site. For any other limiter, each call makes its own request.
#[derive(Debug)]
pub struct SiteRequest(
    /// The id of the limiter, and the request.
    OnceLock<(u64, Request)>,
);

impl SiteRequest {
    /// Creates an empty cell for the request.
    #[expect(clippy::new_without_default, reason = "it initializes a static")]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns the request if it was made for this limiter, the limiter has no overrides, and the units of the limit are
    /// charged at once. In all other cases, returns `None`: the call makes its own request.
    #[inline]
    pub(super) fn of(&self, site: &'static Site, limiter: &RateLimiter) -> Option<&Request> {
        let (made_for, request) = self.0.get().or_else(|| self.make(site, limiter))?;
        (*made_for == limiter.id() && limiter.has_no_overrides()).then_some(request)
    }

    #[cold]
    fn make(&self, site: &'static Site, limiter: &RateLimiter) -> Option<&(u64, Request)> {
        let limit = site.limit.filter(|limit| limit.is_charged_at_once() && !limiter.is_off())?;
        let mut request = Request::new(StoreKey::default(), limit, 1);
        KeyBuilder::new(site.name, site.function).finish(&mut request.key, limiter.keys()).ok()?;
        request.add_format();
        note(site.name.as_str(), &limit, limiter, site.source());
        Some(self.0.get_or_init(|| (limiter.id(), request)))
    }
}
