//! Converts `cost`, `keep` and the result of `settle` to a number of units. These values may be of any unsigned integer type.

use std::sync::atomic::{AtomicU8, Ordering};

/// A value from the user's code. An integer literal without a suffix becomes a `u32`, because the compiler prefers the inherent
/// method to the method of the trait.
pub struct UnitsOf<T>(pub T);

impl UnitsOf<u32> {
    pub fn __ratelimit_units(self) -> u32 {
        self.0
    }
}

/// Unwraps a value of any type except `u32`.
pub trait ProbeUnits {
    type Units;
    fn __ratelimit_units(self) -> Self::Units;
}

impl<T> ProbeUnits for UnitsOf<T> {
    type Units = T;
    fn __ratelimit_units(self) -> T {
        self.0
    }
}

/// A type that can be a number of units.
#[diagnostic::on_unimplemented(
    message = "units are an unsigned integer, and this is `{Self}`",
    label = "expected an unsigned integer",
    note = "of a signed integer, write what a negative one costs: `u32::try_from(cost).unwrap_or(0)`"
)]
pub trait Units {
    /// More than `u32::MAX` units count as `u32::MAX`.
    fn saturated(self) -> u32;
}

macro_rules! units {
    ($($narrow:ident)*; $($wide:ident)*) => {
        $(impl Units for $narrow {
            fn saturated(self) -> u32 {
                self.into()
            }
        })*
        $(impl Units for $wide {
            fn saturated(self) -> u32 {
                u32::try_from(self).unwrap_or(u32::MAX)
            }
        })*
    };
}

units!(u8 u16 u32; u64 u128 usize);

/// Returns the units of a cost, at most `u32::MAX`.
pub fn units(cost: impl Units) -> u32 {
    cost.saturated()
}

/// Notices that the `cost` of an attribute is always zero, in which case its limit never refuses a call.
#[derive(Default)]
pub struct ZeroCosts(AtomicU8);

impl ZeroCosts {
    /// The number of calls after which it is reported.
    const ENOUGH: u8 = 100;
    /// A call has cost something, or it was reported.
    const DONE: u8 = u8::MAX;

    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Counts the cost of a call. Returns `true` once, if this and all earlier calls have cost nothing and they are enough.
    pub(super) fn is_conspicuous(&self, cost: u32) -> bool {
        let calls = self.0.load(Ordering::Relaxed);
        if calls == Self::DONE {
            return false;
        }
        let next = if cost > 0 || calls + 1 == Self::ENOUGH { Self::DONE } else { calls + 1 };
        // If another call has counted meanwhile, this one is left out.
        let counted = self.0.compare_exchange(calls, next, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        counted && cost == 0 && next == Self::DONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_costs_that_are_always_zero_are_conspicuous() {
        let (always, once) = (ZeroCosts::new(), ZeroCosts::new());
        let found: Vec<usize> = (1..=1000).filter(|_| always.is_conspicuous(0)).collect();
        assert_eq!(found, [100]);
        assert!(!(1..=1000).any(|call| once.is_conspicuous(u32::from(call == 99))));
    }
}
