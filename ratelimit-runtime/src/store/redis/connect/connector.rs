//! How a connection comes about: to which server, and whether it is the right one.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::connection::{Connection, Handed};
use crate::store::redis::connect::endpoint::{Address, Place};
use crate::store::redis::connect::handshake::{Expected, greet};
use crate::store::redis::connect::sentinel::Sentinels;
use crate::store::redis::errors::failure;
use crate::store::redis::errors::text::{lost, of_system};
use redis::ErrorKind as RedisKind;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// The way to a server.
pub(crate) enum Way {
    /// To one that decides by itself.
    Server(Address),
    /// To a node of a cluster.
    Node(Address),
    /// To the primary that sentinels name.
    Sentinel(Sentinels),
    /// Somebody else has found it.
    Handed(Handed, Address),
}

impl Way {
    pub(crate) fn address(&self) -> &Address {
        match self {
            Self::Server(address) | Self::Node(address) | Self::Handed(_, address) => address,
            Self::Sentinel(sentinels) => sentinels.address(),
        }
    }

    pub(crate) async fn connect(&self) -> Result<Connection, Error> {
        match self {
            Self::Server(address) => connect(address, Expected::Primary).await,
            Self::Node(address) => connect(address, Expected::Node).await,
            Self::Sentinel(sentinels) => sentinels.connect().await,
            Self::Handed(handed, address) => {
                let mut connection = Connection::handed(handed);
                let lives = connection.lives().await;
                lives.map(|()| connection).map_err(|error| failure::explain(address, &error))
            }
        }
    }
}

/// A connection to a server that is what it is expected to be.
pub(crate) async fn connect(address: &Address, expected: Expected) -> Result<Connection, Error> {
    let unreachable =
        |error: io::Error| address.error(ErrorKind::Unavailable, "cannot reach", of_system(&error));
    let mut connection = match &address.place {
        Place::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            match &address.tls {
                None => open(address, stream).await?,
                Some(tls) => open(address, tls.connect(address, host, stream).await?).await?,
            }
        }
        #[cfg(unix)]
        Place::Unix(path) => {
            let stream = tokio::net::UnixStream::connect(path).await.map_err(unreachable)?;
            open(address, stream).await?
        }
        _ => {
            return Err(address.error(
                ErrorKind::Configuration,
                "cannot connect to",
                "this system has no such sockets",
            ));
        }
    };
    greet(&mut connection, address, expected).await?;
    Ok(connection)
}

async fn open<S>(address: &Address, stream: S) -> Result<Connection, Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    Connection::over(&address.settings, stream).await.map_err(|error| match error.kind() {
        RedisKind::Parse if address.tls.is_none() => address.error(
            ErrorKind::Configuration,
            "cannot understand",
            "it does not answer as Redis or Valkey does; where it wants TLS, write `rediss`",
        ),
        RedisKind::Io if address.tls.is_none() => address.error(
            ErrorKind::Unavailable,
            "cannot talk to",
            format_args!("{}; where it wants TLS, write `rediss`", lost(&error)),
        ),
        _ => failure::explain(address, &error),
    })
}
