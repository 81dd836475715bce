//! The permissions in `lua/README.md` are sufficient, and an error names a missing permission.

use crate::harness::{charging, decision, limiter_at, undecided};
use ratelimit::{ErrorKind, Key, Limit, OnError, RateLimiter};
use support::{Cluster, MINUTE, RedisServer, SECOND};

/// The ACL rules in the documentation.
fn documented() -> Vec<String> {
    let text = include_str!("../../../lua/README.md");
    let line = text.lines().find(|line| line.contains("ACL SETUSER")).expect("a line with the rules");
    let rules = line.split_whitespace().filter(|rule| rule.starts_with('+'));
    rules.map(str::to_owned).collect()
}

async fn everything(limiter: &RateLimiter) {
    limiter.overrides().set("other", &Limit::counter(7, MINUTE)).await.unwrap();
    assert_eq!(limiter.overrides().list().await.unwrap().len(), 1);
    limiter.overrides().remove("other").await.unwrap();
    for limit in charging(5, MINUTE) {
        for _ in 0..7 {
            let _ = decision(limiter.check(&limit, "calls").await);
        }
        limiter.penalize(&limit, "calls", 1).await.unwrap();
        limiter.reset(&limit, "calls").await.unwrap();
        limiter.charge(&limit, "charged", 2).await.unwrap().refund().await.unwrap();
        limiter.charge(&limit, "charged", 2).await.unwrap().settle(1).await.unwrap();
        let _ = decision(limiter.acquire(&limit.wait(SECOND), "waiting").await);
    }
    for caller in [1, 1, 1, 1, 1, 2, 1] {
        let _ =
            decision(limiter.check(&Limit::token_bucket(5, MINUTE), Key::new("shared").fair(caller)).await);
    }
    let held = Limit::concurrency(1, MINUTE);
    let permit = limiter.permit(&held, "jobs").await.unwrap();
    assert!(limiter.permit(&held, "jobs").await.is_err());
    drop(permit);
    drop(limiter.permit(&held.wait(SECOND * 20), "jobs").await.unwrap());
    limiter.close().await;
}

/// The documented rules without this rule.
fn without(rule: &str) -> Vec<String> {
    let (rules, number) = (documented(), documented().len());
    let fewer: Vec<String> = rules.into_iter().filter(|other| other != rule).collect();
    assert_eq!(fewer.len(), number - 1, "{rule} is not documented");
    fewer
}

fn permit(server: &RedisServer, rules: &[String]) {
    let mut set = redis::cmd("ACL");
    set.arg("SETUSER").arg("limits").arg(&["reset", "on", ">sesame", "~ratelimit:*"]).arg(rules);
    set.exec(&mut server.raw()).unwrap();
}

/// A limiter whose user has these rules. `rest` is the end of its URL.
async fn limiter_with(
    server: &RedisServer,
    rules: &[String],
    rest: &str,
) -> Result<RateLimiter, ratelimit::Error> {
    permit(server, rules);
    limiter_at(format!("redis://limits:sesame@127.0.0.1:{}{rest}", server.port())).connect().await
}

/// Asserts that an error names the missing command and the documentation, but no secret.
fn assert_names(error: &ratelimit::Error, command: &str) {
    let said = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{said}");
    assert!(said.contains(&format!("NOPERM: no permission to run `{command}`")), "{said}");
    assert!(said.contains("`lua/README.md` lists"), "{said}");
    assert!(!said.contains("sesame") && !said.contains("limits"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_permissions_are_sufficient() {
    let server = RedisServer::start();
    for rest in ["", "/2", "/2?protocol=resp3"] {
        everything(&limiter_with(&server, &documented(), rest).await.unwrap()).await;
    }
    for (rule, command) in [("+evalsha", "evalsha"), ("+del", "del"), ("+select", "select")] {
        for protocol in ["resp2", "resp3"] {
            let rest = format!("/2?protocol={protocol}");
            assert_names(&limiter_with(&server, &without(rule), &rest).await.unwrap_err(), command);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_permission_of_a_script_is_named() {
    let server = RedisServer::start();
    let limiter = limiter_with(&server, &without("+rpush"), "").await.unwrap();
    let error = undecided(limiter.check(&Limit::sliding_log(5, MINUTE), "calls").await);
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    // Some server versions do not name the command.
    assert!(error.to_string().contains("NOPERM: no permission to run"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_do_not_name_keys() {
    let server = RedisServer::start();
    permit(&server, &documented());
    let url = format!("redis://limits:sesame@127.0.0.1:{}", server.port());
    let error = limiter_at(url).prefix("elsewhere").connect().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert!(error.to_string().contains("NOPERM: no permission to access a key"), "{error}");
    assert!(!error.to_string().contains("elsewhere"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_permissions_are_sufficient_while_slots_move() {
    let cluster = Cluster::start(3);
    let permit_all = |rules: &[String]| {
        cluster.ports().into_iter().for_each(|port| permit(cluster.server(port), rules));
    };
    permit_all(&documented());
    let url = cluster.url().replace("redis+cluster://", "redis+cluster://limits:sesame@");
    everything(&limiter_at(url.clone()).connect().await.unwrap()).await;
    let slots = ["{calls}", "{charged}", "{waiting}", "{jobs}", "{#}"].map(|tag| cluster.slot_of(tag));
    for slot in slots {
        let from = cluster.primary_of(slot);
        let to = cluster.primaries().into_iter().find(|port| *port != from).unwrap();
        cluster.begin_move(slot, to);
        cluster.carry_keys(slot, to);
    }
    everything(&limiter_at(url.clone()).connect().await.unwrap()).await;
    let was_asked = |port| {
        let info: String =
            redis::cmd("INFO").arg("commandstats").query(&mut cluster.server(port).raw()).unwrap();
        info.contains("cmdstat_asking:")
    };
    assert!(cluster.primaries().into_iter().any(was_asked), "nothing was redirected");
    permit_all(&without("+asking"));
    assert_names(&limiter_at(url).connect().await.unwrap_err(), "asking");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_permission_is_an_error_under_every_failure_policy() {
    let server = RedisServer::start();
    permit(&server, &without("+evalsha"));
    let url = format!("redis://limits:sesame@127.0.0.1:{}", server.port());
    for policy in [OnError::Local, OnError::Allow, OnError::Deny] {
        let limiter = limiter_at(&url).on_error(policy).build().unwrap();
        let error = undecided(limiter.check(&Limit::counter(5, MINUTE), "calls").await);
        assert_eq!(error.kind(), ErrorKind::Configuration, "{policy:?}: {error}");
    }
}
