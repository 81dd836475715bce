//! Two limits with one name: different numbers, and a request that is counted twice, are logged once.

use axum::http::{Request, Response};
use ratelimit::context::RequestContext;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit, scope};
use std::convert::Infallible;
use std::net::IpAddr;
use support::{MINUTE, take_events};
use tower::{Layer, ServiceExt, service_fn};

const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// Returns the warnings about names that the calls of `test` cause. All calls have one limiter.
async fn warnings(test: impl Future<Output = ()>) -> Vec<String> {
    drop(take_events());
    let context = RequestContext::new().with_client_ip(CLIENT);
    scope(RateLimiter::in_memory(), context.scope(test)).await;
    let events = take_events().into_iter().filter(|event| event.target == "ratelimit::names");
    events.map(|event| event.to_string()).collect()
}

/// Sends a request through a layer to a service that calls a function.
async fn request<F: Future<Output = Result<(), Rejection>> + Send>(
    layer: RateLimitLayer,
    function: impl Fn() -> F + Clone + Send + Sync + 'static,
) {
    let service = service_fn(move |_: Request<String>| {
        let call = function();
        async move {
            Ok::<_, Infallible>(
                call.await.map_or_else(|_| Response::default(), |()| Response::new(String::new())),
            )
        }
    });
    let _ = layer.layer(service).oneshot(Request::new(String::new())).await.unwrap();
}

fn layer(name: &'static str, count: u32, by: By) -> RateLimitLayer {
    RateLimitLayer::new().limit(name, Limit::counter(count, MINUTE), by)
}

async fn unlimited() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_two", time = "1m", count = 5)]
async fn first() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_two", time = "1h", count = 500)]
async fn second() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn two_attributes_with_different_numbers_are_said_once_with_both_places() {
    let lines = warnings(async {
        for _ in 0..3 {
            let _ = first().await;
            let _ = second().await;
        }
    })
    .await;
    let [line] = &lines[..] else { panic!("{lines:?}") };
    for part in ["names_two", "counter count=5 time=1m", "counter count=500 time=1h"] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(line.matches("one_name.rs:").count(), 2, "{line}");
    let met = RateLimiter::in_memory().limits().into_iter().find(|met| met.name() == "names_two");
    assert!(met.unwrap().varies(), "the published limits say it, too");
}

#[rate_limit(key = "names_apart", time = "1m", count = 5)]
async fn here() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_apart", time = "1h", count = 500)]
async fn there() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn limiters_with_separate_states_are_not_compared_but_their_later_calls_are() {
    let first = RateLimiter::in_memory();
    assert!(warnings(scope(first.clone(), async { here().await.unwrap() })).await.is_empty());
    assert!(warnings(scope(RateLimiter::in_memory(), async { there().await.unwrap() })).await.is_empty());
    assert_eq!(warnings(scope(first, async { there().await.unwrap() })).await.len(), 1);
}

#[rate_limit(key = "names_equal", time = "1m", count = 5)]
async fn equal() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_equal", time = "1m", count = 5)]
async fn equal_too() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_equal", limit = plan)]
async fn by_plan(plan: Limit) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_equal", algorithm = "token_bucket", time = "1m", count = 9)]
async fn of_another_format() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_plan", limit = plan)]
async fn plan_first(plan: Limit) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_plan", time = "1m", count = 5)]
async fn then_small() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_plan", time = "1h", count = 500)]
async fn then_large() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn the_first_two_numbers_in_the_code_are_compared() {
    let calls = async {
        let _ = (plan_first(Limit::counter(9, MINUTE)).await, then_small().await, then_large().await);
    };
    assert_eq!(warnings(calls).await.len(), 1);
}

struct Mail;
struct Sms;

trait Deliver {
    async fn deliver(&self) -> Result<(), Rejection>;
}

#[rate_limit(time = "1m", count = 5)]
impl Deliver for Mail {
    async fn deliver(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[rate_limit(time = "1m", count = 7)]
impl Deliver for Sms {
    async fn deliver(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

async fn inner_small() -> Result<(), Rejection> {
    #[rate_limit(time = "1m", count = 5)]
    async fn inner() -> Result<(), Rejection> {
        Ok(())
    }
    inner().await
}

async fn inner_large() -> Result<(), Rejection> {
    #[rate_limit(time = "1m", count = 7)]
    async fn inner() -> Result<(), Rejection> {
        Ok(())
    }
    inner().await
}

#[tokio::test]
async fn functions_of_one_name_without_a_key_have_separate_states() {
    let calls = async {
        let _ = (Mail.deliver().await, Sms.deliver().await, inner_small().await, inner_large().await);
    };
    assert_eq!(warnings(calls).await, [""; 0]);
}

#[tokio::test]
async fn shared_limits_and_plans_are_meant() {
    let calls = async {
        let _ = (equal().await, equal_too().await, of_another_format().await);
        let _ = by_plan(Limit::counter(9, MINUTE)).await;
    };
    assert_eq!(warnings(calls).await, [""; 0]);
}

#[rate_limit(key = "names_layer", time = "1m", count = 5)]
async fn below_a_layer() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn a_layer_and_an_attribute_with_different_numbers_are_said_once() {
    let lines = warnings(async {
        for _ in 0..2 {
            request(layer("names_layer", 50, By::global()), below_a_layer).await;
        }
    })
    .await;
    let different: Vec<_> = lines.iter().filter(|line| line.contains("counter count=50 time=1m")).collect();
    assert_eq!(different.len(), 1, "{lines:?}");
    assert_eq!(different[0].matches("one_name.rs:").count(), 2, "{lines:?}");
}

#[rate_limit(key = "names_doubled", time = "1m", count = 5, by = ratelimit::context::client_ip())]
async fn doubled() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "names_callers", time = "1m", count = 5, by = "global")]
async fn called_twice() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn a_request_that_a_layer_and_a_function_count_is_said_once() {
    let lines = warnings(async {
        for _ in 0..2 {
            request(layer("names_doubled", 5, By::ip()), doubled).await;
        }
    })
    .await;
    assert!(
        matches!(&lines[..], [line] if line.contains("counted twice") && line.contains("names_doubled")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_request_that_two_layers_count_is_said_once() {
    let lines = warnings(async {
        let one = layer("names_nested", 5, By::ip());
        let service =
            service_fn(async |_: Request<String>| Ok::<_, Infallible>(Response::new(String::new())));
        let _ = one.clone().layer(one.layer(service)).oneshot(Request::new(String::new())).await.unwrap();
    })
    .await;
    assert!(matches!(&lines[..], [line] if line.contains("counted twice")), "{lines:?}");
}

#[tokio::test]
async fn two_callers_of_one_name_and_two_calls_of_a_function_are_meant() {
    let lines = warnings(async {
        request(layer("names_callers", 5, By::ip()), called_twice).await;
        let _ = (called_twice().await, called_twice().await);
        request(layer("names_alone", 5, By::ip()), unlimited).await;
    })
    .await;
    assert_eq!(lines, [""; 0]);
}

/// A handler makes requests of its own through a client with a layer. Each of them is counted once.
#[tokio::test]
async fn requests_of_a_handler_are_requests_of_their_own() {
    async fn handler() -> Result<(), Rejection> {
        for _ in 0..2 {
            request(layer("names_partner", 9, By::global()), unlimited).await;
        }
        let partner = || request(layer("names_partner", 9, By::global()), unlimited);
        tokio::join!(partner(), partner());
        Ok(())
    }
    let lines = warnings(request(layer("names_server", 5, By::ip()), handler)).await;
    assert_eq!(lines, [""; 0]);
}
