//! The settings of a builder for trusted proxies.

use super::RateLimiterBuilder;
use crate::identity::Forwarded;
use std::fmt::Display;

impl RateLimiterBuilder {
    /// Sets the reverse proxies whose header names the client. Each proxy is an address, a network such as `10.0.0.0/8`, or
    /// `unix` for proxies that connect through a unix socket. If neither this method nor [`trusted_hops`](Self::trusted_hops)
    /// is called, no header is read, and the peer is the client.
    ///
    /// If the peer is one of these proxies, the entries of the header are read from right to left. The first address that is
    /// not a trusted proxy is the client. Each proxy must append the address from which it was called, or replace the header.
    /// Then nothing that a client writes into the header changes the result.
    ///
    /// The default header is `X-Forwarded-For`. [`forwarded_by`](Self::forwarded_by) sets another one.
    /// [`RateLimiter::set_trusted_proxies`](crate::RateLimiter::set_trusted_proxies) replaces the list while the service runs.
    ///
    /// [`build`](Self::build) refuses an empty list, a network with bits after its prefix (`10.0.0.1/8`), and a list that
    /// includes all IPv4 or all IPv6 addresses.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().trusted_proxies(["10.0.0.0/8", "2001:db8:ff::/48"]).build()?;
    /// # Ok(()) }
    /// ```
    pub fn trusted_proxies(mut self, proxies: impl IntoIterator<Item = impl Display>) -> Self {
        self.proxies.networks = Some(proxies.into_iter().map(|proxy| proxy.to_string()).collect());
        self
    }

    /// Sets the header in which the trusted proxies name the client. The default is
    /// [`X-Forwarded-For`](Forwarded::XForwardedFor). All other headers are ignored.
    ///
    /// [`build`](Self::build) refuses a header without trusted proxies, and a name that no header can have. It also refuses a
    /// [`Single`](Forwarded::Single) header that is known to be a list, such as `x-forwarded-for`.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::identity::Forwarded;
    /// use ratelimit::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder()
    ///     .trusted_proxies(["192.0.2.10"])
    ///     .forwarded_by(Forwarded::Single("x-real-ip"))
    ///     .build()?;
    /// # Ok(()) }
    /// ```
    pub fn forwarded_by(mut self, header: Forwarded<'_>) -> Self {
        self.proxies.header = Some(header.try_into());
        self
    }

    /// Sets the number of reverse proxies between each client and this server, from 1 to 16. Use this method if the addresses
    /// of the proxies are not known. If they are known, use [`trusted_proxies`](Self::trusted_proxies).
    ///
    /// Each proxy appends one entry to the header. With 1, the last entry is the client; with 2, the entry before it. Some load
    /// balancers append two entries, the client and their own address, and count as 2. If the header has fewer entries, the peer
    /// is the client.
    ///
    /// A client that can reach this server without passing that many proxies can choose its address. So accept connections only
    /// from the proxies, for example with a firewall.
    ///
    /// [`build`](Self::build) refuses a number outside of this range. It also refuses hops together with `trusted_proxies` or
    /// with a [`Single`](Forwarded::Single) header.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().trusted_hops(2).build()?;
    /// # Ok(()) }
    /// ```
    pub fn trusted_hops(mut self, hops: u8) -> Self {
        self.proxies.hops = Some(hops);
        self
    }
}
