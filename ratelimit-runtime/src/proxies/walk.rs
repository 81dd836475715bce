//! Walks from the peer to the left, over the entries that trusted proxies have appended.

use super::Trust;
use crate::identity::PeerAddr;
use std::net::IpAddr;

/// The number of entries that are walked at most. The rest of the header is not parsed.
const MOST_ENTRIES: usize = 32;

/// Finds the client of a trusted peer among the entries, which come from the right. An entry without an address ends the walk
/// at the last good hop, because nobody knows who has written what is on its left.
pub(super) fn client(
    trust: &Trust,
    peer: PeerAddr,
    entries: impl Iterator<Item = Option<IpAddr>>,
) -> PeerAddr {
    match trust {
        Trust::Nobody => peer,
        Trust::Networks(networks) => {
            let mut client = peer;
            for address in entries.take(MOST_ENTRIES).map_while(|address| address) {
                client = PeerAddr::Ip(address);
                if !networks.contain(client) {
                    break;
                }
            }
            client
        }
        Trust::Hops(hops) => nth(*hops, peer, entries),
    }
}

/// The entry with this number, counted from 1. A list that is too short was not written by that many proxies: the peer.
fn nth(hops: u8, peer: PeerAddr, mut entries: impl Iterator<Item = Option<IpAddr>>) -> PeerAddr {
    let mut client = peer;
    for _ in 0..hops {
        match entries.next() {
            Some(Some(address)) => client = PeerAddr::Ip(address),
            Some(None) => return client,
            None => return peer,
        }
    }
    client
}
