//! Opens connections: from the URL to a server that has passed the handshake.

pub(crate) mod connection;
pub(crate) mod connector;
pub(crate) mod endpoint;
pub(crate) mod handshake;
pub(crate) mod health;
pub(crate) mod sentinel;
pub(crate) mod tls;
pub(crate) mod url;
