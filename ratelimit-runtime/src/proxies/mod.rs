//! Trusted proxies: whose forwarding header is read, and the address of the client behind them.

mod error;
mod networks;
pub(crate) mod parse;
mod settings;

pub(crate) use networks::Networks;
pub(crate) use settings::Settings;

use crate::error::Error;
use crate::identity::{PeerAddr, RequestHeaders};
use error::configuration;
use parking_lot::RwLock;
use settings::Header;
use smallvec::SmallVec;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The trusted proxies of a limiter.
#[derive(Default)]
pub(crate) struct Proxies {
    header: Header,
    /// The trust that the limiter was built with.
    built: Trust,
    /// The networks that have replaced it.
    replaced: RwLock<Option<Arc<Networks>>>,
    /// [`REPLACED`] and [`WARNED`]. If the limiter trusts nobody, a call reads no other value that can change.
    flags: AtomicU8,
}

/// This flag is set once the networks have been replaced.
const REPLACED: u8 = 1;
/// This flag is set once a proxy that is not configured has been reported.
const WARNED: u8 = 2;

/// Which peers are proxies whose header is read.
#[derive(Clone, Default)]
enum Trust {
    #[default]
    Nobody,
    Networks(Arc<Networks>),
    /// Every peer is a proxy, and this many entries were appended by proxies. From 1 to 16.
    Hops(u8),
}

impl Trust {
    #[inline]
    fn includes(&self, peer: &PeerAddr) -> bool {
        match self {
            Self::Nobody => false,
            Self::Networks(networks) => networks.contain(canonical(peer)),
            Self::Hops(_) => true,
        }
    }
}

impl Proxies {
    /// Replaces the networks for all later calls.
    pub(crate) fn replace<T: AsRef<str>>(&self, networks: &[T]) -> Result<(), Error> {
        if matches!(self.built, Trust::Hops(_)) {
            return Err(configuration(
                "this limiter counts hops and has no trusted networks to replace; build it with `trusted_proxies`",
            ));
        }
        let networks = Arc::new(Networks::parse(networks)?);
        *self.replaced.write() = Some(networks);
        self.flags.fetch_or(REPLACED, Ordering::Relaxed);
        Ok(())
    }

    /// Finds the address of the client.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the server does not know the peer, if the peer is a trusted
    /// proxy and the headers are not at hand, or if there is only a unix socket.
    #[inline]
    pub(crate) fn resolve(
        &self,
        peer: Option<&PeerAddr>,
        headers: Option<&dyn RequestHeaders>,
    ) -> Result<IpAddr, Error> {
        let peer = peer.ok_or_else(|| configuration(error::NO_PEER))?;
        let flags = self.flags.load(Ordering::Relaxed);
        let replaced;
        let trust = if flags & REPLACED == 0 {
            &self.built
        } else {
            replaced = self.replacement();
            &replaced
        };
        if !trust.includes(peer) {
            if let Some(headers) = headers.filter(|_| flags & WARNED == 0 && matches!(trust, Trust::Nobody)) {
                self.report_proxy(peer, headers);
            }
            return match peer {
                // The usual case, in which the compiler reads four bytes instead of sixteen.
                PeerAddr::Ip(IpAddr::V4(address)) => Ok((*address).into()),
                _ => canonical(peer).ip().ok_or_else(|| configuration(error::UNIX_SOCKET)),
            };
        }
        let peer = canonical(peer);
        let headers = headers.ok_or_else(|| configuration(error::NO_HEADERS))?;
        self.behind(trust, peer, headers).ip().ok_or_else(|| error::nameless_proxy(&self.header.name))
    }

    /// The client of a trusted peer, or the last hop that is known.
    fn behind(&self, trust: &Trust, peer: PeerAddr, headers: &dyn RequestHeaders) -> PeerAddr {
        let mut lines = SmallVec::<[&[u8]; MOST_ENTRIES]>::new();
        headers.header_lines(&self.header.name, &mut |line| {
            // Each line has at least one entry, so no more lines than entries are walked.
            if lines.len() == MOST_ENTRIES {
                lines.remove(0);
            }
            lines.push(line);
        });
        match self.header.syntax {
            Some(syntax) => {
                let entries = lines.iter().rev().flat_map(|line| parse::entries(syntax, line));
                client(trust, peer, entries)
            }
            None => match lines[..] {
                [line] => parse::single(line).map_or(peer, PeerAddr::Ip),
                _ => peer,
            },
        }
    }

    fn replacement(&self) -> Trust {
        let replaced = self.replaced.read().clone();
        // Another thread may see the flag before it sees the networks.
        replaced.map_or_else(|| self.built.clone(), Trust::Networks)
    }

    /// Reports a proxy that is not configured, if the request came through one. At most once.
    #[cold]
    fn report_proxy(&self, peer: &PeerAddr, headers: &dyn RequestHeaders) {
        if let Some(header) = error::forwarding_header(canonical(peer), headers)
            && self.flags.fetch_or(WARNED, Ordering::Relaxed) & WARNED == 0
        {
            error::warn(header);
        }
    }
}

/// A dual-stack socket shows IPv4 peers as mapped addresses.
#[inline]
fn canonical(peer: &PeerAddr) -> PeerAddr {
    match peer {
        // Copies four bytes instead of a whole address, whose last bytes were written separately.
        PeerAddr::Ip(IpAddr::V4(address)) => PeerAddr::Ip(IpAddr::V4(*address)),
        PeerAddr::Ip(IpAddr::V6(address)) => PeerAddr::Ip(address.to_canonical()),
        PeerAddr::Unix => PeerAddr::Unix,
    }
}

/// The number of entries that are walked at most. The rest of the header is not parsed.
const MOST_ENTRIES: usize = 32;

/// Finds the client of a trusted peer among the entries, which come from the right. An entry without an address ends the walk
/// at the last good hop, because nobody knows who has written what is on its left.
fn client(trust: &Trust, peer: PeerAddr, entries: impl Iterator<Item = Option<IpAddr>>) -> PeerAddr {
    if let Trust::Hops(hops) = trust {
        return nth(*hops, peer, entries);
    }
    let (mut client, mut entries) = (peer, entries.take(MOST_ENTRIES));
    while trust.includes(&client)
        && let Some(Some(address)) = entries.next()
    {
        client = PeerAddr::Ip(address);
    }
    client
}

/// The entry with this number, counted from 1. If the list is too short, that many proxies did not write it, and the result
/// is the peer.
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

#[cfg(test)]
mod tests;
