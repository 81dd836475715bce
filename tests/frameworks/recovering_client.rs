//! Tests a client of another project: urllib3 waits as long as `Retry-After` says, and recovers from refusals by itself.

use crate::harness::limiters::limiters;
use crate::harness::server::serve;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::routing::get;
use ratelimit::{By, Limit, RateLimitLayer, Rejection, rate_limit};
use std::net::SocketAddr;
use support::SECOND;
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recovering_client.py");
/// The folder in which `cargo xtask test` puts urllib3 if the system has none.
const PACKAGES: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/../python");

#[rate_limit(key = "rejection", time = 1, count = 2, by = "ip")]
async fn rejection(_: ConnectInfo<SocketAddr>) -> Result<(), Rejection> {
    Ok(())
}

/// Responds to a refusal with only a status, without `Retry-After`.
#[rate_limit(key = "status", time = 60, count = 2, by = "ip")]
async fn status(_: ConnectInfo<SocketAddr>) -> Result<(), StatusCode> {
    Ok(())
}

/// Sends `number` requests. Returns the lines that the client prints.
async fn client(server: SocketAddr, path: &str, number: u32) -> Vec<String> {
    let mut python = Command::new("python3");
    python.args([SCRIPT, &format!("http://{server}{path}"), &number.to_string()]).env("PYTHONPATH", PACKAGES);
    let output =
        python.kill_on_drop(true).output().await.expect("cannot start `python3`: run `cargo xtask test`");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`cargo xtask test` installs urllib3 if it is missing\n{errors}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Asserts that each request succeeds in the end. At least one of them is refused first, because two windows admit fewer
/// than five requests.
fn assert_recovered(lines: &[String]) {
    assert_eq!(lines.len(), 5);
    for line in lines {
        let mut statuses = line.split(' ');
        assert_eq!(statuses.next(), Some("200"), "{lines:?}");
        assert!(statuses.all(|refused| refused == "429"), "{lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_recovers_by_itself() {
    for limiter in limiters().await {
        let layer = RateLimitLayer::new().limit("layer", Limit::counter(2, SECOND), By::ip());
        let app = Router::new()
            .route("/rejection", get(rejection))
            .route("/layer", get(async || ()).layer(layer))
            .layer(RateLimitLayer::new().limiter(limiter));
        let server = serve(app).await;
        for path in ["/rejection", "/layer"] {
            assert_recovered(&client(server, path, 5).await);
        }
    }
}

/// Proves that the client obeys the header: without the header, the first refusal is final.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_retry_after_gives_up() {
    let [limiter, _] = limiters().await;
    let scoped =
        move |request, next: axum::middleware::Next| ratelimit::scope(limiter.clone(), next.run(request));
    let app = Router::new().route("/status", get(status)).layer(axum::middleware::from_fn(scoped));
    assert_eq!(client(serve(app).await, "/status", 3).await, ["200", "200", "429"]);
}
