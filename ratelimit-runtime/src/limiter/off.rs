//! The store of a limiter whose limits are off, which admits every call.

use super::RateLimiter;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use std::time::Duration;

/// The store of a limiter whose limits are off. It stores nothing.
pub(super) struct OffStore;

impl Store for OffStore {
    fn decide(&self, _: Mode, requests: &[&Request]) -> Reply<Decisions> {
        Reply::ready(Ok(requests.iter().map(|request| admitted(request)).collect()))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(Ok(adjustments.iter().map(|_| 0).collect()))
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::ready(Ok(0))
    }

    fn save_override(&self, _: &StoreKey, _: &[u8], _: Option<&str>, _: Option<Duration>) -> Reply<()> {
        let message = "limits are off; the override was not saved";
        Reply::ready(Err(Error::new(ErrorKind::Configuration, message)))
    }
}

/// The decision about every call: admitted, and nothing is in use.
pub(super) fn admitted(request: &Request) -> Decision {
    Decision::allow(request.limit(), request.limit().capacity(), Duration::ZERO)
}

impl RateLimiter {
    /// Whether limits are off.
    pub(crate) fn is_off(&self) -> bool {
        self.shared.off
    }
}
