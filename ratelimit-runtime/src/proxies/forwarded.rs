//! `Header`: the header in which trusted proxies name the client, by its checked name.

use super::error::configuration;
use super::parse::Syntax;
use crate::error::Error;
use crate::identity::Forwarded;

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
