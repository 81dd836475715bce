//! The connector of a node: opens each new connection to its server.

use super::connection::{Connection, GivenConnection};
use super::endpoint::{Endpoint, Location};
use super::handshake::{Role, shake_hands};
use super::network;
use super::sentinel::Sentinels;
use crate::error::{Error, ErrorKind};
use crate::store::redis::errors::{Problem, io_text, lost_text};
use redis::ErrorKind as RedisKind;
use redis::aio::ConnectionLike;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

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

/// Opens a connection to a server, and checks that the server has the expected role.
pub(super) async fn connect(endpoint: &Endpoint, expected: Role) -> Result<Connection, Error> {
    let unreachable =
        |error: io::Error| endpoint.error(ErrorKind::Unavailable, "cannot connect to", io_text(&error));
    let mut connection = match &endpoint.location {
        Location::Tcp(host, port) if network::is_on() => {
            open(endpoint, network::dial(host, *port).map_err(unreachable)?).await?
        }
        Location::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            match &endpoint.tls {
                None => open(endpoint, stream).await?,
                Some(tls) => {
                    let encrypted = tls.connect(host, stream).await;
                    open(endpoint, encrypted.map_err(|problem| endpoint.problem(&problem))?).await?
                }
            }
        }
        #[cfg(unix)]
        Location::Unix(path) => {
            let stream = tokio::net::UnixStream::connect(path).await.map_err(unreachable)?;
            open(endpoint, stream).await?
        }
        _ => {
            let why = "this system has no Unix sockets";
            return Err(endpoint.error(ErrorKind::Configuration, "cannot connect to", why));
        }
    };
    shake_hands(&mut connection, endpoint, expected).await?;
    Ok(connection)
}

async fn open<S>(endpoint: &Endpoint, stream: S) -> Result<Connection, Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    Connection::open(&endpoint.settings, stream).await.map_err(|error| {
        let (kind, what, why) = match error.kind() {
            RedisKind::Parse if endpoint.tls.is_none() => {
                let problem = Problem::of_new_connection(&error);
                (problem.kind, problem.what, problem.why)
            }
            RedisKind::Io if endpoint.tls.is_none() => {
                (ErrorKind::Unavailable, "lost the new connection to", lost_text(&error).into())
            }
            _ => return endpoint.problem(&Problem::of_new_connection(&error)),
        };
        endpoint.error(kind, what, format_args!("{why}; if the server requires TLS, write `rediss`"))
    })
}
