//! Script calls: the Lua texts, their arguments, and their replies.
//!
//! `lua/README.md` describes the scripts. `decide` and `adjust` handle any number of keys. A single plain request has a
//! smaller script of its own ([`single`]).

mod arguments;
mod call;
mod numbers;
mod reply;
pub(crate) mod single;
mod text;

pub(crate) use arguments::{differing, encode_adjust, encode_decide, encode_run, mode_name};
pub(crate) use call::ScriptCall;
pub(crate) use numbers::{FOREIGN_KEY, OUT_OF_RANGE};
pub(crate) use reply::{
    InvalidReply, Numbers, WRONG_NUMBER_OF_DECISIONS, adjusted, decision, decisions, longest_reset,
};
pub(crate) use text::Script;
