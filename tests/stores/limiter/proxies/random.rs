//! Random headers: an untrusted peer cannot choose its identity, and text that a client writes on the left of a proxy's entry
//! changes nothing.

use super::{Sent, limiter, peer};
use crate::harness::{operations, seed};
use fastrand::Rng;
use ratelimit::RateLimiter;
use ratelimit::identity::{Forwarded, PeerAddr};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const HEADERS: [&str; 5] = ["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip", "client-ip"];
const NETWORKS: [&str; 4] = ["10.0.0.0/8", "192.0.2.1", "2001:db8:ff::/48", "unix"];

/// Pieces of the headers that attackers send.
const PIECES: [&str; 22] = [
    "6.6.6.6",
    "10.0.0.9",
    "127.0.0.1",
    "[2001:db8:ff::5]:80",
    "::1",
    "203.0.113.7",
    "for=",
    "for=6.6.6.6",
    "For=\"10.0.0.9\"",
    "\"",
    "\\",
    "\\\"",
    ", ",
    ",",
    ";",
    "=",
    " ",
    "unknown",
    "_x",
    ":80",
    "host=\"a, b\"",
    "\u{e9}",
];

fn text(random: &mut Rng) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.usize(..10) {
        if random.u8(..20) == 0 {
            text.push(random.u8(..));
        } else {
            text.extend(random.choice(PIECES).unwrap().as_bytes());
        }
    }
    text
}

fn lines(random: &mut Rng) -> Vec<Vec<u8>> {
    (0..random.usize(..4)).map(|_| text(random)).collect()
}

/// A random address outside of [`NETWORKS`], in the form that the limiter returns.
fn client(random: &mut Rng) -> IpAddr {
    if random.bool() {
        Ipv4Addr::new(203, 0, 113, random.u8(..)).into()
    } else {
        Ipv6Addr::from_bits((0x2001_0db8_000c << 80) | u128::from(random.u64(..))).into()
    }
}

fn proxy(random: &mut Rng) -> IpAddr {
    match random.u8(..3) {
        0 => Ipv4Addr::from_bits((10 << 24) | random.u32(..1 << 24)).into(),
        1 => Ipv4Addr::new(192, 0, 2, 1).into(),
        _ => Ipv6Addr::from_bits((0x2001_0db8_00ff << 80) | u128::from(random.u64(..))).into(),
    }
}

/// Writes an address in one of several spellings.
fn spelled(random: &mut Rng, address: IpAddr) -> String {
    match (address, random.u8(..4)) {
        (IpAddr::V4(v4), 0) => v4.to_ipv6_mapped().to_string(),
        (IpAddr::V4(v4), 1) => format!("{v4}:{}", random.u16(..)),
        (IpAddr::V6(v6), 0) => format!("[{v6}]:{}", random.u16(..)),
        (IpAddr::V6(v6), 1) => format!("[{v6}]"),
        (IpAddr::V6(v6), 2) => v6.to_string().to_uppercase(),
        (address, _) => address.to_string(),
    }
}

/// The entry that a proxy appends. It names the address that has called the proxy.
fn entry(random: &mut Rng, header: Forwarded<'_>, address: IpAddr) -> String {
    let address = spelled(random, address);
    if header != Forwarded::Rfc7239 {
        return address;
    }
    let host = random.choice(["a.example", "a\\\", for=6.6.6.6, x=\\\"", "a,b;c", "\\\\"]).unwrap();
    match random.u8(..3) {
        0 => format!("for=\"{address}\""),
        1 => format!("for=\"{address}\";host=\"{host}\""),
        _ => format!("proto=https; host=\"{host}\"; For=\"{address}\""),
    }
}

/// Appends the entries of several proxies to the lines of a header. `from` has the address that has called each proxy.
fn append(random: &mut Rng, header: Forwarded<'_>, mut lines: Vec<Vec<u8>>, from: &[IpAddr]) -> Vec<Vec<u8>> {
    for address in from {
        let entry = entry(random, header, *address);
        match lines.last_mut() {
            Some(line) if random.bool() => line.extend_from_slice(format!(", {entry}").as_bytes()),
            _ => lines.push(entry.into_bytes()),
        }
    }
    lines
}

#[tokio::test]
async fn an_untrusted_peer_cannot_choose_its_identity() {
    let mut random = Rng::with_seed(seed());
    let mut limiters = vec![RateLimiter::in_memory()];
    for header in [Forwarded::XForwardedFor, Forwarded::Rfc7239, Forwarded::Single("x-real-ip")] {
        limiters.push(limiter(|builder| builder.trusted_proxies(NETWORKS).forwarded_by(header)).await);
    }
    for _ in 0..operations(10_000) {
        let from = client(&mut random);
        let sent =
            HEADERS.into_iter().fold(Sent::default(), |sent, name| sent.with(name, lines(&mut random)));
        for limiter in &limiters {
            assert_eq!(limiter.client_ip(from, &sent), Some(from), "{sent:?}");
        }
        assert_eq!(limiters[0].client_ip(PeerAddr::Unix, &sent), None, "{sent:?}");
    }
}

#[tokio::test]
async fn what_is_on_the_left_of_a_proxys_entry_changes_nothing() {
    let mut random = Rng::with_seed(seed());
    for header in [Forwarded::XForwardedFor, Forwarded::Rfc7239] {
        let name = if header == Forwarded::Rfc7239 { "forwarded" } else { "x-forwarded-for" };
        let limiter = limiter(|builder| builder.trusted_proxies(NETWORKS).forwarded_by(header)).await;
        for _ in 0..operations(10_000) {
            let client = client(&mut random);
            let mut from = vec![client];
            from.extend((0..random.usize(..4)).map(|_| proxy(&mut random)));
            let left = lines(&mut random);
            let sent = Sent::default().with(name, append(&mut random, header, left, &from));
            let nearest = if random.u8(..8) == 0 { peer("unix") } else { proxy(&mut random).into() };
            assert_eq!(limiter.client_ip(nearest, &sent), Some(client), "{nearest:?} sent {sent:?}");
        }
    }
}

#[tokio::test]
async fn what_is_on_the_left_of_the_counted_hops_changes_nothing() {
    let mut random = Rng::with_seed(seed());
    for hops in 1..=16 {
        for header in [Forwarded::XForwardedFor, Forwarded::Rfc7239] {
            let name = if header == Forwarded::Rfc7239 { "forwarded" } else { "x-forwarded-for" };
            let limiter = limiter(|builder| builder.trusted_hops(hops).forwarded_by(header)).await;
            for _ in 0..operations(300) {
                let from: Vec<IpAddr> = (0..hops).map(|_| client(&mut random)).collect();
                let left = lines(&mut random);
                let sent = Sent::default().with(name, append(&mut random, header, left, &from));
                assert_eq!(limiter.client_ip(client(&mut random), &sent), Some(from[0]), "{hops} {sent:?}");
            }
        }
    }
}
