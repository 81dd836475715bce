//! `Site`: the constants of one attribute in the generated code. `Known`: what is computed once for a site.

use crate::key::{Function, KeyBuilder, Name, NameGroup};
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
    /// The attribute. `None` if the key contains the type of a method, which the name does not tell.
    place: Option<&'static Location<'static>>,
    known: Option<&'static Known>,
}

impl Site {
    /// A site whose limit is a constant.
    #[track_caller]
    pub const fn new(name: &'static str, limit: Limit) -> Self {
        let place = Location::caller();
        Self {
            name: Name::of_site(name),
            function: None,
            limit: Some(limit),
            place: Some(place),
            known: None,
        }
    }

    /// A site whose limit is set at each call.
    #[track_caller]
    pub const fn per_call(name: &'static str) -> Self {
        let place = Location::caller();
        Self { name: Name::of_site(name), function: None, limit: None, place: Some(place), known: None }
    }

    pub(super) fn source(&'static self) -> Source {
        match self.limit {
            Some(_) => {
                let place = self.place.filter(|_| self.function.is_none());
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

    /// Notes that the key contains the type of a method, so that methods of one name have separate states.
    pub const fn in_type(mut self) -> Self {
        self.place = None;
        self
    }

    /// Marks the name as the path of a function, which may be declared inside another function. `path_inside` returns the
    /// `type_name` of a type that is declared in the function.
    pub const fn in_function(mut self, path_inside: fn() -> &'static str) -> Self {
        self.function = Some(Function::new(path_inside));
        self
    }
}

/// What is the same for all calls of a site with a constant limit. It is computed once, for the first limiter that decides the
/// site. Calls of any other limiter compute it themselves.
#[derive(Debug)]
pub struct Known(OnceLock<Facts>);

#[derive(Debug)]
pub(super) struct Facts {
    /// The id of the limiter.
    limiter: u64,
    /// The summand of the name in the hashes of keys.
    pub(super) name: u128,
    /// The request, if all callers share the limit and the units are charged at once.
    request: Option<Request>,
}

impl Known {
    /// Creates an empty cell.
    #[expect(clippy::new_without_default, reason = "it initializes a static")]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }
}

impl Site {
    /// Sets the cell of what is computed once. A site that is not a static has none.
    pub const fn knows(mut self, known: &'static Known) -> Self {
        self.known = Some(known);
        self
    }

    /// What is known of the calls of this limiter. The first call registers the limit.
    #[inline]
    pub(super) fn facts(&'static self, limiter: &RateLimiter) -> Option<&'static Facts> {
        let facts = self.known?.0.get().or_else(|| self.learn(limiter))?;
        (facts.limiter == limiter.id()).then_some(facts)
    }

    #[cold]
    fn learn(&'static self, limiter: &RateLimiter) -> Option<&'static Facts> {
        let limit = self.limit.filter(|_| !limiter.is_off())?;
        note(self.name.as_str(), &limit, limiter, self.source());
        let (settings, mut key) = (limiter.keys(), KeyBuilder::new(self.name, self.function));
        let name = self.name.summand(settings.secrets);
        let request = (limit.is_charged_at_once() && key.complete(settings).is_ok()).then(|| {
            let mut request = Request::new(StoreKey::default(), limit, 1);
            key.render(&mut request.key, settings);
            key.add_format(name, &mut request.key, &limit, settings);
            request
        });
        Some(self.known?.0.get_or_init(|| Facts { limiter: limiter.id(), name, request }))
    }
}

impl Facts {
    #[inline]
    pub(super) const fn group(&self) -> NameGroup {
        NameGroup::of(self.name)
    }

    /// The request of a call that has no key of its own, if the limiter has no override of the limit.
    #[inline]
    pub(super) fn request(&self, limiter: &RateLimiter) -> Option<&Request> {
        self.request.as_ref().filter(|_| limiter.has_no_overrides(self.group()))
    }
}
