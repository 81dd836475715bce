//! Addresses that a cluster or sentinels announce, but that this process cannot reach, and the map that corrects them.

use super::wrong_urls::refused;
use crate::harness::{cluster_of_one, limiter_at, limiter_on};
use ratelimit::{ErrorKind, Key, Limit, per};
use support::{Cluster, RedisServer, Sentinels};

const LIMIT: Limit = Limit::counter(2, per::HOUR);

/// The servers listen at 127.0.0.1 only.
const ELSEWHERE: &str = "127.0.0.9";

fn announce(server: &RedisServer, option: &str, value: &str) {
    redis::cmd("CONFIG").arg("SET").arg(option).arg(value).exec(&mut server.raw()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_announced_address_that_cannot_be_reached_is_said_and_mapped() {
    let node = cluster_of_one();
    announce(&node, "cluster-announce-ip", ELSEWHERE);
    let url = format!("redis+cluster://127.0.0.1:{}", node.port());
    let says =
        format!("cannot connect to Redis at {ELSEWHERE}:{}, which the cluster announces: ", node.port());
    refused(&url, ErrorKind::Unavailable, &says).await;
    for says in ["cluster-announce-ip", "`map_addresses`"] {
        refused(&url, ErrorKind::Unavailable, says).await;
    }
    let mapped = limiter_at(url).map_addresses(|host, port| {
        assert_eq!(host, ELSEWHERE);
        ("127.0.0.1".to_owned(), port)
    });
    let limiter = mapped.connect().await.unwrap();
    assert_eq!(limiter.check(&LIMIT, "a").await.unwrap().decision().remaining(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_of_a_cluster_is_reached_through_the_map() {
    let cluster = Cluster::start(3);
    let ports = cluster.ports();
    for port in &ports {
        announce(cluster.server(*port), "cluster-announce-ip", ELSEWHERE);
    }
    let limiter = limiter_at(format!("redis+cluster://127.0.0.1:{}", ports[0]))
        .map_addresses(|_, port| ("127.0.0.1".to_owned(), port));
    let limiter = limiter.connect().await.unwrap();
    for user in 0..50 {
        for left in [1, 0] {
            let admitted = limiter.check(&LIMIT, Key::new("users").by(user)).await.unwrap();
            assert_eq!(admitted.decision().remaining(), left, "user {user}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_primary_that_sentinels_name_is_mapped() {
    let (sentinels, other) = (Sentinels::start(), RedisServer::start());
    let (primary, port) = (sentinels.primary(), other.port());
    let limiter = limiter_at(sentinels.url()).map_addresses(move |host, announced| {
        assert_eq!((host, announced), ("127.0.0.1", primary));
        (host.to_owned(), port)
    });
    limiter.connect().await.unwrap().check(&LIMIT, "a").await.unwrap();
    for (server, remaining) in [(&other, 1), (sentinels.server(primary), 2)] {
        let limiter = limiter_on(server).connect().await.unwrap();
        assert_eq!(limiter.peek(&LIMIT, "a").await.unwrap().remaining(), remaining);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_is_refused_by_the_sentinel_or_by_the_primary() {
    let sentinels = Sentinels::with_passwords("walrus", "sesame");
    let sentinel = format!("127.0.0.1:{}", sentinels.sentinel_ports()[0]);
    let configuration = ErrorKind::Configuration;
    for (credentials, query) in
        [("", ""), (":walrus@", ""), (":sesame@", ""), (":walrus@", "?sentinel_pass=walrus")]
    {
        let url = format!("redis+sentinel://{credentials}{sentinel}/mymaster{query}");
        let says = format!("cannot log in to the sentinel at {sentinel}: the sentinels require");
        refused(&url, configuration, &says).await;
        refused(&url, configuration, "`?sentinel_pass=password`").await;
    }
    let primary = format!("Redis at 127.0.0.1:{}, the primary that a sentinel named: ", sentinels.primary());
    for credentials in ["", ":sesame@"] {
        let url = format!("redis+sentinel://{credentials}{sentinel}/mymaster?sentinel_pass=sesame");
        refused(&url, configuration, &format!("cannot log in to {primary}")).await;
    }
    let url = format!("redis+sentinel://:walrus@{sentinel}/mymaster?sentinel_pass=sesame");
    limiter_at(url).connect().await.unwrap();
}
