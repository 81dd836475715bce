//! Tests that every query of the dashboard returns data from a real Prometheus. Prometheus scrapes the example under load.
#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

#[path = "../prometheus/exporter.rs"]
mod exporter;
#[path = "../prometheus/shop.rs"]
mod shop;

use ratelimit::RateLimiter;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::{Prometheus, RedisServer};
use tokio::net::TcpListener;

/// The longest time until all queries return data.
const LIMIT: Duration = Duration::from_secs(60);

/// The panels that have no data without an outage.
const OF_AN_OUTAGE: [&str; 3] = ["Decided without the store", "Failed decisions", "Open circuit breakers"];

fn dashboard() -> Value {
    serde_json::from_str(include_str!("../prometheus/dashboard.json")).unwrap()
}

/// Returns the title and the query of each target of each panel.
fn queries(dashboard: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let panels = dashboard["panels"].as_array().unwrap().iter().filter(|panel| panel["type"] != "row");
    let targets = |panel: &Value| panel["targets"].as_array().unwrap().clone();
    panels
        .flat_map(|panel| {
            targets(panel).into_iter().map(move |target| (text(&panel["title"]), text(&target["expr"])))
        })
        .collect()
}

/// Returns the query in the form that Grafana sends, with its variables replaced.
fn sent(query: &str) -> String {
    query.replace("$__rate_interval", "10s").replace("$limit", ".*")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_query_of_the_dashboard_returns_data() {
    let recorder = exporter::install().unwrap();
    let mut redis = RedisServer::start();
    let limiter = RateLimiter::builder().redis(redis.url()).connect().await.unwrap();
    ratelimit::install(limiter).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(exporter::tidy_up(recorder.clone()));
    tokio::spawn(async move { axum::serve(listener, exporter::routes(recorder)).await });
    tokio::spawn(shop::open());

    let dashboard = dashboard();
    let mut waiting: BTreeSet<(String, String)> = queries(&dashboard).into_iter().collect();
    assert!(waiting.len() >= 15, "{waiting:#?}");
    let run = move || {
        let prometheus = Prometheus::start(address);
        let start = Instant::now();
        let mut has_outage = false;
        while !waiting.is_empty() {
            let has_data = |query: &str| {
                let reply: Value = serde_json::from_str(&prometheus.query(&sent(query))).unwrap();
                assert_eq!(reply["status"], "success", "{query}: {reply}");
                // The result of a division by zero does not count as data.
                let is_number =
                    |result: &Value| result["value"][1].as_str().is_some_and(|value| value != "NaN");
                reply["data"]["result"].as_array().unwrap().iter().any(is_number)
            };
            waiting.retain(|(_, query)| !has_data(query));
            if !has_outage && waiting.iter().all(|(title, _)| OF_AN_OUTAGE.contains(&title.as_str())) {
                has_outage = true;
                redis.kill();
            }
            assert!(start.elapsed() < LIMIT, "no data for {waiting:#?}\n{}", prometheus.log_tail());
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

#[test]
fn the_dashboard_shows_every_metric() {
    let text = queries(&dashboard()).into_iter().map(|(_, query)| query).collect::<String>();
    for metric in ratelimit::observe::METRICS {
        assert!(text.contains(&metric.name.replace('.', "_")), "no panel shows {}", metric.name);
    }
}

#[test]
fn the_dashboard_has_what_grafana_needs() {
    let dashboard = dashboard();
    assert!(dashboard["uid"].is_string() && dashboard["schemaVersion"].as_u64().unwrap() >= 36);
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "each panel has its own id");
    let mut taken = BTreeSet::new();
    for panel in panels {
        let number = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        let (x, y, w, h) = (number("x"), number("y"), number("w"), number("h"));
        assert!(x + w <= 24, "{}: the grid has 24 columns", panel["title"]);
        for cell in (y..y + h).flat_map(|y| (x..x + w).map(move |x| (x, y))) {
            assert!(taken.insert(cell), "{} covers another panel", panel["title"]);
        }
        assert!(
            panel["type"] == "row" || panel["datasource"]["uid"] == "${datasource}",
            "{}",
            panel["title"]
        );
    }
}
