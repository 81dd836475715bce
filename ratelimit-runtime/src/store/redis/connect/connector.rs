//! The connector of a node: opens each new connection to its server.

use super::connection::{Connection, GivenConnection};
use super::dial::connect;
use super::endpoint::Endpoint;
use super::handshake::Role;
use super::sentinel::Sentinels;
use crate::error::Error;
use redis::aio::ConnectionLike;
use std::sync::Arc;

/// How a connection is opened.
pub(crate) enum Connector {
    Server(Endpoint, Role),
    Sentinels(Sentinels),
    Given(GivenConnection, Endpoint),
}

impl Connector {
    /// Uses clones of a connection that the application has opened.
    pub(crate) fn given<C>(connection: C) -> Self
    where
        C: ConnectionLike + Clone + Send + Sync + 'static,
    {
        Self::Given(Arc::new(move || Box::new(connection.clone())), Endpoint::given())
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        match self {
            Self::Server(endpoint, _) | Self::Given(_, endpoint) => endpoint,
            Self::Sentinels(sentinels) => sentinels.endpoint(),
        }
    }

    /// Opens a connection to a server with the expected role.
    pub(crate) async fn connect(&self) -> Result<Connection, Error> {
        match self {
            Self::Server(endpoint, role) => connect(endpoint, *role).await,
            Self::Sentinels(sentinels) => sentinels.connect().await,
            Self::Given(given, endpoint) => {
                let mut connection = Connection::given(given);
                let ping = connection.ping().await;
                ping.map(|()| connection).map_err(|error| endpoint.explain(&error))
            }
        }
    }
}
