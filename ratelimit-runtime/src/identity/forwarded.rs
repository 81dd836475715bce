//! `Forwarded`: the header in which trusted proxies name the client.

/// The header in which trusted proxies name the client, for
/// [`RateLimiterBuilder::forwarded_by`](crate::RateLimiterBuilder::forwarded_by).
///
/// Only this header is read. Choose one that your proxies always append to, or overwrite. A header that they pass on as it came
/// is written by the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forwarded<'a> {
    /// `X-Forwarded-For: client, proxy`: a list to which each proxy appends the address that it was called from.
    #[default]
    XForwardedFor,
    /// `Forwarded: for=client;proto=https, for=proxy` (RFC 7239): the same list, with parameters.
    Rfc7239,
    /// A header with one address, which the proxy nearest to the client sets, such as `cf-connecting-ip` or `x-real-ip`. Upper
    /// and lower case do not matter.
    ///
    /// It is read only from a trusted peer, and only if it occurs once. Your proxies must remove or overwrite what clients
    /// send under this name.
    Single(&'a str),
}
