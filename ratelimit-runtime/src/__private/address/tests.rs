//! Tests which peer and which headers are chosen if several arguments have them.

use super::*;

struct Headers(&'static str);

impl RequestHeaders for Headers {
    fn header_lines<'a>(&'a self, _: &str, line: &mut dyn FnMut(&'a [u8])) {
        line(self.0.as_bytes());
    }
}

struct Request(Option<PeerAddr>, Option<Headers>);

impl RequestPeer for Request {
    fn peer(&self) -> Option<PeerAddr> {
        self.0
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        self.1.as_ref().map(|headers| headers as _)
    }
}

const A: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const B: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn request(peer: impl Into<Option<IpAddr>>, headers: Option<&'static str>) -> Request {
    Request(peer.into().map(PeerAddr::Ip), headers.map(Headers))
}

fn chosen(client: Client<'_>) -> (Option<IpAddr>, Option<&str>) {
    let Address::Peer(peer) = client.address else { panic!("no peer") };
    let headers = client.headers.and_then(|headers| headers.header(""));
    (peer.and_then(PeerAddr::ip), headers.map(|text| std::str::from_utf8(text).unwrap()))
}

macro_rules! client {
    (@ $found:expr;) => {
        chosen(FoundAddress::found(TrustedAddress::trusted($found)))
    };
    (@ $found:expr; $argument:expr, $($next:tt)*) => {
        client!(@ MergeAddress::merge($found, (&&&&&Argument(&$argument)).__ratelimit_probe_ip()); $($next)*)
    };
    ($($argument:expr),*) => {
        client!(@ Nothing; $($argument,)*)
    };
}

#[test]
fn the_first_peer_with_headers_is_chosen() {
    assert_eq!(client!(request(A, None), request(B, None)), (Some(A), None));
    assert_eq!(client!(request(A, None), request(B, Some("b"))), (Some(B), Some("b")));
    assert_eq!(client!(request(A, Some("a")), request(B, Some("b"))), (Some(A), Some("a")));
}

#[test]
fn what_the_chosen_peer_lacks_comes_from_another_argument() {
    assert_eq!(client!(request(None, Some("a")), request(B, None)), (Some(B), Some("a")));
    assert_eq!(client!(Headers("h"), request(A, None)), (Some(A), Some("h")));
    assert_eq!(client!(request(A, None), 5, Headers("h"), Headers("i")), (Some(A), Some("h")));
    assert_eq!(client!(request(A, Some("a")), Headers("h")), (Some(A), Some("a")));
    let socket = SocketAddr::new(A, 1);
    assert_eq!(client!(B, Headers("h"), Some(socket)), (Some(A), Some("h")));
    assert_eq!(client!(socket, request(B, None)), (Some(B), None));
}
