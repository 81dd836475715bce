//! The functions here follow the advice of compile errors about return types that cannot report a refusal. Each return type
//! for which the compiler gives advice has a function.

#![allow(dead_code, unused_must_use, clippy::unused_async, reason = "only compiled, and without `by`")]

use ratelimit::rate_limit;

/// `Result<Response, _>`: `on_limit` returns the response of the rejection.
mod responses {
    use super::rate_limit;

    macro_rules! handlers {
        ($($name:ident -> $response:ty { $value:expr })*) => {
            $(#[rate_limit(on_limit = |rejection| Ok(rejection.into()))]
            async fn $name() -> Result<$response, std::io::Error> {
                Ok($value)
            })*
        };
    }

    handlers! {
        axum -> axum::response::Response { axum::response::Response::default() }
        actix -> actix_web::HttpResponse { actix_web::HttpResponse::Ok().finish() }
        poem -> poem::Response { poem::Response::default() }
        salvo -> salvo::Response { salvo::Response::new() }
        rocket -> rocket::Response<'static> { rocket::Response::new() }
    }
}

/// A tuple with a status. An application cannot implement `From<Rejection>` for a tuple, so `on_limit` makes the tuple.
mod tuples {
    use super::rate_limit;
    use axum::Json;
    use axum::http::{HeaderMap, StatusCode};
    use serde::Serialize;

    #[derive(Serialize)]
    struct Problem {
        message: String,
    }

    #[rate_limit(on_limit = |rejection| Err((rejection.clone().into(), Json(Problem { message: rejection.to_string() }))))]
    async fn axum() -> Result<(HeaderMap, Json<u8>), (StatusCode, Json<Problem>)> {
        Ok((HeaderMap::new(), Json(1)))
    }

    #[rate_limit(on_limit = |rejection| Err((
        rocket::http::Status::new(rejection.status()),
        rocket::serde::json::Json(Problem { message: rejection.to_string() }),
    )))]
    async fn rocket() -> Result<(), (rocket::http::Status, rocket::serde::json::Json<Problem>)> {
        Ok(())
    }
}

/// An error type of another crate, and an error type of the application.
mod errors {
    use super::rate_limit;
    use ratelimit::Rejection;
    use std::io;

    #[rate_limit(on_limit = |rejection| Err(io::Error::other(rejection)))]
    async fn foreign() -> Result<(), io::Error> {
        Ok(())
    }

    struct Problem(u16);

    impl From<Rejection> for Problem {
        fn from(rejection: Rejection) -> Self {
            Self(rejection.status())
        }
    }

    #[rate_limit]
    async fn own() -> Result<(), Problem> {
        Ok(())
    }
}

/// Plain values.
mod values {
    use super::rate_limit;
    use ratelimit::Rejection;

    #[rate_limit(count = 5, fallible)]
    async fn json() -> axum::Json<u8> {
        axum::Json(1)
    }

    #[rate_limit(count = 5, fallible)]
    async fn unit() {}

    #[rate_limit(on_limit = |rejection| eprintln!("{rejection}"))]
    async fn reported() {}

    async fn callers() -> Result<(), Rejection> {
        unit().await?;
        let _ = json().await?;
        reported().await;
        Ok(())
    }
}
