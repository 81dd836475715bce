//! The Lua scripts: arguments, keys, permissions, foreign data, and deliberate mistakes that the tests must notice.

pub(crate) mod arguments;
pub(crate) mod foreign_keys;
mod merged_requests;
mod mutants;
mod permissions;
mod source_rules;
mod stored_keys;
