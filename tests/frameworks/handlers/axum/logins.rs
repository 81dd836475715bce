//! Two logins whose error types convert every error, or belong to another crate: the Matrix authentication service, and loco.

use super::{assert_refused, bare, layered, outcome, send};
use axum::extract::{FromRef, FromRequestParts, Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Form, Json, Router, debug_handler};
use ratelimit::{ClientIp, PeerAddr, RateLimitLayer, RateLimiter, rate_limit};
use serde::Deserialize;
use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use tracing::instrument;

/// Declares extractors and parts of the state that only take up room in an argument list.
macro_rules! stand_ins {
    ($($part:ident),*; $($extractor:ident),*) => {
        $(#[derive(Clone)]
        struct $part;

        impl FromRef<Services> for $part {
            fn from_ref(_: &Services) -> Self {
                Self
            }
        })*

        $(struct $extractor;

        impl FromRequestParts<Services> for $extractor {
            type Rejection = Infallible;

            async fn from_request_parts(_: &mut Parts, _: &Services) -> Result<Self, Infallible> {
                Ok(Self)
            }
        })*
    };
}

#[derive(Clone)]
struct Services;

stand_ins! {
    PasswordManager, SiteConfig, Templates, UrlBuilder, Limiter, BoxHomeserverConnection;
    BoxRng, BoxClock, PreferredLanguage, BoxRepository, BoundActivityTracker, CookieJar, UserAgent
}

/// An extractor of the service, which knows the client behind its proxies. This is the change that the compiler asks for with
/// `by = "ip"`: "a type of your own that knows the client can implement `ratelimit::ClientIp`".
struct RequesterFingerprint {
    ip: Option<IpAddr>,
}

impl FromRequestParts<Services> for RequesterFingerprint {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Services) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<axum::extract::ConnectInfo<std::net::SocketAddr>>();
        let peer = peer.map(|peer| PeerAddr::from(peer.0));
        Ok(Self { ip: peer.and_then(|peer| RateLimiter::in_memory().client_ip(peer, &parts.headers)) })
    }
}

impl ClientIp for RequesterFingerprint {
    fn client_ip(&self) -> Option<IpAddr> {
        self.ip
    }
}

/// An error page. It takes everything that can be printed, also a `Rejection`, and answers 500.
struct FancyError(String);

impl<E: fmt::Debug + fmt::Display> From<E> for FancyError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for FancyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl IntoResponse for FancyError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.0).into_response()
    }
}

#[derive(Deserialize)]
struct PostAuthAction {
    next: Option<String>,
}

#[derive(Deserialize)]
struct LoginForm {
    username: String,
}

/// Writes the handler twice: it has 16 arguments, the most that axum takes, so none can be added.
macro_rules! post {
    ($name:ident, #[$limit:meta]) => {
        #[instrument(name = "handlers.views.login.post", skip_all, err)]
        #[$limit]
        async fn $name(
            mut rng: BoxRng,
            clock: BoxClock,
            _: PreferredLanguage,
            State(_): State<PasswordManager>,
            State(_): State<SiteConfig>,
            State(_): State<Templates>,
            State(_): State<UrlBuilder>,
            State(_): State<Limiter>,
            State(_): State<BoxHomeserverConnection>,
            mut repo: BoxRepository,
            activity_tracker: BoundActivityTracker,
            requester: RequesterFingerprint,
            Query(query): Query<PostAuthAction>,
            cookie_jar: CookieJar,
            user_agent: UserAgent,
            Form(form): Form<LoginForm>,
        ) -> Result<Response, FancyError> {
            let (_, _, _) = (&mut rng, &mut repo, requester.ip);
            let (_, _, _, _) = (clock, activity_tracker, cookie_jar, user_agent);
            Ok(format!("{} to {}", form.username, query.next.unwrap_or_default()).into_response())
        }
    };
}

// Compiles once the client is known. The error type swallows refusals; the layer says so and mends the answers.
post!(swallowing, #[rate_limit(key = "swallowing", count = 1, by = "ip")]);

// The warning of the layer names `on_limit`. The function returns a `Result<Response, _>`, so the answer of this library fits.
post!(post, #[rate_limit(key = "login", count = 1, by = "ip", on_limit = |rejection| Ok(rejection.into_response()))]);

#[tokio::test]
async fn a_handler_with_sixteen_arguments_is_limited() {
    let app =
        || Router::new().route("/swallowing", any(swallowing)).route("/post", any(post)).with_state(Services);
    let without_layer = bare(app()).await;
    let form = "?next=home&username=ann"; // a form in a GET request is in its query
    for path in ["/swallowing", "/post"] {
        assert_eq!(without_layer.get(&format!("{path}{form}")).await.body, "ann to home");
        let refused = without_layer.get(&format!("{path}{form}")).await;
        if path == "/post" {
            assert_refused(&refused);
        } else {
            assert_eq!(outcome(&refused), (500, None));
        }
    }
    let client = layered(app(), RateLimitLayer::new()).await;
    for status in [200, 429] {
        let reply = client.get(&format!("/swallowing{form}")).await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
}

/// loco's error type, which a service cannot give another conversion.
mod loco {
    use super::{IntoResponse, Response, StatusCode};

    #[derive(Debug)]
    pub(super) enum Error {
        Unauthorized(String),
    }

    impl IntoResponse for Error {
        fn into_response(self) -> Response {
            let Self::Unauthorized(reason) = self;
            (StatusCode::UNAUTHORIZED, reason).into_response()
        }
    }

    pub(super) type Result<T, E = Error> = std::result::Result<T, E>;
}

#[derive(Clone)]
struct AppContext;

#[derive(Deserialize)]
struct LoginParams {
    email: String,
    password: String,
}

/// "`#[rate_limit]` cannot turn a rejection into the error `Error`", with the note "if it is a type of another crate, and the function
/// returns a response, write `on_limit = |rejection| Ok(rejection.into_response())`". The email names who is limited: the handler has
/// no argument with the address, and may get one as in the other handlers.
#[debug_handler]
#[rate_limit(key = "login", count = 1, by = params.email, on_limit = |rejection| Ok(rejection.into_response()))]
async fn login(State(ctx): State<AppContext>, Json(params): Json<LoginParams>) -> loco::Result<Response> {
    let AppContext = ctx;
    if params.password != "right" {
        return Err(loco::Error::Unauthorized("wrong password".to_owned()));
    }
    Ok("welcome".into_response())
}

#[tokio::test]
async fn the_login_of_loco_is_limited() {
    let client = bare(Router::new().route("/", any(login)).with_state(AppContext)).await;
    let body = |email: &str, password: &str| format!(r#"{{"email":"{email}","password":"{password}"}}"#);
    assert_eq!(send(&client, "/", &body("ann", "wrong")).await.status, 401);
    assert_refused(&send(&client, "/", &body("ann", "right")).await);
    assert_eq!(send(&client, "/", &body("bob", "right")).await.body, "welcome");
}
