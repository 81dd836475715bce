//! Tests the numbers in the JSON of `top`, with traffic.

use crate::harness::{LOGIN_TEXT, limiter, top_until, used_server};
use ratelimit::{Key, Limit};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::RedisServer;

fn find<'j>(list: &'j Value, name: &str) -> &'j Value {
    list.as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {list}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn full_keys_are_shown_and_identities_are_not() {
    let (server, _) = used_server().await;
    let (out, top) = top_until(&server.url(), &["--limit", LOGIN_TEXT], |top| top["number_of_keys"] == 6);
    assert!(!out.contains("203.0.113"), "{out}");
    let login = find(&top["names"], "login");
    assert_eq!(
        (&login["keys"], &login["at_limit"], &login["algorithm"]),
        (&3.into(), &1.into(), &"counter".into()),
        "{top}"
    );
    assert_eq!(login["units_per_second"].as_f64(), Some(0.0));
    assert_eq!(find(&top["names"], "search")["at_limit"], Value::Null);
    let full = find(&top["keys"], "login");
    assert_eq!(
        (&full["used"], &full["allowed"]),
        (&5.into(), &false.into()),
        "the fullest comes first: {top}"
    );
    let shows = |top: &Value| top["keys"].to_string().contains("203.0.113.1");
    top_until(&server.url(), &["--identities"], shows);
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_keys_have_a_rate() {
    let (server, _) = used_server().await;
    let busy = limiter(&server.url()).await;
    let stop = Arc::new(AtomicBool::new(false));
    let traffic = tokio::spawn({
        let stop = Arc::clone(&stop);
        async move {
            let limit = Limit::counter(1_000_000, Duration::from_secs(3600));
            while !stop.load(Ordering::Relaxed) {
                busy.check(&limit, Key::new("busy").by("bob")).await.unwrap();
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    // The busiest names come first.
    let is_busy = |row: &Value| row["name"] == "busy" && row["units_per_second"].as_f64() > Some(1.0);
    let is_seen = move |top: &Value| {
        top["scripts_per_second"].as_f64() > Some(1.0)
            && is_busy(&top["names"][0])
            && top["keys"].as_array().is_some_and(|keys| keys.iter().any(is_busy))
    };
    let url = server.url();
    tokio::task::spawn_blocking(move || top_until(&url, &[], is_seen)).await.unwrap();
    stop.store(true, Ordering::Relaxed);
    traffic.await.unwrap();
}

/// The refill of a blocked bucket, the payment of a debt, and a refund are no traffic, and neither is the block itself.
#[tokio::test(flavor = "multi_thread")]
async fn no_traffic_is_shown_that_nobody_makes() {
    let server = RedisServer::start();
    let (url, service) = (server.url(), limiter(&server.url()).await);
    let of = |name: &'static str| Key::new(name).by("bob");
    let limit = |text: &str| text.parse::<Limit>().unwrap();
    let blocked = limit("token_bucket count=20 time=1s burst=40");
    let slow = limit("token_bucket count=1 time=1s burst=20");
    let leaky = limit("leaky_bucket count=5 time=1s burst=100");
    let counter = limit("counter count=100 time=1h");
    let hour = Duration::from_secs(3600);
    service.block(&blocked, of("blocked"), hour).await.unwrap();
    service.penalize(&slow, of("debt"), 40).await.unwrap();
    service.check_cost(&leaky, of("leaky"), 100).await.unwrap();
    service.check_cost(&counter, of("refunded"), 60).await.unwrap();
    let charge = service.charge(&counter, of("refunded"), 10).await.unwrap();
    service.check_cost(&counter, of("later"), 30).await.unwrap();
    service.check_cost(&slow, of("later bucket"), 15).await.unwrap();
    let limits: Vec<String> = [
        ("blocked", blocked),
        ("debt", slow),
        ("leaky", leaky),
        ("refunded", counter),
        ("later", counter),
        ("later bucket", slow),
    ]
    .iter()
    .map(|(name, limit)| format!("{name}={limit}"))
    .collect();
    let mut options = vec!["--keys-per-second".to_owned(), "100000".to_owned()];
    options.extend(limits.into_iter().flat_map(|limit| ["--limit".to_owned(), limit]));
    let (mut charge, runtime, mut seen) = (Some(charge), tokio::runtime::Handle::current(), 0);
    let ended = move |top: &Value| {
        for row in ["names", "keys"].iter().flat_map(|list| top[list].as_array().unwrap()) {
            let rate = row["units_per_second"].as_f64();
            assert!(rate.is_none_or(|rate| rate == 0.0), "{row}");
        }
        seen += 1;
        if seen == 2 {
            let charge = charge.take().unwrap();
            runtime.block_on(async {
                charge.refund().await.unwrap();
                service.block(&counter, of("later"), hour).await.unwrap();
                service.block(&slow, of("later bucket"), hour).await.unwrap();
            });
        }
        if seen == 4 {
            runtime.block_on(async {
                assert!(service.unblock(&counter, of("later")).await.unwrap());
                assert!(service.unblock(&slow, of("later bucket")).await.unwrap());
            });
        }
        seen == 7
    };
    let top = tokio::task::spawn_blocking(move || {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        top_until(&url, &options, ended).1
    });
    let top = top.await.unwrap();
    assert_eq!(top["number_of_keys"], 6, "{top}");
    assert_eq!(find(&top["keys"], "blocked")["allowed"], false);
}
