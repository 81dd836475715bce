//! Tests the attribute on every item that accepts it: functions, methods, blocks, traits, and functions that return futures.
//! Each test runs the function, and expects a refusal after the last unit.

mod async_trait;
mod conditional_compilation;
mod impl_blocks;
mod instrument;
pub(crate) mod made_by_macros;
mod matrix;
mod methods;
mod returned_futures;
mod returned_scopes;
mod signatures;
