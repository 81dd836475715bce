//! A handler without `by` causes a warning, because all its clients share the limit. The warning appears even if the
//! signature barely shows that the function is a handler. A plain function causes no warning. If an expected warning is
//! missing, this file does not compile.

#![deny(unused_must_use, unfulfilled_lint_expectations)]
#![allow(dead_code, clippy::unused_async, reason = "only compiled")]

use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;

/// Declares handlers without `by`. Each of them must cause a warning, with or without a router's attribute below the limit.
macro_rules! handlers {
    ($($(#[$router:meta])* $name:ident($($argument:ty),*) -> $returned:ty { $($body:tt)* })*) => {
        $(#[expect(unused_must_use)]
        #[rate_limit(count = 5)]
        $(#[$router])*
        async fn $name($(_: $argument),*) -> Result<$returned, Rejection> {
            Ok($($body)*)
        })*
    };
}

mod axum {
    use axum::Json;
    use axum::body::Bytes;
    use axum::extract::{FromRequestParts, Path, Query};
    use axum::http::StatusCode;
    use axum::http::request::Parts;
    use axum::response::{Html, IntoResponse};
    use ratelimit::{Rejection, rate_limit};
    use std::collections::HashMap;
    use std::convert::Infallible;

    /// An extractor of the application.
    struct Tenant;

    impl<S: Sync> FromRequestParts<S> for Tenant {
        type Rejection = Infallible;

        async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
            Ok(Self)
        }
    }

    handlers! {
        no_arguments() -> impl IntoResponse { "sitemap" }
        optional_path(Option<Path<u64>>) -> () { () }
        query(Query<HashMap<String, String>>) -> () { () }
        extractor_of_its_own(Tenant) -> () { () }
        response() -> Html<String> { Html(String::new()) }
        parts_of_a_response(Json<u8>) -> (StatusCode, Json<u8>) { (StatusCode::OK, Json(1)) }
    }

    /// Causes no warning: a plain function may have such arguments and such a result, and a framework could also extract and
    /// send them.
    #[rate_limit(count = 5)]
    async fn plain(name: String, body: Bytes, tenant: &Tenant) -> Result<StatusCode, Rejection> {
        let _ = (name, body, tenant);
        Ok(StatusCode::OK)
    }

    #[rate_limit(count = 5, by = "global")]
    async fn intended(_: Tenant) -> Result<(), Rejection> {
        Ok(())
    }
}

mod actix {
    use actix_web::dev::Payload;
    use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder, get, web};
    use ratelimit::{Rejection, rate_limit};
    use std::convert::Infallible;
    use std::future::{Ready, ready};
    use std::marker::PhantomData;

    struct Tenant;

    impl FromRequest for Tenant {
        type Error = Infallible;
        type Future = Ready<Result<Self, Infallible>>;

        fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
            ready(Ok(Self))
        }
    }

    handlers! {
        extractor_of_its_own(Option<Tenant>) -> () { () }
        response() -> HttpResponse { HttpResponse::Ok().finish() }
        #[get("/")] routed() -> String { String::new() }
    }

    #[expect(unused_must_use)]
    #[rate_limit(count = 5)]
    async fn responder() -> impl Responder {
        web::Json(1)
    }

    /// Causes no warning: `Of<T>` is an extractor only for a `'static` type, and `T` may be shorter-lived.
    #[rate_limit(count = 5)]
    async fn generic<T>(_: Of<T>) -> Result<(), Rejection> {
        Ok(())
    }

    struct Of<T>(PhantomData<T>);

    impl<T: 'static> FromRequest for Of<T> {
        type Error = Infallible;
        type Future = Ready<Result<Self, Infallible>>;

        fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
            ready(Ok(Self(PhantomData)))
        }
    }
}

mod poem {
    use poem::web::Html;
    use poem_openapi::OpenApi;
    use poem_openapi::param::{Path, Query};
    use poem_openapi::payload::PlainText;
    use ratelimit::{Rejection, rate_limit};

    struct Api;

    #[OpenApi]
    impl Api {
        #[oai(path = "/:id", method = "get")]
        #[expect(unused_must_use)]
        #[rate_limit(count = 5)]
        async fn parameters(
            &self,
            id: Path<u64>,
            page: Query<Option<u64>>,
        ) -> poem::Result<PlainText<String>> {
            let _ = (id, page);
            Ok(PlainText(String::new()))
        }
    }

    handlers! { response() -> Html<String> { Html(String::new()) } }
}

mod rocket {
    use ratelimit::{Rejection, rate_limit};
    use rocket::request::{FromRequest, Outcome, Request};
    use rocket::serde::json::Json;
    use std::net::SocketAddr;

    struct Tenant;

    #[rocket::async_trait]
    impl<'r> FromRequest<'r> for Tenant {
        type Error = ();

        async fn from_request(_: &'r Request<'_>) -> Outcome<Self, ()> {
            Outcome::Success(Self)
        }
    }

    handlers! {
        guard_of_its_own(Tenant) -> () { () }
        data(Json<u8>) -> () { () }
        response() -> Json<u8> { Json(1) }
    }

    // rocket needs names of arguments, so `handlers!` cannot declare this function.
    #[expect(unused_must_use)]
    #[rate_limit(count = 5)]
    #[rocket::get("/")]
    async fn address(_peer: SocketAddr) -> Result<(), Rejection> {
        Ok(())
    }
}

mod salvo {
    use ratelimit::{Rejection, rate_limit};
    use salvo::macros::Extractible;
    use salvo::prelude::{Json, handler};
    use serde::{Deserialize, Serialize};

    #[derive(Deserialize, Extractible, Serialize)]
    #[salvo(extract(default_source(from = "query")))]
    struct Tenant {
        id: u64,
    }

    handlers! {
        extractor_of_its_own(Tenant) -> () { () }
        response() -> Json<u8> { Json(1) }
        #[handler] handled() -> String { String::new() }
    }
}

/// Causes no warning: only a router's attribute or a response type would show that this function is a handler.
#[rate_limit(count = 5)]
async fn connect(peer: SocketAddr) -> Result<Option<u64>, Rejection> {
    let _ = peer;
    Ok(None)
}

#[rate_limit(count = 5)]
async fn download(client: &reqwest::Client) -> Result<Option<reqwest::Response>, Rejection> {
    let _ = client;
    Ok(None)
}
