//! Tests the parts of the library that exist for this tool: the servers of a store, and the parsing of stored keys.

use crate::harness::{LOGIN, keys, limiter, used_server};
use ratelimit::store::StoredKey;
use ratelimit::{Algorithm, ErrorKind, Key, RedisStore};
use redis::Value;
use support::{Cluster, RedisServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_single_server_replies_to_commands() {
    let server = RedisServer::builder().password("sesame").start();
    let store = RedisStore::new(&server.url()).unwrap();
    let servers = store.servers().await.unwrap();
    let [only] = servers.as_slice() else { panic!("{servers:?}") };
    assert_eq!(only.to_string(), format!("127.0.0.1:{}", server.port()));
    assert!(!format!("{only:?}").contains("sesame"));
    assert_eq!(only.send(&redis::cmd("DBSIZE")).await.unwrap(), Value::Int(0));

    let mut commands = redis::pipe();
    commands.cmd("SET").arg("a").arg(1).cmd("RPUSH").arg("a").arg("walrus").cmd("GET").arg("a");
    let replies = only.send_all(&commands).await.unwrap();
    let error = replies[1].as_ref().unwrap_err();
    assert!(error.to_string().contains("another type of value") && !error.to_string().contains("walrus"));
    assert_eq!(
        replies[2].as_ref().unwrap(),
        &Value::BulkString(b"1".to_vec()),
        "the other commands have run"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_is_an_error() {
    let mut server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    server.stop();
    let servers = store.servers().await.unwrap();
    let error = servers[0].send(&redis::cmd("DBSIZE")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let store = RedisStore::new(&format!("redis+cluster://127.0.0.1:{}", server.port())).unwrap();
    assert_eq!(store.servers().await.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_primary_of_a_cluster_is_a_server() {
    let cluster = Cluster::start(3);
    let store = RedisStore::new(&cluster.url()).unwrap();
    let mut found: Vec<String> = store.servers().await.unwrap().iter().map(ToString::to_string).collect();
    let mut primaries: Vec<String> =
        cluster.primaries().iter().map(|port| format!("127.0.0.1:{port}")).collect();
    found.sort();
    primaries.sort();
    assert_eq!(found, primaries);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_was_found_is_a_key_of_the_limiter() {
    let (server, _) = used_server().await;
    let limiter = limiter(&server.url()).await;
    let long = "x".repeat(100);
    limiter.check(&LOGIN, Key::new("long:{part}").by(&long).part("a b")).await.unwrap();
    let found = keys(&server).into_iter().find(|key| key.contains("long")).unwrap();
    let stored = StoredKey::parse("ratelimit", found.as_bytes()).unwrap();
    assert_eq!((stored.name(), stored.algorithm()), ("long:{part}", Some(Algorithm::Counter)));
    assert_eq!(limiter.store_key(&stored, Algorithm::Counter).unwrap().as_bytes(), found.as_bytes());
    assert_eq!(limiter.peek(&LOGIN, &stored).await.unwrap().remaining(), 4);
    assert!(limiter.reset(&LOGIN, &stored).await.unwrap());
    assert!(!format!("{stored:?}").contains("a%20b"), "{stored:?}");
}
