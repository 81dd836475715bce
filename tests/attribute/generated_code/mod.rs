//! Properties of the generated code: bodies, names, lints, `Send` and memory stay those of the plain function.

mod bodies;
mod footprint;
mod hygiene;
mod lints;
mod names;
mod send;
