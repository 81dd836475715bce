//! Estimates that learn: what a call is charged while its real cost is not known yet.
//!
//! A charge with `settle` must cover the largest cost that the call may have, its ceiling. Where calls run for a minute or more, and
//! use a small part of their ceilings, most of the budget then waits for calls that will return it. An [`Estimator`] remembers what
//! was lately settled, and charges the lower of the ceiling and `mean + 2 * sd / sqrt(calls in flight)`. The last term is that of a
//! sum: the more calls are in flight, the more their deviations cancel each other. Everything else is as with any charge: the
//! real cost is settled at the end.
//!
//! In the attribute: `cost = learn(request.max_tokens), settle = |answer| ..`. Without the attribute:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ratelimit::learn::Estimator;
//! use ratelimit::{Key, Limit, RateLimiter, per};
//!
//! const BUDGET: Limit = Limit::token_bucket(100_000, per::MINUTE);
//! static TOKENS: Estimator = Estimator::new();
//!
//! # let limiter = RateLimiter::in_memory();
//! # let customer = 7_u64;
//! for _ in 0..40 {
//!     let estimate = TOKENS.estimate_of("large", 4096); // the class, such as a model, and the ceiling of the request
//!     let charge = limiter.charge_estimate(&BUDGET, Key::new("tokens").by(customer), estimate).await?;
//!     charge.settle(300).await?; // the tokens that the answer took; the estimator learns from it
//! }
//! assert_eq!(TOKENS.estimate_of("large", 4096).units(), 300);
//! assert_eq!(TOKENS.estimate_of("small", 4096).units(), 4096); // nothing is known about this class
//! # Ok(()) }
//! ```
//!
//! # What it learns, and what it forgets
//!
//! - It needs 32 settled calls of a class before it charges less than the ceiling. The last 256 or so count.
//! - A call that is settled at 0, such as one that failed, teaches nothing. Otherwise, an outage of the called service would teach
//!   that calls are free.
//! - A call that is dropped before it is settled teaches nothing, and costs its ceiling, because its real cost is not known. A refund
//!   teaches nothing either.
//! - It lives in this process, and stores nothing in Redis. Each process learns by itself, in less than 2 kB for up to 64 classes. A
//!   class beyond these is charged its ceiling.
//!
//! # When not to use it
//!
//! If callers choose what calls cost, they can teach an estimator that calls are cheap, and then make expensive ones. The budget is then
//! exceeded, by at most `calls in flight * (ceiling - charge)` at a time. Of this, one capacity becomes debt that is paid back, and
//! the rest is never charged. [Budgets that learn](crate::docs::learned_costs) has the numbers.

mod class;
mod classes;
#[cfg(test)]
mod tests;

use crate::macros::opaque;
use crate::store::cost::Cost;
use class::Class;
use classes::Classes;
use std::hash::Hash;

/// Learns what calls cost, and estimates what the next call will cost. Put it into a `static`, one for each limit. The [module](self)
/// has an example.
pub struct Estimator {
    /// The calls without a class.
    plain: Class,
    classes: Classes,
}

impl Estimator {
    /// Creates an estimator that knows nothing. Its estimates are the ceilings.
    pub const fn new() -> Self {
        Self { plain: Class::new(), classes: Classes::new() }
    }

    /// Estimates the cost of a call that costs at most `ceiling` units. A ceiling of 0 is estimated as 0.
    pub fn estimate(&'static self, ceiling: u32) -> Estimate {
        self.estimate_class(NO_CLASS, ceiling)
    }

    /// Estimates the cost of a call of a class, such as a model, from the calls of the same class. Only a hash of the class is stored.
    pub fn estimate_of(&'static self, class: impl Hash, ceiling: u32) -> Estimate {
        self.estimate_class(class_of(&class), ceiling)
    }

    pub(crate) fn estimate_class(&'static self, class: u64, ceiling: u32) -> Estimate {
        let known = if class == NO_CLASS { Some(&self.plain) } else { self.classes.find(class) };
        let units = known.and_then(Class::estimate).map_or(ceiling, |units| units.min(ceiling));
        Estimate { estimator: self, class, ceiling, units }
    }
}

impl Default for Estimator {
    fn default() -> Self {
        Self::new()
    }
}

opaque!(Estimator, |this| classes = this.classes.len());

/// The hash of calls without a class. No class has it.
#[doc(hidden)]
pub const NO_CLASS: u64 = 0;

/// The hash of a class, for generated code.
#[doc(hidden)]
pub fn class_of<T: Hash + ?Sized>(class: &T) -> u64 {
    classes::hash(class)
}

/// The estimated cost of a call that has not begun yet.
#[derive(Clone, Copy)]
#[must_use]
pub struct Estimate {
    estimator: &'static Estimator,
    class: u64,
    ceiling: u32,
    units: u32,
}

impl Estimate {
    /// The units to charge, at most the ceiling.
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// The cost to charge, for methods of a [`RateLimiter`](crate::RateLimiter). [`Cost::keep`] leaves units to others.
    pub const fn cost(&self) -> Cost {
        Cost::new(self.units)
    }

    /// Begins the call. Call it when the call was admitted: a refused call is never in flight.
    /// [`charge_estimate`](crate::RateLimiter::charge_estimate) calls it.
    pub fn begin(self) -> InFlight {
        let Self { estimator, class, ceiling, .. } = self;
        let class = if class == NO_CLASS { Some(&estimator.plain) } else { estimator.classes.place(class) };
        if let Some(class) = class {
            class.begin();
        }
        InFlight { class, ceiling }
    }
}

opaque!(Estimate, |this| units = this.units, ceiling = this.ceiling);

/// A call in flight whose cost is not known yet. When this value is dropped, the call is no longer in flight, and the estimator learns
/// nothing from it.
#[must_use = "a call is in flight until this is dropped or settled"]
pub struct InFlight {
    /// `None` if there are too many classes.
    class: Option<&'static Class>,
    ceiling: u32,
}

impl InFlight {
    /// Ends the call. The estimator learns from its real cost, which may be above its ceiling, unless the cost is 0.
    pub fn settled(self, cost: u32) {
        if let Some(class) = self.class {
            class.learn(cost);
        }
    }

    /// The most that the call was expected to cost.
    pub const fn ceiling(&self) -> u32 {
        self.ceiling
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(class) = self.class {
            class.end();
        }
    }
}

opaque!(InFlight, |this| ceiling = this.ceiling);
