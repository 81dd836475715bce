//! Somebody changes a server that has decided before: a password, a permission, a certificate, a value of another program. That
//! is an outage: the failure policy applies, the service stays ready, and the log says what to repair.

use crate::harness::{failure, limiter_at, soon, wait_for};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter};
use redis::Connection;
use support::{MINUTE, RedisServer, has_tls};

const LIMIT: Limit = Limit::counter(1_000_000, MINUTE);

fn run(raw: &mut Connection, commands: &[&str]) {
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        redis::cmd(words[0]).arg(&words[1..]).exec(raw).unwrap();
    }
}

async fn check(limiter: &RateLimiter) -> Option<ErrorKind> {
    failure(soon(limiter.check(&LIMIT, "calls")).await)
}

/// Asserts that the policy decides while the server is changed, and the server again after the repair.
async fn assert_outage(url: &str, change: impl Fn(), repair: impl Fn()) {
    for policy in [OnError::Local, OnError::Allow, OnError::Deny] {
        let limiter = limiter_at(url).on_error(policy).build().unwrap();
        assert_eq!(check(&limiter).await, None, "{policy:?}");
        assert_eq!(limiter.status().await.fallback(), None);
        change();
        wait_for("the server refuses this process", async || {
            let kind = check(&limiter).await;
            assert_eq!(kind.is_none(), policy != OnError::Deny, "{policy:?}: {kind:?}");
            limiter.status().await.error_kind() == Some(ErrorKind::Configuration)
        })
        .await;
        for _ in 0..20 {
            let denied = (policy == OnError::Deny).then_some(ErrorKind::Configuration);
            assert_eq!(check(&limiter).await, denied, "{policy:?}");
        }
        let status = limiter.status().await;
        assert_eq!(status.is_ready(), policy != OnError::Deny, "{status}");
        assert_eq!(status.fallback(), Some(policy));
        assert!(status.to_string().contains("degraded"), "{status}");
        repair();
        wait_for("the server decides again", async || {
            let _ = check(&limiter).await;
            limiter.status().await.fallback().is_none()
        })
        .await;
        assert_eq!(check(&limiter).await, None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_permission_that_is_taken_away_is_an_outage() {
    let server = RedisServer::start();
    for (taken, given) in [
        ("ACL SETUSER default -evalsha -eval", "ACL SETUSER default +@all"),
        ("ACL SETUSER default resetkeys", "ACL SETUSER default allkeys"),
    ] {
        let change = || run(&mut server.raw(), &[taken]);
        assert_outage(&server.url(), change, || run(&mut server.raw(), &[given])).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rotated_password_is_an_outage() {
    let server = RedisServer::start();
    run(&mut server.raw(), &["ACL SETUSER limits reset on >old ~* +@all"]);
    let rotate = |from: &str, to: &str| {
        let change = format!("ACL SETUSER limits <{from} >{to}");
        run(&mut server.raw(), &[&change, "CLIENT KILL USER limits"]);
    };
    let url = format!("redis://limits:old@127.0.0.1:{}", server.port());
    assert_outage(&url, || rotate("old", "new"), || rotate("new", "old")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_certificate_is_an_outage() {
    if !has_tls() {
        return;
    }
    let server = RedisServer::builder().tls().start();
    let certificates = server.certificates();
    let show = |file: std::path::PathBuf| {
        let shown = format!("CONFIG SET tls-cert-file {}", file.display());
        run(&mut server.raw(), &[&shown, "CLIENT KILL TYPE normal SKIPME yes"]);
    };
    let url = format!("rediss://localhost:{}?tls_ca={}", server.port(), certificates.authority().display());
    let valid = certificates.authority().with_file_name("server.pem");
    assert_outage(&url, || show(certificates.expired()), || show(valid.clone())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_of_another_program_is_a_fault_of_its_key_only() {
    let server = RedisServer::start();
    let limiter = limiter_at(server.url()).on_error(OnError::Allow).deny_cache(false).build().unwrap();
    assert_eq!(check(&limiter).await, None);
    let mut raw = server.raw();
    let keys: Vec<String> = redis::cmd("KEYS").arg("*calls*").query(&mut raw).unwrap();
    redis::cmd("SET").arg(&keys[..1]).arg("something").exec(&mut raw).unwrap();
    assert_eq!(check(&limiter).await, Some(ErrorKind::Configuration));
    limiter.check(&LIMIT, "others").await.unwrap();
}

/// What is wrong with the call itself is no outage of the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mistake_of_the_caller_is_rejected_after_decisions_too() {
    let server = RedisServer::start();
    let limiter = limiter_at(server.url()).on_error(OnError::Allow).build().unwrap();
    assert_eq!(check(&limiter).await, None);
    let twice = limiter.check_all(&[(&LIMIT, &"calls", 1), (&LIMIT, &"calls", 1)]).await;
    assert_eq!(failure(twice), Some(ErrorKind::Configuration));
    let permits = limiter.check(&Limit::concurrency(1, MINUTE), "jobs").await;
    assert_eq!(failure(permits), Some(ErrorKind::Configuration));
    assert!(limiter.status().await.fallback().is_none(), "no outage has begun");
}
