//! Tests the results of refused calls: return types, HTTP responses, and `on_error`.

mod answers;
mod fallible;
mod internal;
mod on_error;
mod public_names;
mod return_types;
mod targets;
