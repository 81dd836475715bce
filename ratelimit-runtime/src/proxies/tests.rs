//! Tests of requests whose client cannot be found, and of headers that must not be read.

use super::*;
use crate::error::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr};

const PROXY: PeerAddr = PeerAddr::Ip(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)));
const STRANGER: PeerAddr = PeerAddr::Ip(IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1)));
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));

struct Sent(&'static str);

impl RequestHeaders for Sent {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        if name == "x-forwarded-for" {
            line(self.0.as_bytes());
        }
    }
}

/// Headers that panic if they are read.
struct Untouched;

impl RequestHeaders for Untouched {
    fn header_lines<'a>(&'a self, name: &str, _: &mut dyn FnMut(&'a [u8])) {
        panic!("the header {name} was read");
    }
}

fn trusting(networks: &[&str]) -> Proxies {
    let networks = Some(networks.iter().map(ToString::to_string).collect());
    Settings { networks, ..Settings::default() }.build().unwrap()
}

fn counting(hops: u8) -> Proxies {
    Settings { hops: Some(hops), ..Settings::default() }.build().unwrap()
}

fn problem(proxies: &Proxies, peer: Option<PeerAddr>, headers: Option<&dyn RequestHeaders>) -> String {
    let error = proxies.resolve(peer.as_ref(), headers).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    error.to_string()
}

#[test]
fn a_request_without_a_peer_is_an_error_whatever_its_headers_say() {
    for proxies in [Proxies::default(), trusting(&["10.0.0.0/8"]), counting(1)] {
        let said = problem(&proxies, None, Some(&Untouched));
        assert!(
            said.starts_with("the request has no client address; with axum 0.8, serve with `into_make"),
            "{said}"
        );
    }
}

#[test]
fn a_trusted_peer_without_headers_is_an_error() {
    for proxies in [trusting(&["10.0.0.0/8"]), counting(1)] {
        let said = problem(&proxies, Some(PROXY), None);
        assert!(said.contains("add `HeaderMap` (or the request) to the arguments"), "{said}");
        assert!(said.contains("or `RateLimitLayer`"), "{said}");
    }
}

#[test]
fn an_untrusted_peer_needs_no_headers_and_nobody_reads_them() {
    for proxies in [Proxies::default(), trusting(&["10.0.0.0/8", "unix"])] {
        assert_eq!(proxies.resolve(Some(&STRANGER), None).ok(), STRANGER.ip());
        assert_eq!(proxies.resolve(Some(&STRANGER), Some(&Untouched)).ok(), STRANGER.ip());
    }
}

#[test]
fn a_unix_socket_has_an_address_only_behind_a_trusted_proxy() {
    let said = problem(&trusting(&["10.0.0.0/8"]), Some(PeerAddr::Unix), Some(&Untouched));
    assert!(said.ends_with("add \"unix\" to `trusted_proxies`"), "{said}");
    let said = problem(&Proxies::default(), Some(PeerAddr::Unix), Some(&Untouched));
    assert!(said.contains("unix socket"), "{said}");
    for proxies in [trusting(&["unix"]), counting(1)] {
        let found = proxies.resolve(Some(&PeerAddr::Unix), Some(&Sent("203.0.113.7")));
        assert_eq!(found.ok(), Some(CLIENT));
        let said = problem(&proxies, Some(PeerAddr::Unix), Some(&Sent("unknown")));
        assert!(said.contains("let it send `x-forwarded-for`"), "{said}");
    }
}

#[test]
fn a_peer_of_nat64_is_not_trusted_as_the_ipv4_address_in_it() {
    let through: Ipv6Addr = "64:ff9b::10.0.0.1".parse().unwrap();
    let found = trusting(&["10.0.0.0/8"]).resolve(Some(&IpAddr::from(through).into()), Some(&Untouched));
    assert_eq!(found.ok(), Some(through.into()));
}

#[test]
fn replaced_networks_apply_to_the_next_call() {
    let proxies = Proxies::default();
    let client = || proxies.resolve(Some(&PROXY), Some(&Sent("203.0.113.7"))).ok();
    assert_eq!(client(), PROXY.ip());
    proxies.replace(&["10.0.0.0/8"]).unwrap();
    assert_eq!(client(), Some(CLIENT));
    assert!(proxies.replace(&[""; 0]).is_err() && proxies.replace(&["::/0"]).is_err());
    assert_eq!(client(), Some(CLIENT), "a refused list changes nothing");
    proxies.replace(&["192.0.2.1"]).unwrap();
    assert_eq!(client(), PROXY.ip());
}

#[test]
fn a_forwarding_header_of_a_local_peer_is_a_proxy() {
    for (peer, is_local) in [
        ("10.1.2.3", true),
        ("127.0.0.1", true),
        ("169.254.0.1", true),
        ("100.64.0.1", true),
        ("100.127.0.1", true),
        ("100.128.0.1", false),
        ("101.64.0.1", false),
        ("203.0.113.7", false),
        ("::1", true),
        ("fd00::1", true),
        ("fe80::1", true),
        ("2001:db8::1", false),
    ] {
        let peer: IpAddr = peer.parse().unwrap();
        let found = error::forwarding_header(peer.into(), &Sent("203.0.113.7"));
        assert_eq!(found, is_local.then_some("x-forwarded-for"), "{peer}");
    }
    assert_eq!(error::forwarding_header(PeerAddr::Unix, &Sent("203.0.113.7")), None);
}

#[test]
fn settings_with_anything_set_are_not_empty() {
    let none = Settings::default;
    assert!(none().is_empty());
    let set = [
        Settings { networks: Some(Vec::new()), ..none() },
        Settings { hops: Some(1), ..none() },
        Settings { header: Some(Ok(Header::default())), ..none() },
    ];
    assert!(set.iter().all(|settings| !settings.is_empty()));
}
