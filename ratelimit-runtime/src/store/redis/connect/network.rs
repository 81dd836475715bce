//! A network of streams in memory, for tests. It takes the place of sockets in each thread that has called [`set`].

use std::cell::RefCell;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// A stream that takes the place of a socket.
pub type Stream = Box<dyn Duplex>;

/// The traits that a [`Stream`] implements.
pub trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

type Dial = Box<dyn Fn(&str, u16) -> io::Result<Stream>>;

thread_local! {
    static DIAL: RefCell<Option<Dial>> = const { RefCell::new(None) };
}

/// Sets the function that opens the connections of this thread from now on. `None` returns to sockets.
pub fn set(dial: Option<Dial>) {
    DIAL.set(dial);
}

pub(crate) fn is_on() -> bool {
    DIAL.with_borrow(Option::is_some)
}

pub(crate) fn dial(host: &str, port: u16) -> io::Result<Stream> {
    DIAL.with_borrow(|dial| match dial {
        Some(dial) => dial(host, port),
        None => Err(io::ErrorKind::NotConnected.into()),
    })
}
