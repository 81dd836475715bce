//! Converts `cost`, `keep` and the result of `settle` to a number of units. These values may be of any unsigned integer type.

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
    /// Returns the number of units, at most `u32::MAX`.
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
