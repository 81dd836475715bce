//! The cases of a [`Rejection`], for code that wants to know more than its message.

mod cases;
pub(crate) mod convert;
pub(crate) mod error;

pub(crate) use cases::whole_seconds;
pub use cases::{Limited, Unavailable, Unidentified};
pub(crate) use convert::FromRejection;
pub(crate) use error::Rejection;
