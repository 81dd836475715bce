//! The rules of limits, which the runtime and the attribute share: bounds, error messages, and durations as text.

/// Declares an enum, and the list of its variants, which so cannot lack one.
macro_rules! listed {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident),* $(,)? }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All variants.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];
        }
    };
}

mod algorithm;
pub mod block;
pub mod bounds;
mod calendar;
pub mod duration;
pub mod number;
pub mod numbers;
mod refill;
pub mod violation;

pub use algorithm::{Algorithm, State, Turn};
pub use calendar::{Calendar, Window, Zone};
pub use number::{Number, NumberSet, Takes};
pub use refill::Refill;
pub use violation::LimitError;
