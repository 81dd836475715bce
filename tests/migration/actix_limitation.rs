//! `actix-limitation`: a middleware of actix-web with counts in Redis.

use crate::{FIVE, seven};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::{App, HttpResponse, web};
use std::net::SocketAddr;
use std::time::Duration;
use support::{MINUTE, RedisServer};

fn request() -> TestRequest {
    TestRequest::get().uri("/").peer_addr(SocketAddr::from(([203, 0, 113, 7], 4000)))
}

fn passes<B>(response: &ServiceResponse<B>) -> bool {
    let status = response.status();
    assert!([StatusCode::OK, StatusCode::TOO_MANY_REQUESTS].contains(&status), "{status}");
    status == StatusCode::OK
}

#[actix_web::test]
async fn both_admit_five_requests_of_an_address() {
    let server = RedisServer::start();
    let url = server.url();
    let index = async || HttpResponse::Ok().body("hello");

    let before = {
        use actix_limitation::{Limiter, RateLimiter};

        let limiter = Limiter::builder(url.clone())
            .key_by(|request| request.peer_addr().map(|peer| peer.ip().to_string()))
            .limit(5)
            .period(Duration::from_secs(60))
            .build()
            .unwrap();
        App::new()
            .wrap(RateLimiter::default())
            .app_data(web::Data::new(limiter))
            .route("/", web::get().to(index))
    };

    let limiter = ratelimit::RateLimiter::builder().redis(url).deadline(MINUTE).connect().await.unwrap();
    let after = {
        use ratelimit::{By, Limit, RateLimitLayer, per};

        const EACH: Limit = Limit::counter(5, per::MINUTE);
        App::new().wrap(RateLimitLayer::new().limit("api", EACH, By::ip())).route("/", web::get().to(index))
    };

    let before = init_service(before).await;
    assert_eq!(seven(async || passes(&call_service(&before, request().to_request()).await)).await, FIVE);
    let after = init_service(after).await;
    let call = async || {
        passes(&ratelimit::scope(limiter.clone(), call_service(&after, request().to_request())).await)
    };
    assert_eq!(seven(call).await, FIVE);
}
