//! Tests of the proxy: which data is lost, and which side notices the loss.

use crate::wait::until;
use crate::{Proxy, RedisServer, Traffic};
use redis::{Client, Connection, RedisResult};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_secs(10);

fn through(proxy: &Proxy) -> RedisResult<Connection> {
    let connection = Client::open(proxy.url())?.get_connection_with_timeout(LONG)?;
    connection.set_read_timeout(Some(LONG))?;
    Ok(connection)
}

/// Increments a counter in the server with a script.
fn count(connection: &mut Connection) -> RedisResult<u32> {
    redis::cmd("EVAL").arg("return redis.call('INCR', KEYS[1])").arg(1).arg("count").query(connection)
}

fn counted(server: &RedisServer) -> u32 {
    redis::cmd("GET").arg("count").query::<Option<u32>>(&mut server.raw()).unwrap().unwrap_or(0)
}

fn start() -> (RedisServer, Proxy) {
    let server = RedisServer::start();
    let proxy = Proxy::start(server.port());
    (server, proxy)
}

#[test]
fn what_is_swallowed_never_arrives() {
    let (server, proxy) = start();
    let (mut connection, mut idle) = (through(&proxy).unwrap(), through(&proxy).unwrap());
    connection.set_read_timeout(Some(SHORT)).unwrap();
    proxy.set(Traffic::Swallow);
    let error = count(&mut connection).unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    let mut raw = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).unwrap();
    raw.set_read_timeout(Some(SHORT)).unwrap();
    until("it is swallowed", || proxy.lost() == 1);
    raw.write_all(b"PING\r\n").unwrap();
    assert_eq!(raw.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    until("it is swallowed", || proxy.lost() == 2);
    proxy.set(Traffic::Pass);
    // A connection that lost data is reset. Other connections stay open.
    raw.set_read_timeout(Some(LONG)).unwrap();
    assert_eq!(raw.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(count(&mut idle).unwrap(), 1);
    assert_eq!(counted(&server), 1);
}

#[test]
fn a_lost_reply_is_that_of_a_call_that_was_made() {
    let (server, proxy) = start();
    let mut connection = through(&proxy).unwrap();
    connection.set_read_timeout(Some(SHORT)).unwrap();
    proxy.set(Traffic::LoseReplies);
    redis::cmd("PING").exec(&mut connection).unwrap();
    assert!(count(&mut connection).unwrap_err().is_timeout());
    assert_eq!(counted(&server), 1);
    proxy.set(Traffic::CutReplies);
    let mut connection = through(&proxy).unwrap();
    redis::cmd("PING").exec(&mut connection).unwrap();
    let error = count(&mut connection).unwrap_err();
    assert!(!error.is_timeout() && error.is_connection_dropped(), "{error}");
    assert_eq!(counted(&server), 2);
}
