//! Trusted proxies: decides which peers are trusted proxies, and finds the address of the client behind them.

mod error;
mod kept;
mod networks;
pub(crate) mod parse;
mod settings;

pub(crate) use kept::KeptHeaders;
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
    /// The networks that have replaced `built`, if any.
    replaced: RwLock<Option<Arc<Networks>>>,
    /// The flags [`REPLACED`] and [`WARNED`]. Until the networks are replaced, a call reads no other value that can change.
    flags: AtomicU8,
}

/// The flag that is set when the networks are replaced.
const REPLACED: u8 = 1;
/// The flag that is set when a proxy that is not configured is reported.
const WARNED: u8 = 2;

/// The peers that are trusted proxies, so that their forwarding header is read.
#[derive(Clone, Default)]
enum Trust {
    #[default]
    Nobody,
    Networks(Arc<Networks>),
    /// Every peer is a trusted proxy, and proxies have appended the last entries of the header. The value is the number of
    /// these entries, from 1 to 16.
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
    /// Returns [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the peer is not known, if the peer is a trusted
    /// proxy but the call has no access to the headers, or if no address is known because the connection is a unix socket.
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
                // The usual case. With a separate arm, four bytes are read instead of sixteen.
                PeerAddr::Ip(IpAddr::V4(address)) => Ok((*address).into()),
                _ => canonical(peer).ip().ok_or_else(|| configuration(error::UNIX_SOCKET)),
            };
        }
        let peer = canonical(peer);
        let headers = headers.ok_or_else(|| configuration(error::NO_HEADERS))?;
        self.behind(trust, peer, headers).ip().ok_or_else(|| error::nameless_proxy(&self.header.name))
    }

    /// Finds the client behind a trusted peer. If the header does not name the client, returns the last hop that is known.
    fn behind(&self, trust: &Trust, peer: PeerAddr, headers: &dyn RequestHeaders) -> PeerAddr {
        let mut lines = SmallVec::<[&[u8]; MOST_ENTRIES]>::new();
        headers.header_lines(&self.header.name, &mut |line| {
            // Each line has at least one entry, so the last `MOST_ENTRIES` lines contain all entries that are read.
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
        // A thread may see the flag before it sees the networks. It then uses the trust that the limiter was built with.
        replaced.map_or_else(|| self.built.clone(), Trust::Networks)
    }

    /// Logs a warning, at most once, if the request came through a proxy that is not configured.
    #[cold]
    fn report_proxy(&self, peer: &PeerAddr, headers: &dyn RequestHeaders) {
        if let Some(header) = error::forwarding_header(canonical(peer), headers)
            && self.flags.fetch_or(WARNED, Ordering::Relaxed) & WARNED == 0
        {
            error::warn(header);
        }
    }
}

/// Unmaps a mapped IPv4 address. A dual-stack socket shows IPv4 peers as mapped addresses.
#[inline]
fn canonical(peer: &PeerAddr) -> PeerAddr {
    match peer {
        // Copies four bytes. A copy of the whole address would be slower, because its last bytes were written separately.
        PeerAddr::Ip(IpAddr::V4(address)) => PeerAddr::Ip(IpAddr::V4(*address)),
        PeerAddr::Ip(IpAddr::V6(address)) => PeerAddr::Ip(address.to_canonical()),
        PeerAddr::Unix => PeerAddr::Unix,
    }
}

/// The maximum number of entries that are read. The rest of the header is not parsed.
const MOST_ENTRIES: usize = 32;

/// Finds the client behind a trusted peer. `entries` are read from the right. An entry without an address ends the search at
/// the last valid hop, because anybody may have written the entries on its left.
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

/// The address in the entry with the number `hops`, counted from 1. If there are fewer entries, the request has not passed that
/// many proxies, and the result is the peer. An entry without an address ends the search at the last valid hop.
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
