//! `Settings`: what a builder says about proxies, and the checks of it.

use super::error::configuration;
use super::{Header, Networks, Proxies, Trust};
use crate::error::Error;
use crate::identity::Forwarded;
use std::sync::Arc;

/// The number of proxies that can be trusted by counting.
const HOPS: std::ops::RangeInclusive<u8> = 1..=16;

/// The settings of a builder, as they were written. They are checked when the limiter is built.
#[derive(Default)]
pub(crate) struct Settings {
    networks: Option<Vec<String>>,
    hops: Option<u8>,
    header: Option<Result<Header, Error>>,
}

impl Settings {
    pub(crate) fn set_networks(&mut self, networks: Vec<String>) {
        self.networks = Some(networks);
    }

    pub(crate) fn set_hops(&mut self, hops: u8) {
        self.hops = Some(hops);
    }

    pub(crate) fn set_header(&mut self, header: Forwarded<'_>) {
        self.header = Some(header.try_into());
    }

    /// Whether nothing was set.
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
        Ok(Proxies::new(header, trust))
    }
}

fn counted(hops: u8, header: &Header) -> Result<Trust, Error> {
    if let Header::Single(name) = header {
        return Err(configuration(format!(
            "`trusted_hops` counts the entries of a list, but the header {name:?} has one address; use `trusted_proxies` with it"
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
