//! Finds the address of a client, which may be behind trusted proxies.

use super::RateLimiter;
use crate::error::Error;
use crate::identity::{PeerAddr, RequestHeaders};
use std::fmt::Display;
use std::net::IpAddr;

impl RateLimiter {
    /// Returns the address of the client of a request, as `by = "ip"` sees it. Use it for logs and for other decisions, so that
    /// they agree with the limits.
    ///
    /// If the peer is a [trusted proxy](crate::RateLimiterBuilder::trusted_proxies), the result is the address that the proxy
    /// reports. Otherwise it is the address of the peer. A proxy that reports no usable address is itself the client. Mapped IPv4
    /// addresses are returned as IPv4. A limit counts an IPv6 client by the first bits of its address, and a NAT64 address as the
    /// IPv4 address in it. This method returns the whole IPv6 address.
    ///
    /// `None` if the connection is a unix socket and no trusted proxy reports an address.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use axum::http::{HeaderMap, HeaderValue};
    /// use ratelimit::RateLimiter;
    /// use std::net::IpAddr;
    ///
    /// let limiter = RateLimiter::builder().trusted_proxies(["10.0.0.0/8"]).build()?;
    /// let proxy: IpAddr = "10.0.0.1".parse()?;
    /// let mut headers = HeaderMap::new();
    /// headers.insert("x-forwarded-for", HeaderValue::from_static("192.0.2.66, 203.0.113.7"));
    ///
    /// // The proxy has appended the last entry. The client may have sent the entry before it.
    /// assert_eq!(limiter.client_ip(proxy, &headers), Some("203.0.113.7".parse()?));
    ///
    /// // A client that bypasses the proxy cannot choose its address.
    /// let stranger: IpAddr = "198.51.100.1".parse()?;
    /// assert_eq!(limiter.client_ip(stranger, &headers), Some(stranger));
    /// # Ok(()) }
    /// ```
    pub fn client_ip(&self, peer: impl Into<PeerAddr>, headers: &impl RequestHeaders) -> Option<IpAddr> {
        self.resolve_client(Some(&peer.into()), Some(headers)).ok()
    }

    /// Replaces the addresses and networks of the [trusted proxies](crate::RateLimiterBuilder::trusted_proxies) for all later
    /// calls of this limiter and its clones. Use it if the proxies of a provider can change while the service runs. The
    /// forwarding header does not change.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) for a list that
    /// [`build`](crate::RateLimiterBuilder::build) would refuse, such as an empty list, and for a limiter that was built with
    /// [`trusted_hops`](crate::RateLimiterBuilder::trusted_hops). After an error, the earlier list stays in use.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().trusted_proxies(["192.0.2.0/24"]).build()?;
    /// let file = "# the proxies of the provider\n192.0.2.0/24\n198.51.100.0/24\n";
    /// limiter.set_trusted_proxies(file.lines().filter(|line| !line.starts_with('#')))?;
    /// assert!(limiter.set_trusted_proxies(["everybody"]).is_err());
    /// # Ok(()) }
    /// ```
    pub fn set_trusted_proxies(&self, proxies: impl IntoIterator<Item = impl Display>) -> Result<(), Error> {
        let proxies: Vec<String> = proxies.into_iter().map(|proxy| proxy.to_string()).collect();
        self.shared.proxies.replace(&proxies)
    }

    /// Finds the address of the client of a request. Its headers are needed only behind trusted proxies.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the peer is unknown, if the peer is a trusted proxy and
    /// the headers are not at hand, or if the peer is a unix socket and no address is reported.
    #[inline]
    pub(crate) fn resolve_client(
        &self,
        peer: Option<&PeerAddr>,
        headers: Option<&dyn RequestHeaders>,
    ) -> Result<IpAddr, Error> {
        self.shared.proxies.resolve(peer, headers)
    }
}
