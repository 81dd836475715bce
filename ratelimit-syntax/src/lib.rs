//! Reads `#[rate_limit]` attributes: parses their arguments and their function, checks them, and describes what they mean. It is
//! an implementation detail of `ratelimit-runtime` with no stable interface. The macro expands what this crate has read, and
//! `cargo ratelimit` lists it, so both accept the same attributes and report the same errors.
//!
//! The crate works inside and outside of a procedural macro.
//!
//! | module | what it is |
//! |---|---|
//! | `table`, `args` | the arguments: names, values, spans |
//! | `item`, `impl_block` | the annotated function or block |
//! | `stack` | several limits of one function |
//! | `check` | the rules, and all errors at once |
//! | `model` | the checked attributes, with no open decisions |
//! | `annotated` | all of this for one attribute and its function or block |

#![allow(
    clippy::large_enum_variant,
    reason = "outside of a macro, spans have lines, and make expressions larger"
)]
#![allow(
    clippy::must_use_candidate,
    reason = "only the other crates of this repository call these functions"
)]

#[doc(hidden)]
pub mod annotated;
#[doc(hidden)]
pub mod args;
#[doc(hidden)]
pub mod async_trait;
#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod errors;
#[doc(hidden)]
pub mod future;
#[doc(hidden)]
pub mod impl_block;
#[doc(hidden)]
pub mod item;
#[doc(hidden)]
pub mod key;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod neighbors;
mod rate;
#[doc(hidden)]
pub mod stack;
#[doc(hidden)]
pub mod suggest;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod upgrade;
mod value;

#[cfg(test)]
mod tests;
