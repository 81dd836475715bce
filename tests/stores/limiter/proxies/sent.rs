//! Requests and peers for these tests. A request has the header lines as they were sent.

use ratelimit::identity::{PeerAddr, RequestHeaders};
use ratelimit::{RateLimiter, RateLimiterBuilder};
use std::net::IpAddr;

/// The lines of a request's headers, with names in lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent(Vec<(String, Vec<u8>)>);

impl Sent {
    /// Adds lines of one header.
    pub(crate) fn with<T: AsRef<[u8]>>(mut self, name: &str, lines: impl IntoIterator<Item = T>) -> Self {
        let lines = lines.into_iter().map(|line| (name.to_owned(), line.as_ref().to_vec()));
        self.0.extend(lines);
        self
    }

    pub(crate) fn forwarded_for<T: AsRef<[u8]>>(lines: impl IntoIterator<Item = T>) -> Self {
        Self::default().with("x-forwarded-for", lines)
    }

    fn lines<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        assert!(!name.contains(char::is_uppercase), "headers are looked up in lower case: {name}");
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_slice())
    }
}

impl RequestHeaders for Sent {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.lines(name).for_each(line);
    }
}

/// The peer with this address. `unix` means a Unix socket.
pub(crate) fn peer(text: &str) -> PeerAddr {
    match text {
        "unix" => PeerAddr::Unix,
        address => address.parse::<IpAddr>().unwrap().into(),
    }
}

pub(crate) async fn limiter(set: impl FnOnce(RateLimiterBuilder) -> RateLimiterBuilder) -> RateLimiter {
    set(RateLimiter::builder()).connect().await.unwrap()
}
