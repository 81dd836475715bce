//! Permits and charges that end with the body of a response of actix-web.

use super::server;
use crate::streams::contract::{self, BLOCKS, LARGE, STREAMS};
use crate::streams::server::App;
use actix_web::http::StatusCode;
use actix_web::middleware::Compat;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpResponse, error::ErrorNotFound};
use ratelimit::{RateLimitLayer, Rejection, rate_limit};
use std::net::SocketAddr;

/// Declares handlers that share one permit.
macro_rules! handlers {
    ($($name:ident($app:pat) -> $returned:ty { $body:expr })*) => {
        $(#[rate_limit(key = "streams", limit = STREAMS, by = "global", until = "body_end")]
        async fn $name($app: Data<App>) -> $returned {
            $body
        })*
    };
}

handlers! {
    stream(app) -> HttpResponse { HttpResponse::Ok().streaming(app.chunks()) }
    stream_or_rejection(app) -> Result<HttpResponse, Rejection> { Ok(HttpResponse::Ok().streaming(app.chunks())) }
    missing(_) -> actix_web::Result<HttpResponse> { Err(ErrorNotFound("no such stream")) }
    whole(_) -> Result<HttpResponse, Rejection> { Ok(HttpResponse::Ok().body("whole")) }
    large(_) -> HttpResponse { HttpResponse::Ok().body(vec![b'x'; LARGE]) }
}

/// `hold` converts a response with another body type into an `HttpResponse`.
async fn by_hand(app: Data<App>) -> Result<HttpResponse, Rejection> {
    let permit = app.limits.permit(&STREAMS, "streams").await?;
    Ok(permit.hold(HttpResponse::with_body(StatusCode::OK, "by hand".to_owned())))
}

#[rate_limit(key = "blocks", limit = BLOCKS, by = "global", cost = 20, settle = contract::charge, until = "body_end")]
async fn blocks(app: Data<App>) -> Result<HttpResponse, Rejection> {
    Ok(HttpResponse::Ok().streaming(app.chunks()))
}

fn serve(app: &App) -> SocketAddr {
    let state = Data::new(app.clone());
    let routes = move |config: &mut ServiceConfig| {
        config.app_data(state.clone()).route("/stream", web::get().to(stream));
        config.route("/or-rejection", web::get().to(stream_or_rejection));
        config.route("/head", web::head().to(stream)).route("/large", web::get().to(large));
        config.route("/missing", web::get().to(missing)).route("/whole", web::get().to(whole));
        config.route("/by-hand", web::get().to(by_hand));
        config.service(web::resource("/blocks").wrap(Compat::new(RateLimitLayer::new())).to(blocks));
    };
    server::start(RateLimitLayer::new().limiter(app.limits.clone()), routes)
}

#[tokio::test]
async fn keeps_the_contract_of_streams() {
    let finished = [("/missing", 404), ("/whole", 200), ("/by-hand", 200)];
    contract::check(&["/stream", "/or-rejection"], &finished, async |app| serve(&app)).await;
}

/// The body is larger than the buffers of a connection, so the server has to wait until the client reads.
#[tokio::test]
async fn a_body_in_memory_holds_its_permit_while_a_slow_client_reads_it() {
    contract::check_a_slow_client(async |app| serve(&app)).await;
}

#[tokio::test]
async fn a_head_request_returns_the_permit_at_once() {
    contract::check_a_head_request(async |app| serve(&app)).await;
}
