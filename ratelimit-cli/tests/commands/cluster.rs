//! Tests all commands on a cluster, where they must ask every node.

use crate::harness::{LOGIN, LOGIN_TEXT, limiter, run, top_until};
use ratelimit::Key;
use support::Cluster;

#[tokio::test(flavor = "multi_thread")]
async fn all_commands_work_on_a_cluster() {
    let cluster = Cluster::start(3);
    let url = cluster.url();
    let limiter = limiter(&url).await;
    for user in 0..60 {
        limiter.check_cost(&LOGIN, Key::new("login").by(user), user % 5 + 1).await.unwrap();
    }
    let list = run(&url, &["list", "--json", "--limit", LOGIN_TEXT]).exits(0).json();
    let login = &list["limits"][0];
    assert_eq!(
        (&login["keys"], &login["units"], &login["at_limit"]),
        (&60.into(), &180.into(), &12.into()),
        "{list}"
    );

    run(&url, &["peek", "login", "--for", "7", "--for", "8"])
        .exits(0)
        .says(&["3 units in use", "4 units in use"]);
    run(&url, &["set", "login", "--for", "7", "count=9"]).exits(0);
    run(&url, &["overrides"]).exits(0).says(&["login  7    count=9"]);
    run(&url, &["unset", "login", "--for", "7"]).exits(0);
    run(&url, &["reset", "login", "--for", "7"]).exits(0).says(&["reset counter"]);
    run(&url, &["peek", "login", "--for", "7"]).exits(0).says(&["nothing in use"]);

    let doctor = run(&url, &["doctor", "--deadline", "60000"]).exits(0);
    doctor.says(&[
        "slots without a reachable node: none: 3 primaries serve all slots",
        "cluster-require-full-coverage: `yes`",
        "the clocks of 3 servers differ by",
        "1 replica",
    ]);
    top_until(&url, &[], |top| {
        top["names"][0]["keys"] == 59 && top["servers"].as_array().is_some_and(|servers| servers.len() == 3)
    });

    run(&url, &["reset", "login", "--all", "--yes"]).exits(0).says(&["deleted 59 keys"]);
    run(&url, &["list"]).exits(0).says(&["no live keys"]);
    for port in cluster.primaries() {
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut cluster.server(port).raw()).unwrap();
        assert!(keys.iter().all(|key| key.ends_with(":overrides")), "{keys:?}");
    }
}
