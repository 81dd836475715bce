//! `top`: the numbers of its JSON, with traffic.

use crate::harness::{LOGIN_TEXT, limiter, run, used_server};
use ratelimit::{Key, Limit};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn last(out: &str) -> Value {
    serde_json::from_str(out.lines().last().unwrap()).unwrap()
}

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
    let ran = run(&server.url(), &["top", "--json", "--seconds", "4", "--limit", LOGIN_TEXT]).exits(0);
    assert_eq!(ran.out.lines().count(), 4);
    assert!(!ran.out.contains("203.0.113"), "{}", ran.out);
    let top = last(&ran.out);
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
    assert_eq!(top["number_of_keys"], 6);
    let ran = run(&server.url(), &["top", "--json", "--seconds", "3", "--identities"]).exits(0);
    assert!(ran.out.contains("203.0.113.1"), "{}", ran.out);
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
    let url = server.url();
    let ran = tokio::task::spawn_blocking(move || run(&url, &["top", "--json", "--seconds", "5"]).exits(0))
        .await
        .unwrap();
    stop.store(true, Ordering::Relaxed);
    traffic.await.unwrap();
    let top = last(&ran.out);
    let rate = |row: &Value| row["units_per_second"].as_f64().unwrap();
    assert_eq!(top["names"][0]["name"], "busy", "the busiest comes first: {top}");
    assert!(rate(&top["names"][0]) > 1.0 && rate(find(&top["keys"], "busy")) > 1.0, "{top}");
    assert!(top["scripts_per_second"].as_f64().unwrap() > 1.0, "{top}");
}
