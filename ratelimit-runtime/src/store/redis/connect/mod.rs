//! Opens connections: from the URL to a server that has passed the handshake.
//!
//! Each module imports only from those before it: [`network`], [`tls`], [`endpoint`], [`url`], [`connection`], [`handshake`],
//! [`dial`], [`sentinel`], [`connector`].

mod connection;
mod connector;
mod dial;
mod endpoint;
mod handshake;
pub mod network;
mod sentinel;
mod tls;
mod url;

pub(crate) use connection::{AnySlot, Connection, UNRESPONSIVE_AFTER};
pub(crate) use connector::Connector;
pub(crate) use endpoint::{Endpoint, Location, is_host};
pub(crate) use handshake::Role;
pub(crate) use sentinel::Sentinels;
pub(crate) use url::Target;
