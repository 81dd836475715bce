//! The layer around a service of tonic.

use crate::frameworks::tower::RateLimitService;
use tonic::server::NamedService;

/// tonic routes requests to a service by its name.
impl<S: NamedService> NamedService for RateLimitService<S> {
    const NAME: &'static str = S::NAME;
}
