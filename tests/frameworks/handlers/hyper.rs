//! Handlers of hyper and of Lambda: a refused call answers 429, whatever the error of the return type is. If the type of the
//! body is unknown, the refusal is an error, and the log says that nobody has made a response of it.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::convert::Infallible;
use std::fmt;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Declares handlers whose error takes a rejection or not. The second call of each one is refused.
macro_rules! handlers {
    ($($name:ident -> $returned:ty { $ok:expr })*) => {
        $(#[rate_limit(count = 1, by = "header:x-api-key")]
        async fn $name(request: Request<()>) -> $returned {
            drop(request);
            $ok
        })*
    };
}

fn boxed(text: &'static str) -> BoxBody<Bytes, Infallible> {
    Full::from(text).boxed()
}

handlers! {
    boxed_error -> Result<Response<Full<Bytes>>, BoxError> { Ok(Response::default()) }
    boxed_error_without_bounds -> Result<Response<Full<Bytes>>, Box<dyn std::error::Error>> { Ok(Response::default()) }
    anyhow_error -> anyhow::Result<Response<Full<Bytes>>> { Ok(Response::default()) }
    never -> Result<Response<Full<Bytes>>, Infallible> { Ok(Response::default()) }
    no_error_of_refusals -> Result<Response<Bytes>, fmt::Error> { Ok(Response::default()) }
    text -> Result<Response<String>, lambda_http::Error> { Ok(Response::default()) }
    lambda -> Result<Response<lambda_http::Body>, lambda_http::Error> { Ok(Response::default()) }
    of_axum -> Result<axum::response::Response, BoxError> { Ok(Response::default()) }
    no_result -> Response<Full<Bytes>> { Response::default() }
    no_text -> Result<Response<BoxBody<Bytes, Infallible>>, BoxError> { Ok(Response::new(boxed(""))) }
    no_text_no_error -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> { Ok(Response::new(boxed(""))) }
}

/// The advice of the compile error for a response whose error does not take a rejection.
#[rate_limit(count = 1, by = "global", on_limit = |rejection| Ok(rejection.into()))]
async fn advised(request: Request<()>) -> Result<Response<Full<Bytes>>, Infallible> {
    drop(request);
    Ok(Response::default())
}

#[rate_limit(count = 1, by = "global", on_limit = Into::into)]
async fn advised_plain(request: Request<()>) -> Response<String> {
    drop(request);
    Response::default()
}

fn request() -> Request<()> {
    Request::builder().header("x-api-key", "a").body(()).unwrap()
}

/// The status, the wait and the body of a refusal.
async fn refused<B: axum::body::HttpBody<Error: fmt::Debug>>(response: Response<B>) -> (u16, bool, Vec<u8>) {
    let waits = response.headers().contains_key("retry-after");
    let status = response.status().as_u16();
    let body = http_body_util::BodyExt::collect(response.into_body()).await.unwrap().to_bytes();
    (status, waits, body.to_vec())
}

#[tokio::test]
async fn every_known_response_is_429() {
    macro_rules! check {
        ($($name:ident)*) => {$(
            assert_eq!($name(request()).await.unwrap().status(), 200, stringify!($name));
            let (status, waits, body) = refused($name(request()).await.unwrap().map(IntoBody::into_body)).await;
            assert_eq!((status, waits), (429, true), stringify!($name));
            assert!(body.starts_with(b"too many requests"), "{}: {body:?}", stringify!($name));
        )*};
    }
    ratelimit::scope(RateLimiter::in_memory(), async {
        check! {
            boxed_error boxed_error_without_bounds anyhow_error never no_error_of_refusals text lambda of_axum advised
        }
        assert_eq!(no_result(request()).await.status(), 200);
        assert_eq!(no_result(request()).await.status(), 429);
        assert_eq!(advised_plain(request()).await.status(), 200);
        assert_eq!(advised_plain(request()).await.status(), 429);
        for call in 1..=2 {
            let expected = if call == 1 { (200, false) } else { (429, true) };
            for response in [no_text(request()).await.unwrap(), no_text_no_error(request()).await.unwrap()] {
                assert!(!response.headers().contains_key("content-type"), "without a body");
                let (status, waits, body) = refused(response).await;
                assert_eq!((status, waits), expected);
                assert!(body.is_empty());
            }
        }
    })
    .await;
}

/// Turns the bodies of the handlers into bodies whose bytes can be read.
trait IntoBody {
    fn into_body(self) -> Full<Bytes>;
}

impl IntoBody for Full<Bytes> {
    fn into_body(self) -> Full<Bytes> {
        self
    }
}

impl IntoBody for Bytes {
    fn into_body(self) -> Full<Bytes> {
        Full::new(self)
    }
}

impl IntoBody for String {
    fn into_body(self) -> Full<Bytes> {
        self.into()
    }
}

impl IntoBody for lambda_http::Body {
    fn into_body(self) -> Full<Bytes> {
        self.to_vec().into()
    }
}

impl IntoBody for axum::body::Body {
    fn into_body(self) -> Full<Bytes> {
        let data = futures_util::FutureExt::now_or_never(http_body_util::BodyExt::collect(self));
        Full::new(data.unwrap().unwrap().to_bytes())
    }
}

/// The own error of a service keeps its conversion, and a result that is no response keeps its error.
mod own {
    use super::{BoxError, Full, request};
    use bytes::Bytes;
    use http::{Request, Response};
    use ratelimit::{RateLimiter, Rejection, rate_limit};

    #[derive(Debug, PartialEq)]
    struct Problem(u16);

    impl From<Rejection> for Problem {
        fn from(rejection: Rejection) -> Self {
            Self(rejection.status())
        }
    }

    #[rate_limit(count = 1, by = "global")]
    async fn handler(request: Request<()>) -> Result<Response<Full<Bytes>>, Problem> {
        drop(request);
        Ok(Response::default())
    }

    #[rate_limit(count = 1, by = "global")]
    async fn value(request: Request<()>) -> Result<String, BoxError> {
        drop(request);
        Ok(String::new())
    }

    #[tokio::test]
    async fn its_conversion_is_kept() {
        ratelimit::scope(RateLimiter::in_memory(), async {
            assert!(handler(request()).await.is_ok());
            assert_eq!(handler(request()).await.unwrap_err(), Problem(429));
            assert!(value(request()).await.is_ok());
            assert!(Rejection::find(&*value(request()).await.unwrap_err()).is_some());
        })
        .await;
    }
}

/// The template of Lambda: the type of the response is hidden.
#[rate_limit(key = "opaque", count = 1, by = "global")]
async fn opaque(request: Request<()>) -> Result<impl lambda_http::IntoResponse, lambda_http::Error> {
    drop(request);
    Ok(String::new())
}

/// A refusal inside a boxed error is reported once, unless somebody looks for it.
#[tokio::test]
async fn a_refusal_without_an_answer_is_reported_once() {
    let reports = || {
        let events = support::take_events();
        events.iter().filter(|event| event.to_string().contains("nobody has made a response of it")).count()
    };
    ratelimit::scope(RateLimiter::in_memory(), async {
        assert!(opaque(request()).await.is_ok());
        reports();
        let error = opaque(request()).await.err().unwrap();
        assert_eq!(Rejection::find(&*error).map(Rejection::status), Some(429));
        drop(error);
        assert_eq!(reports(), 0, "somebody has found it");
        let error = opaque(request()).await.err().unwrap();
        assert_eq!(reports(), 0, "somebody may still find it");
        drop(error);
        assert_eq!(reports(), 1);
        drop(opaque(request()).await);
        assert_eq!(reports(), 0, "once");
    })
    .await;
}
