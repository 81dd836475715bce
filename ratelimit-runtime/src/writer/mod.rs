//! Writes values into a key: escaped, limited in length, and hashed if they are long or secret.
//!
//! [`identity`](crate::identity) says which values, and [`key`](crate::key) where they are in a key.

mod bytes;
mod digits;
mod ip;
mod settings;
mod write;

pub(crate) use bytes::{Bytes, copy};
pub(crate) use digits::{push_hex_number, push_number};
pub(crate) use settings::KeySettings;
pub use write::KeyWriter;
pub(crate) use write::{Absent, is_plain, is_written, push_escaped};
