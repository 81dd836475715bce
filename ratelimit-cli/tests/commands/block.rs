//! Tests `block` and `unblock`. This process is the service, and the command runs in another process.

use crate::harness::{LOGIN, limiter, run, top_until, used_server, wait_for};
use ratelimit::Key;
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_is_blocked_for_a_time_or_until_unblock() {
    let (server, _) = used_server().await;
    let (service, url) = (limiter(&server.url()).await, server.url());
    let ann = || Key::new("login").by("ann");
    let limit = format!("login={LOGIN}");
    let with_limit = |arguments: &[&str]| {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--limit", &limit]).collect();
        run(&url, &arguments)
    };
    with_limit(&["block", "login", "--for", "ann", "1h"])
        .exits(0)
        .says(&["login for ann: blocked for 1 h 0 m"]);
    let refused = service.check(&LOGIN, ann()).await.unwrap_err().retry_after().unwrap();
    assert!((3590..=3600).contains(&refused.as_secs()), "{refused:?}");
    with_limit(&["peek", "login", "--for", "ann"]).exits(0).says(&["refused for "]);
    service.check(&LOGIN, Key::new("login").by("bob")).await.unwrap();
    let list = run(&url, &["list", "login", "--json", "--identities", "--limit", &limit]).exits(0).json();
    let entries = list["limits"][0]["largest"].as_array().unwrap();
    let blocked = entries.iter().find(|entry| entry["identity"] == "ann").unwrap();
    assert_eq!((&blocked["allowed"], &list["limits"][0]["at_limit"]), (&false.into(), &2.into()), "{list}");
    let is_blocked = |top: &Value| {
        let keys = top["keys"].as_array();
        keys.is_some_and(|keys| keys.iter().any(|key| key["identity"] == "ann" && key["allowed"] == false))
    };
    top_until(&url, &["--identities", "--limit", &limit], is_blocked);

    with_limit(&["unblock", "login", "--for", "ann"]).exits(0).says(&["login for ann: unblocked"]);
    wait_for("the refusal is forgotten", async || service.check(&LOGIN, ann()).await.is_ok()).await;
    with_limit(&["unblock", "login", "--for", "ann"]).exits(1).says(&["login for ann: was not blocked"]);
    let json = with_limit(&["block", "login", "--for", "ann", "90s", "--json"]).exits(0).json();
    assert_eq!((&json["identities"][0], &json["blocked_for_ms"]), (&"ann".into(), &90_000.into()));
    let json = with_limit(&["unblock", "login", "--for", "ann", "--json"]).exits(0).json();
    assert_eq!(json["identities"][0]["was_blocked"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_blocked_is_said() {
    let (server, _) = used_server().await;
    let url = server.url();
    run(&url, &["block", "login", "--for", "ann"]).exits(2).complains(&["TIME"]);
    run(&url, &["block", "login", "--for", "ann", "1 h"]).exits(2).complains(&["has a space"]);
    run(&url, &["block", "login", "--for", "ann", "1h"])
        .exits(2)
        .complains(&["the limits of methods are never published", "`--limit"]);
    run(&url, &["block", "logn", "--for", "ann", "1h"]).exits(1).complains(&["did you mean `login`?"]);
    let log = ["block", "login", "--for", "ann", "1h", "--limit", "sliding_log count=5 time=1m"];
    run(&url, &log).exits(2).complains(&["has no place for a block"]);
}
