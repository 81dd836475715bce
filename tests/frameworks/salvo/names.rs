//! A handler of salvo is a unit struct. Variables of generated code do not have the names of handlers.

use super::server;
use crate::harness::client::{Client, Version};
use ratelimit::{RateLimitLayer, RateLimiter};
use salvo::prelude::*;

/// A module of its own, because no variable in it can have the name of a handler.
mod handlers {
    use ratelimit::{RateLimiter, Rejection, rate_limit};
    use salvo::prelude::*;

    /// Declares handlers, each with all the variables that an attribute needs.
    macro_rules! handlers {
        ($($name:ident)*) => {
            $(#[handler]
            #[rate_limit(key = "window", count = 1, by = "ip", limiter = limits(), refund_if = Result::is_err)]
            #[rate_limit(key = "header", count = 9, by = "header:x-api-key")]
            #[rate_limit(
                key = "streams",
                count = 9,
                algorithm = "concurrency",
                by = _depot.get::<u64>("user").map_or(0, |id| *id),
                until = "body_end"
            )]
            async fn $name(_: &mut Request, _depot: &mut Depot, _: &mut Response) -> Result<(), Rejection> {
                Ok(())
            })*

            pub(super) fn routes() -> Vec<Router> {
                vec![$(Router::with_path(stringify!($name)).get($name)),*]
            }
        };
    }

    handlers! {
        admission call calls check client found header header0 held ip kept key lasting limit limiter parts rejection
        request result settle settle0 target user
    }

    /// The limiter of the request, as an expression.
    fn limits() -> RateLimiter {
        ratelimit::RateLimiter::scoped().unwrap()
    }
}

#[tokio::test]
async fn handlers_have_any_name() {
    let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory());
    let routes = Router::new().hoop(layer).append(&mut handlers::routes());
    let client = Client::new(server::start(routes).await, Version::Http1);
    assert_eq!(client.get_with("/check", &[("x-api-key", "key")]).await.status, 200);
    let refused = client.get_with("/result", &[("x-api-key", "key")]).await;
    assert_eq!(refused.status, 429, "they share a limit");
}
