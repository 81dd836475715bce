//! Script calls: the Lua texts, their arguments, and their replies.
//!
//! `lua/README.md` describes the scripts. `decide` and `adjust` handle any number of keys. A single plain request has a
//! separate, smaller script ([`single`]).

mod arguments;
mod call;
mod reply;
pub(crate) mod single;

pub(crate) use arguments::{add_share_keys, differing, encode_adjust, encode_decide, encode_run, mode_name};
pub(crate) use call::{Script, ScriptCall};
pub(crate) use reply::{
    FOREIGN_KEY, InvalidReply, NEVER, Numbers, OUT_OF_RANGE, adjusted, decision, decisions, longest_reset,
};
