//! Tests commands and processes whose hash secret is not the secret of the running services.

use crate::harness::{LOGIN, LOGIN_TEXT, Ran, command, finish, keys, wait_for};
use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::overrides::LimitChange;
use ratelimit::{ErrorKind, Key, RateLimiter};
use std::time::Duration;
use support::{RedisServer, take_events};

/// A value that is hashed, as the value of a header is.
#[derive(Clone, Copy)]
struct Token(&'static str);

impl Identity for Token {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.secret(self.0.as_bytes());
    }
}

async fn service(server: &RedisServer, secret: Option<&str>) -> RateLimiter {
    let builder = RateLimiter::builder().redis(server.url()).deadline(Duration::from_secs(10));
    let builder = match secret {
        Some(secret) => builder.hash_secret(secret),
        None => builder,
    };
    builder.connect().await.unwrap()
}

/// Starts a service that has hashed an identity, and waits until it has published that.
async fn hashing_service(server: &RedisServer, secret: Option<&str>) -> RateLimiter {
    let (limiter, before) = (service(server, secret).await, fingerprints(server));
    limiter.check(&LOGIN, Key::new("login").by(Token("sesame"))).await.unwrap();
    wait_for("the fingerprint is published", async || fingerprints(server) > before).await;
    limiter
}

/// The number of fingerprints among the published limits.
fn fingerprints(server: &RedisServer) -> usize {
    let fields: Vec<String> =
        redis::cmd("HKEYS").arg("ratelimit:{#}:limits").query(&mut server.raw()).unwrap();
    fields.iter().filter(|field| field.starts_with("secret")).count()
}

fn run(server: &RedisServer, secret: Option<&str>, arguments: &[&str]) -> Ran {
    let mut command = command(&server.url(), arguments);
    if let Some(secret) = secret {
        command.env("RATELIMIT_HASH_SECRET", secret);
    }
    finish(&mut command)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_with_another_secret_touches_no_hashed_identity() {
    let server = RedisServer::start();
    let service = hashing_service(&server, Some("walrus")).await;
    let before = keys(&server);
    let long = "x".repeat(65);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.toml");
    std::fs::write(&file, "[[override]]\nname = 'login'\nfor = 'secret:sesame'\nchange = 'count=1'\n")
        .unwrap();
    let limit = ["--limit", LOGIN_TEXT];
    for secret in [None, Some("other")] {
        for identity in ["secret:sesame", &long] {
            let of = |command| vec![command, "login", "--for", identity];
            for arguments in [
                of("peek"),
                of("reset"),
                of("unset"),
                [of("set"), vec!["count=1"]].concat(),
                [of("block"), vec!["1h"], limit.to_vec()].concat(),
                [of("unblock"), limit.to_vec()].concat(),
            ] {
                run(&server, secret, &arguments).exits(2).complains(&[
                    "with the prefix `ratelimit` hash this identity with another secret",
                    "set RATELIMIT_HASH_SECRET",
                ]);
            }
        }
        run(&server, secret, &["apply", file.to_str().unwrap()])
            .exits(2)
            .complains(&["RATELIMIT_HASH_SECRET"]);
    }
    assert_eq!(keys(&server), before, "nothing was written");
    // What has no hashed identity goes on.
    run(&server, None, &["list"]).exits(0);
    run(&server, None, &["set", "login", "count=4"]).exits(0);
    run(&server, None, &["set", "login", "--for", "ann", "count=4"]).exits(0);
    run(&server, None, &["unset", "login"]).exits(0);
    let hash = service.identity_hash(Key::new("login").by(Token("sesame"))).unwrap().unwrap().to_string();
    run(&server, None, &["peek", "login", "--for", &hash]).exits(0).says(&["1 unit in use"]);

    let block = ["block", "login", "--for", "secret:sesame", "1h", "--limit", LOGIN_TEXT];
    run(&server, Some("walrus"), &block).exits(0);
    wait_for("the service refuses", async || {
        !service.peek(&LOGIN, Key::new("login").by(Token("sesame"))).await.unwrap().is_allowed()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_the_services_do_not_have_is_said() {
    let server = RedisServer::start();
    let peek = ["peek", "login", "--for", "secret:sesame"];
    run(&server, Some("walrus"), &[&peek[..], &["--limit", LOGIN_TEXT]].concat()).exits(1);
    let _service = hashing_service(&server, None).await;
    run(&server, Some("walrus"), &peek)
        .exits(2)
        .complains(&["they have no secret, so unset RATELIMIT_HASH_SECRET"]);
    run(&server, None, &peek).exits(0).says(&["1 unit in use"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_with_another_secret_changes_no_hashed_identity() {
    let server = RedisServer::start();
    let _service = hashing_service(&server, Some("walrus")).await;
    let other = service(&server, Some("other")).await;
    let change = || LimitChange::new().count(1);
    let hashed = || Key::new("login").by(Token("sesame"));
    let (overrides, hour) = (other.overrides(), Duration::from_secs(3600));
    for refused in [
        overrides.set(hashed(), change()).await,
        overrides.set_for(hashed(), change(), hour).await,
        overrides.remove(hashed()).await,
        overrides.get(hashed()).await.map(drop),
        other.block(&LOGIN, hashed(), hour).await,
        other.unblock(&LOGIN, hashed()).await.map(drop),
        other.check_hash_secret(Key::new("login").by("ann").part("x".repeat(65))).await,
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains("RATELIMIT_HASH_SECRET"), "{error}");
    }
    overrides.set("login", change()).await.unwrap();
    overrides.set(Key::new("login").by("ann"), change()).await.unwrap();
    other.block(&LOGIN, Key::new("login").by("ann"), hour).await.unwrap();
    let same = service(&server, Some("walrus")).await;
    same.overrides().set(hashed(), change()).await.unwrap();
}

/// The test has one thread, so that the events of the limiters' tasks are recorded.
#[tokio::test]
async fn two_services_with_different_secrets_are_said_once() {
    let server = RedisServer::start();
    let _ = take_events();
    let warnings = || {
        let events = take_events();
        events.iter().filter(|event| event.to_string().contains("with another secret")).count()
    };
    let first = hashing_service(&server, Some("walrus")).await;
    let same = service(&server, Some("walrus")).await;
    same.check(&LOGIN, Key::new("login").by(Token("sesame"))).await.unwrap();
    // This service hashes nothing, so its secret does not matter.
    let without = service(&server, Some("other")).await;
    without.check(&LOGIN, Key::new("login").by("ann")).await.unwrap();
    let mut warned = warnings();
    let other = hashing_service(&server, Some("third")).await;
    wait_for("the second secret is noticed", async || {
        warned += warnings();
        warned > 0
    })
    .await;
    assert_eq!(warned, 1);
    drop((first, same, without, other));
}
