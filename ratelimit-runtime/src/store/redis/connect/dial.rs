//! Connects to an endpoint: socket, TLS, login and handshake. The handshake asks the server for its role, and compares the
//! answer with the role that the URL requires.

use super::connection::Connection;
use super::endpoint::{Endpoint, Location};
use super::network;
use super::traffic::{Traffic, Watched};
use crate::error::{Error, ErrorKind};
use crate::store::redis::errors::{Problem, lost_text};
use redis::{ErrorKind as RedisKind, ServerErrorKind, Value};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// The role that a server must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A primary that is not part of a cluster.
    Primary,
    /// A node of a cluster.
    ClusterNode,
    Sentinel,
}

/// Opens a connection to a server, and checks that the server has the expected role.
pub(super) async fn connect(endpoint: &Endpoint, expected: Role) -> Result<Connection, Error> {
    let unreachable = |error: io::Error| endpoint.unreachable(&error);
    let traffic = Traffic::begin();
    let mut connection = match &endpoint.location {
        Location::Tcp(host, port) if network::is_on() => {
            let stream = network::dial(host, *port).map_err(unreachable)?;
            open(endpoint, Watched { stream, traffic: Arc::clone(&traffic) }, traffic).await?
        }
        Location::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(unreachable)?;
            prepare(&stream).map_err(unreachable)?;
            let stream = Watched { stream, traffic: Arc::clone(&traffic) };
            match &endpoint.tls {
                None => open(endpoint, stream, traffic).await?,
                Some(tls) => {
                    let encrypted = tls.connect(host, stream).await;
                    open(endpoint, encrypted.map_err(|problem| endpoint.problem(&problem))?, traffic).await?
                }
            }
        }
        #[cfg(unix)]
        Location::Unix(path) => {
            let stream = tokio::net::UnixStream::connect(path).await.map_err(unreachable)?;
            open(endpoint, Watched { stream, traffic: Arc::clone(&traffic) }, traffic).await?
        }
        _ => {
            let why = "this system has no Unix sockets";
            return Err(endpoint.error(ErrorKind::Configuration, "cannot connect to", why));
        }
    };
    shake_hands(&mut connection, endpoint, expected).await?;
    Ok(connection)
}

/// The system looks after a connection on which nothing is sent, or nothing is confirmed, so that a server that has lost its power
/// is noticed although no call is made. The numbers are well below the time after which firewalls forget a connection.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_AGAIN: Duration = Duration::from_secs(5);
#[cfg(any(target_os = "android", target_os = "linux"))]
const UNCONFIRMED: Duration = Duration::from_secs(10);

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = socket2::SockRef::from(stream);
    let keepalive = socket2::TcpKeepalive::new().with_time(KEEPALIVE);
    #[cfg(not(any(target_os = "openbsd", target_os = "solaris", target_os = "haiku")))]
    let keepalive = keepalive.with_interval(KEEPALIVE_AGAIN);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(any(target_os = "android", target_os = "linux"))]
    socket.set_tcp_user_timeout(Some(UNCONFIRMED))?;
    Ok(())
}

async fn open<S>(endpoint: &Endpoint, stream: S, traffic: Arc<Traffic>) -> Result<Connection, Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    Connection::open(&endpoint.settings, stream, traffic).await.map_err(|error| {
        let is_plain = endpoint.tls.is_none();
        let mut problem = match error.kind() {
            RedisKind::Io if is_plain => {
                Problem::unavailable("lost the new connection to", lost_text(&error))
            }
            _ => Problem::of_new_connection(&error),
        };
        if is_plain && matches!(error.kind(), RedisKind::Io | RedisKind::Parse) {
            problem.why = format!("{}; if the server requires TLS, write `rediss`", problem.why).into();
        }
        endpoint.problem(&problem)
    })
}

/// Asks a server for its role by `HELLO`, which needs no permission. A server that does not know `HELLO` is accepted.
async fn shake_hands(connection: &mut Connection, endpoint: &Endpoint, expected: Role) -> Result<(), Error> {
    let reply = match connection.send(&redis::cmd("HELLO")).await {
        Ok(reply) => reply,
        Err(error)
            if error.code() == Some("NOAUTH")
                || matches!(
                    error.kind(),
                    RedisKind::Io
                        | RedisKind::Parse
                        | RedisKind::Server(ServerErrorKind::NoPerm)
                        | RedisKind::AuthenticationFailed
                ) =>
        {
            return Err(endpoint.problem(&Problem::of_new_connection(&error)));
        }
        Err(_) => return Ok(()),
    };
    let fields: HashMap<String, Value> = redis::from_redis_value(reply).unwrap_or_default();
    let field = |name| match fields.get(name) {
        Some(Value::BulkString(text)) => std::str::from_utf8(text).unwrap_or_default(),
        Some(Value::SimpleString(text)) => text,
        _ => "",
    };
    match mismatch(expected, field("mode"), field("role"), endpoint) {
        None => Ok(()),
        Some((kind, why)) => Err(endpoint.error(kind, "cannot use", why)),
    }
}

/// Compares the expected role with the fields `mode` and `role` of the reply. Returns the error if they differ.
fn mismatch(expected: Role, mode: &str, role: &str, at: &Endpoint) -> Option<(ErrorKind, String)> {
    let configuration = |why| Some((ErrorKind::Configuration, why));
    match (expected, mode, role) {
        (Role::Sentinel, "standalone" | "cluster", _) => configuration(format!(
            "the server is not a sentinel; write `redis://{at}` or `redis+cluster://{at}`"
        )),
        (Role::Primary | Role::ClusterNode, "sentinel", _) => configuration(format!(
            "the server is a sentinel; write `redis+sentinel://{at}/` and the name of the primary"
        )),
        (Role::Primary, "cluster", _) => {
            configuration(format!("the server is a node of a cluster; write `redis+cluster://{at}`"))
        }
        (Role::ClusterNode, "standalone", _) => {
            configuration(format!("the server is not a node of a cluster; write `redis://{at}`"))
        }
        // A failover may be under way, so the error passes by itself.
        (Role::Primary, _, "replica" | "slave") => Some((
            ErrorKind::Unavailable,
            "the server is a replica, which cannot store limits; write the address of the primary, or use sentinels \
             (`redis+sentinel://`)"
                .to_owned(),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_to_write() {
        let at = Endpoint::given().announced("a", 7000);
        for (expected, mode, role, why) in [
            (Role::Primary, "standalone", "master", None),
            (Role::Primary, "", "", None),
            (Role::Primary, "cluster", "master", Some("write `redis+cluster://a:7000`")),
            (Role::Primary, "sentinel", "", Some("write `redis+sentinel://a:7000/`")),
            (Role::Primary, "standalone", "replica", Some("the server is a replica")),
            (Role::ClusterNode, "cluster", "replica", None),
            (Role::ClusterNode, "standalone", "master", Some("write `redis://a:7000`")),
            (Role::ClusterNode, "sentinel", "", Some("the server is a sentinel")),
            (Role::Sentinel, "sentinel", "", None),
            (Role::Sentinel, "standalone", "master", Some("the server is not a sentinel")),
        ] {
            match (mismatch(expected, mode, role, &at), why) {
                (None, None) => {}
                (Some((_, shown)), Some(why)) if shown.contains(why) => {}
                (shown, _) => panic!("{expected:?} {mode} {role}: {shown:?}"),
            }
        }
    }
}
