//! The answers of refused salvo handlers, for each form of return value.

use super::server;
use crate::harness::answers::{self, ApiError, Welcome, all_answer_in_text, ask};
use crate::harness::client::{Client, Version};
use crate::harness::limiters::failing;
use ratelimit::answer::Answers;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use salvo::prelude::*;

/// Declares handlers with one limit for each API key, and their routes.
macro_rules! handlers {
    ($($name:ident $(, $option:ident $(= $value:expr)?)? => $returned:ty: $body:expr;)*) => {
        $(#[handler]
        #[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key" $(, $option $(= $value)?)?)]
        async fn $name(req: &mut Request) -> $returned {
            let _ = req;
            $body
        })*

        const RETURNED: &[&str] = &[$(concat!("/", stringify!($name))),*];

        fn returned() -> Vec<Router> {
            vec![$(Router::with_path(stringify!($name)).get($name)),*]
        }
    };
}

handlers! {
    text_or_rejection => Result<&'static str, Rejection>: Ok("");
    string_or_rejection => Result<String, Rejection>: Ok("welcome".to_owned());
    json_or_rejection => Result<Json<u8>, Rejection>: Ok(Json(1));
    writer_or_rejection => Result<impl Writer + use<>, Rejection>: Ok(Text::Html("<p>"));
    nothing_or_rejection => Result<(), Rejection>: Ok(());
    status_or_rejection => Result<StatusCode, Rejection>: Ok(StatusCode::ACCEPTED);
    writer => impl Writer + use<>: Text::Html("<p>");
    error_of_the_application => Result<String, ApiError>: Ok(String::new());
    error_by_hand, on_limit = |refused| Err(ForeignError(refused)) => Result<String, ForeignError>: Ok(String::new());
    plain_text, fallible => &'static str: "welcome";
    plain_string, fallible => String: "welcome".to_owned();
    plain_json, fallible => Json<u8>: Json(1);
    plain_status, fallible => StatusCode: StatusCode::ACCEPTED;
    plain_option, fallible => Option<&'static str>: Some("welcome");
    own_type => Welcome: Welcome::Yes;
}

#[async_trait]
impl Writer for ApiError {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        res.render(self.0);
    }
}

struct ForeignError(Rejection);

impl Scribe for ForeignError {
    fn render(self, res: &mut Response) {
        self.0.render(res);
    }
}

impl Scribe for Welcome {
    fn render(self, res: &mut Response) {
        match self {
            Self::Yes => res.render("welcome"),
            Self::Refused(rejection) => res.render(rejection),
        }
    }
}

#[handler]
#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
async fn written(req: &mut Request, res: &mut Response) {
    res.render(Json(req.uri().path()));
}

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
#[handler]
async fn written_above(_: &mut Depot, _: &mut Request, _: &mut FlowCtrl, _: &mut Response) {}

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key", fallible)]
#[handler]
async fn nothing(_: &mut Request) {}

#[handler]
#[rate_limit(
    key = "form", time = "1m", count = 1, by = "header:x-api-key", on_limit = |rejection| { res.render(rejection); }
)]
async fn rendered(_: &mut Request, res: &mut Response) {
    res.render("welcome");
}

/// Replaces its response by the response of a limited function.
#[handler]
async fn made_elsewhere(req: &mut Request, res: &mut Response) {
    *res = make(req).await;
}

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
async fn make(_: &Request) -> Response {
    let mut res = Response::new();
    res.render("welcome");
    res
}

/// A handler without `#[handler]`.
struct ByHand;

#[async_trait]
impl Handler for ByHand {
    #[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
    async fn handle(&self, _req: &mut Request, _: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        res.render("welcome");
        ctrl.skip_rest();
    }
}

/// A handler without `#[handler]` whose `impl` block has the attribute.
struct BlockByHand;

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
#[async_trait]
impl Handler for BlockByHand {
    async fn handle(&self, req: &mut Request, _: &mut Depot, res: &mut Response, _: &mut FlowCtrl) {
        res.render(Text::Plain(req.uri().path().to_owned()));
    }
}

struct Block;

#[rate_limit(key = "form", time = "1m", count = 1, by = "header:x-api-key")]
#[handler]
impl Block {
    async fn handle(&self, _: &mut Request, res: &mut Response) {
        res.render("welcome");
    }
}

/// Writes a body before the other handlers run. The answer to a refusal replaces this body.
#[handler]
async fn in_front(res: &mut Response) {
    res.render(Json("in front"));
}

const WRITTEN: &[&str] = &[
    "/written",
    "/above",
    "/nothing",
    "/rendered",
    "/elsewhere",
    "/by_hand",
    "/block_by_hand",
    "/block",
    "/behind",
];

fn routes() -> Router {
    Router::new()
        .append(&mut returned())
        .push(Router::with_path("written").get(written))
        .push(Router::with_path("above").get(written_above))
        .push(Router::with_path("nothing").get(nothing))
        .push(Router::with_path("rendered").get(rendered))
        .push(Router::with_path("elsewhere").get(made_elsewhere))
        .push(Router::with_path("by_hand").get(ByHand))
        .push(Router::with_path("block_by_hand").get(BlockByHand))
        .push(Router::with_path("block").get(Block))
        .push(Router::with_path("behind").hoop(in_front).get(written))
}

/// Runs the next handlers in the scope of a limiter, without the layer.
pub(super) struct Scoped(pub(super) RateLimiter);

#[async_trait]
impl Handler for Scoped {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let next = async { ctrl.call_next(req, depot, res).await };
        ratelimit::scope(self.0.clone(), next).await;
    }
}

/// The answers to returned errors equal all other answers, and salvo renders these errors only after the function has
/// returned.
#[tokio::test]
async fn all_forms_answer_alike() {
    let paths = [RETURNED, WRITTEN].concat();
    answers::check(&paths, &[], async |layer| server::start(routes().hoop(layer)).await).await;
}

#[tokio::test]
async fn all_forms_answer_without_the_layer() {
    let start = |limiter| server::start(routes().hoop(Scoped(limiter)));
    let servers = [start(RateLimiter::in_memory()).await, start(failing().await).await];
    all_answer_in_text(servers, &[RETURNED, WRITTEN].concat()).await;
}

/// Into an error response without a body, salvo would write its own page.
#[tokio::test]
async fn an_answer_without_a_body_stays_empty() {
    let empty = Answers::custom(|_, answer| {
        answer.status = 420;
        answer.body.clear();
    });
    let layer = RateLimitLayer::new().limiter(RateLimiter::in_memory()).answers(empty);
    let client = Client::new(server::start(routes().hoop(layer)).await, Version::Http1);
    ask(&client, "/written", "a").await;
    let refused = ask(&client, "/written", "a").await;
    assert_eq!((refused.status, refused.body.as_str(), refused.header("retry-after")), (420, "", Some("60")));
}
