//! Tests the numbers in the JSON of `top`, with traffic.

use crate::harness::{LOGIN_TEXT, limiter, top_until, used_server};
use ratelimit::{Key, Limit};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
