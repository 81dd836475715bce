//! Connects to an endpoint: socket, TLS, login and handshake.

use super::connection::Connection;
use super::endpoint::{Endpoint, Location};
use super::handshake::{Role, shake_hands};
use super::network;
use crate::error::{Error, ErrorKind};
use crate::store::redis::errors::{Problem, io_text, lost_text};
use redis::ErrorKind as RedisKind;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

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
