//! The checks of the settings' ranges.

use super::{DEFAULT_PREFIX, RateLimiterBuilder};
use crate::error::{Error, ErrorKind};
use std::time::Duration;

impl RateLimiterBuilder {
    /// Returns an error if a setting is out of range.
    pub(super) fn check(&self) -> Result<(), Error> {
        let prefix = self.prefix.as_deref().unwrap_or(DEFAULT_PREFIX);
        let is_word =
            |text: &str| (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        let message = if !is_word(prefix) || prefix.contains(['{', '}']) {
            format!("invalid prefix {prefix:?}; expected 1 to 64 visible ASCII characters without braces")
        } else if let Some(version) = self.service_version.as_ref().filter(|version| !is_word(version)) {
            format!("invalid service version {version:?}; expected 1 to 64 visible ASCII characters")
        } else if !(48..=128).contains(&self.ipv6_prefix) {
            format!("invalid IPv6 prefix of {} bits; expected 48 to 128", self.ipv6_prefix)
        } else if self.deadline < Duration::from_millis(1) {
            format!("invalid deadline {:?}; expected at least 1 ms", self.deadline)
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Configuration, message))
    }
}
