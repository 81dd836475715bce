//! Identities: the values that say who is limited, and the request types that contain them.

pub(crate) mod client_ip;
pub(crate) mod request;
mod value;

pub use crate::writer::KeyWriter;
pub(crate) use client_ip::ClientIp;
pub use client_ip::{Forwarded, PeerAddr};
pub use request::RequestHeaders;
pub(crate) use request::UserId;
pub use value::{ByDisplay, Identity};
