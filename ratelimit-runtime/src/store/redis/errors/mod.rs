//! The meaning of errors: which errors pass by themselves, and which part of their text may be shown.

mod known;
mod problem;
mod text;

pub(crate) use problem::{
    Problem, is_cross_slot, is_not_executed, is_not_executed_here, is_read_only, is_unknown_script,
    passes_by_itself,
};
pub(crate) use text::{io_text, lost_text};
