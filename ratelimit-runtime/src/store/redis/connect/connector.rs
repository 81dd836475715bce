//! The connector of a node: opens each new connection to its server.

use super::connection::{Connection, GivenConnection};
use super::dial;
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
    /// Connects to a primary that is not part of a cluster.
    pub(crate) fn primary(endpoint: Endpoint) -> Self {
        Self::Server(endpoint, Role::Primary)
    }

    /// Connects to a node of a cluster.
    pub(crate) fn cluster_node(endpoint: Endpoint) -> Self {
        Self::Server(endpoint, Role::ClusterNode)
    }

    /// Connects to the primary that sentinels monitor under a name. `primary` contains the settings for the primary.
    pub(crate) fn sentinels(sentinels: Vec<Endpoint>, name: String, primary: Endpoint) -> Self {
        Self::Sentinels(Sentinels::new(sentinels, name, primary))
    }

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
            Self::Server(endpoint, role) => dial::connect(endpoint, *role).await,
            Self::Sentinels(sentinels) => sentinels.connect().await,
            Self::Given(given, endpoint) => {
                let mut connection = Connection::given(given);
                let ping = connection.ping().await;
                ping.map(|()| connection).map_err(|error| endpoint.explain(&error))
            }
        }
    }
}
