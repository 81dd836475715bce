//! Tests that the generated code preserves the body, names, lints, `Send` and memory use of the plain function.

mod bodies;
mod footprint;
mod hygiene;
mod lints;
mod names;
mod send;
