//! Connections with TLS: trust, client certificates, and errors if only one side uses TLS.

use crate::harness::limiter_at;
use crate::topology::wrong_urls::refused;
use ratelimit::{ErrorKind, Limit};
use support::{MINUTE, RedisServer, has_tls};

/// Whether the server supports TLS. Some servers of the wide matrix do not. In an ordinary run, the server must support TLS.
fn is_built_in() -> bool {
    let named = std::env::var("RATELIMIT_REDIS_SERVER").unwrap_or_default();
    assert!(has_tls() || named.contains("target/servers"), "the server has to know TLS");
    has_tls()
}

const LIMIT: Limit = Limit::counter(2, MINUTE);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_server_decides() {
    if !is_built_in() {
        return;
    }
    let server = RedisServer::builder().password("sesame").tls().start();
    let authority = server.certificates().authority();
    let url = format!("rediss://:sesame@localhost:{}", server.port());
    for protocol in ["resp2", "resp3"] {
        let limiter = limiter_at(format!("{url}?tls_ca={}&protocol={protocol}", authority.display()));
        let limiter = limiter.connect().await.unwrap();
        limiter.check(&LIMIT, "calls").await.unwrap();
    }
    // The system trusts no authority that has signed this certificate.
    refused(&url, ErrorKind::Configuration, "`tls_ca` in the URL names the file of an authority to trust")
        .await;
    let other = RedisServer::builder().tls().start();
    let others = other.certificates().authority();
    refused(&format!("{url}?tls_ca={}", others.display()), ErrorKind::Configuration, "cannot trust").await;
    refused(&format!("{url}?tls_ca=/nowhere"), ErrorKind::Configuration, "in `tls_ca`: ").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_may_require_a_client_certificate() {
    if !is_built_in() {
        return;
    }
    let server = RedisServer::builder().mutual_tls().start();
    let files = server.certificates();
    let url = format!("rediss://localhost:{}?tls_ca={}", server.port(), files.authority().display());
    assert!(limiter_at(&url).connect().await.is_err());
    refused(
        &format!("{url}&tls_cert={}", files.client().display()),
        ErrorKind::Configuration,
        "`tls_cert` and `tls_key` must be set together",
    )
    .await;
    let shown =
        format!("{url}&tls_cert={}&tls_key={}", files.client().display(), files.client_key().display());
    let limiter = limiter_at(shown).connect().await.unwrap();
    limiter.check(&LIMIT, "calls").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_says_which_side_uses_tls() {
    if !is_built_in() {
        return;
    }
    let encrypted = RedisServer::builder().tls().start();
    let error = limiter_at(format!("redis://localhost:{}", encrypted.port())).connect().await.unwrap_err();
    assert!(error.to_string().contains("`rediss`"), "{error}");
    let plain = RedisServer::start();
    let error = limiter_at(format!("rediss://localhost:{}", plain.port())).connect().await.unwrap_err();
    assert!(error.to_string().contains("write `redis` in place of `rediss`"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_not_pem_is_not_quoted() {
    let place = std::env::temp_dir().join(format!("ratelimit-{}.pem", std::process::id()));
    std::fs::write(&place, "-----BEGIN sesame\nsesame\n").unwrap();
    let file = place.display();
    for (parameters, says) in [
        (format!("tls_ca={file}"), "in `tls_ca`: the file is not valid PEM"),
        (format!("tls_cert={file}&tls_key={file}"), "in `tls_key`: the file is not valid PEM"),
    ] {
        refused(&format!("rediss://localhost?{parameters}"), ErrorKind::Configuration, says).await;
    }
    std::fs::remove_file(place).unwrap();
}
