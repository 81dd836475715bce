//! `cost`, `keep` and the result of `settle`: every unsigned integer is a number of units.

/// A value of the user. An integer without a type becomes a `u32`, because the compiler prefers the type's own method to that of
/// the trait.
pub struct UnitsOf<T>(pub T);

impl UnitsOf<u32> {
    pub fn __ratelimit_units(self) -> u32 {
        self.0
    }
}

/// Returns a value of any other type.
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

/// A number of units.
#[diagnostic::on_unimplemented(
    message = "units are an unsigned integer, and this is `{Self}`",
    label = "expected an unsigned integer",
    note = "of a signed integer, write what a negative one costs: `u32::try_from(cost).unwrap_or(0)`"
)]
pub trait Units {
    /// The units, at most `u32::MAX`.
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

/// The units of a cost, at most `u32::MAX`.
pub fn units(cost: impl Units) -> u32 {
    cost.saturated()
}
