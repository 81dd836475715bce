//! Everything that the attribute can stand on: functions, methods, blocks, traits, and functions that return futures.
//! Each function runs, and the call after the last unit is refused.

mod async_trait;
mod conditional_compilation;
mod impl_blocks;
mod instrument;
pub(crate) mod made_by_macros;
mod matrix;
mod methods;
mod returned_futures;
mod signatures;
