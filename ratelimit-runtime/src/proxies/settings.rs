//! `Settings`: the settings of a builder about proxies, and their checks.

use super::error::configuration;
use super::kept::read_later;
use super::parse::{self, Syntax};
use super::{Networks, Proxies, Trust};
use crate::error::Error;
use crate::identity::Forwarded;
use std::borrow::Cow;
use std::sync::Arc;

/// The valid numbers of trusted hops.
const HOPS: std::ops::RangeInclusive<u8> = 1..=16;

/// The settings of a builder about proxies. They are checked when the limiter is built.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) networks: Option<Vec<String>>,
    pub(crate) hops: Option<u8>,
    pub(crate) header: Option<Result<Header, Error>>,
}

impl Settings {
    pub(crate) fn is_empty(&self) -> bool {
        self.networks.is_none() && self.hops.is_none() && self.header.is_none()
    }

    pub(crate) fn build(self) -> Result<Proxies, Error> {
        let is_header_set = self.header.is_some();
        let header = self.header.transpose()?.unwrap_or_default();
        let trust = match (self.networks, self.hops) {
            (Some(_), Some(_)) => {
                return Err(configuration(
                    "both `trusted_proxies` and `trusted_hops` are set; use `trusted_proxies` if you know the networks of your proxies, else `trusted_hops`",
                ));
            }
            (Some(networks), None) => Trust::Networks(Arc::new(Networks::parse(&networks)?)),
            (None, Some(hops)) => counted(hops, &header)?,
            (None, None) if is_header_set => {
                return Err(configuration(
                    "`forwarded_by` is set, but no proxy is trusted; add `trusted_proxies` or `trusted_hops`",
                ));
            }
            (None, None) => Trust::Nobody,
        };
        Ok(Proxies { header, built: trust, ..Proxies::default() })
    }
}

fn counted(hops: u8, header: &Header) -> Result<Trust, Error> {
    if header.syntax.is_none() {
        return Err(configuration(format!(
            "`trusted_hops` counts the entries of a list, but the header {:?} has one address; use `trusted_proxies` with it",
            header.name
        )));
    }
    if !HOPS.contains(&hops) {
        let (least, most) = (HOPS.start(), HOPS.end());
        return Err(configuration(format!(
            "invalid number of trusted hops {hops}; expected {least} to {most}, the number of proxies between a client and this server"
        )));
    }
    Ok(Trust::Hops(hops))
}

/// The header that a [`Forwarded`] names. The name is valid.
#[derive(Debug)]
pub(crate) struct Header {
    /// The name in lower case.
    pub(super) name: Cow<'static, str>,
    /// The syntax of the header's lines. `None` for a header that contains only one address.
    pub(super) syntax: Option<Syntax>,
}

const X_FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED: &str = "forwarded";

impl Default for Header {
    fn default() -> Self {
        Self { name: X_FORWARDED_FOR.into(), syntax: Some(Syntax::List) }
    }
}

impl TryFrom<Forwarded<'_>> for Header {
    type Error = Error;

    fn try_from(forwarded: Forwarded<'_>) -> Result<Self, Error> {
        match forwarded {
            Forwarded::XForwardedFor => Ok(Self::default()),
            Forwarded::Rfc7239 => Ok(Self { name: FORWARDED.into(), syntax: Some(Syntax::Rfc7239) }),
            Forwarded::Single(name) => single(name),
        }
    }
}

fn single(name: &str) -> Result<Header, Error> {
    if name.is_empty() || !name.bytes().all(parse::is_token) {
        return Err(configuration(format!(
            "invalid header name {name:?}; expected a name such as \"cf-connecting-ip\""
        )));
    }
    let variant = match name.to_ascii_lowercase() {
        name if name == X_FORWARDED_FOR => "XForwardedFor",
        name if name == FORWARDED => "Rfc7239",
        name => {
            read_later(&name);
            return Ok(Header { name: name.into(), syntax: None });
        }
    };
    Err(configuration(format!(
        "the header {name:?} is a list, not a single address; write `Forwarded::{variant}`"
    )))
}
