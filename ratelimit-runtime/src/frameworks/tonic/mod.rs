//! Support for tonic: requests, gRPC statuses of rejections, the layer around a service, and streams that hold permits and
//! charges.

mod request;
mod response;

pub(super) use request::peer;
pub(super) use response::{is_answer, mend, refusal};

use crate::layer::RateLimitService;
use tonic::server::NamedService;

/// tonic routes requests to a service by its name.
impl<S: NamedService> NamedService for RateLimitService<S> {
    const NAME: &'static str = S::NAME;
}
