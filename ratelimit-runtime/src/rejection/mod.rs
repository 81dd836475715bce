//! The cases of a [`Rejection`], for code that wants to know more than its message.

pub(crate) mod convert;
pub(crate) mod error;
mod unanswered;

pub(crate) use convert::FromRejection;
pub use error::{Limited, Unavailable, Unidentified};
pub(crate) use error::{Rejection, whole_seconds};
