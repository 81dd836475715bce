//! `Forwarded`: the header in which trusted proxies name the client.

use super::error::configuration;
use super::parse::Syntax;
use crate::error::Error;

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

/// A [`Forwarded`] whose name is checked.
#[derive(Debug, Default)]
pub(crate) enum Header {
    #[default]
    XForwardedFor,
    Rfc7239,
    Single(Box<str>),
}

const X_FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED: &str = "forwarded";

impl Header {
    /// The name in lower case.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::XForwardedFor => X_FORWARDED_FOR,
            Self::Rfc7239 => FORWARDED,
            Self::Single(name) => name,
        }
    }

    /// The syntax of its lines. `None` if it has only one address.
    pub(super) const fn syntax(&self) -> Option<Syntax> {
        match self {
            Self::XForwardedFor => Some(Syntax::List),
            Self::Rfc7239 => Some(Syntax::Rfc7239),
            Self::Single(_) => None,
        }
    }
}

impl TryFrom<Forwarded<'_>> for Header {
    type Error = Error;

    fn try_from(forwarded: Forwarded<'_>) -> Result<Self, Error> {
        match forwarded {
            Forwarded::XForwardedFor => Ok(Self::XForwardedFor),
            Forwarded::Rfc7239 => Ok(Self::Rfc7239),
            Forwarded::Single(name) => single(name),
        }
    }
}

fn single(name: &str) -> Result<Header, Error> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(configuration(format!(
            "invalid header name {name:?}; expected a name such as \"cf-connecting-ip\""
        )));
    }
    let variant = match name.to_ascii_lowercase() {
        name if name == X_FORWARDED_FOR => "XForwardedFor",
        name if name == FORWARDED => "Rfc7239",
        name => return Ok(Header::Single(name.into())),
    };
    Err(configuration(format!(
        "the header {name:?} is a list, not a single address; write `Forwarded::{variant}`"
    )))
}
