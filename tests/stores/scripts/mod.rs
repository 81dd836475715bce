//! The Lua scripts: arguments, keys, permissions, foreign data, and deliberate mistakes that the tests must notice.

pub(crate) mod arguments;
mod changed_limits;
mod documented_states;
mod failing_commands;
pub(crate) mod foreign_keys;
mod foreign_requests;
mod large_calls;
mod merged_requests;
mod mutants;
mod noticing;
mod permissions;
mod refused_writes;
mod source_rules;
mod spelled_states;
mod stored_keys;
