//! Opens connections: reads the URL, connects to a server, and checks it in a handshake.
//!
//! Each module imports only from those before it: [`network`], [`traffic`], [`tls`], [`endpoint`], [`io`], [`connection`],
//! [`dial`], [`connector`], [`url`].

mod connection;
mod connector;
mod dial;
mod endpoint;
mod io;
pub mod network;
mod tls;
mod traffic;
mod url;

pub(crate) use connection::{Connection, UNRESPONSIVE_AFTER};
pub(crate) use connector::Connector;
pub(crate) use dial::Role;
pub(crate) use endpoint::{AddressMap, Endpoint, Location, is_host};
pub(crate) use io::Borrowed;
pub(crate) use url::Target;
