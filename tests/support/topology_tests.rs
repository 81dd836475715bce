//! Clusters, Sentinels and TLS of the harness: they work as the tests expect.

use crate::{Cluster, RedisServer, Sentinels, Traffic, has_tls};
use redis::{Commands, Connection, ErrorKind, RedisResult, ServerErrorKind, Value};
use std::net::TcpStream;

fn refusal<T>(result: RedisResult<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

fn read(raw: &mut Connection, key: &str) -> RedisResult<Option<u32>> {
    raw.get(key)
}

#[test]
fn a_cluster_serves_all_slots_and_moves_them() {
    let cluster = Cluster::start(3);
    assert_eq!((cluster.ports().len(), cluster.primaries()), (6, cluster.ports()[..3].to_vec()));
    let (key, slot) = ("moved", cluster.slot_of("moved"));
    let (from, other) = (cluster.primary_of(slot), cluster.primary_of((slot + 6000) % 16_384));
    assert_ne!(from, other);
    let (mut old, mut new) = (cluster.server(from).raw(), cluster.server(other).raw());
    let () = old.set(key, 7).unwrap();
    assert_eq!(refusal(read(&mut new, key)), Some(ErrorKind::Server(ServerErrorKind::Moved)));

    cluster.begin_move(slot, other);
    assert_eq!(read(&mut old, key).unwrap(), Some(7));
    cluster.carry_keys(slot, other);
    assert_eq!(refusal(read(&mut old, key)), Some(ErrorKind::Server(ServerErrorKind::Ask)));
    cluster.end_move(slot, other);
    assert_eq!((read(&mut new, key).unwrap(), cluster.primary_of(slot)), (Some(7), other));
    cluster.move_slots(slot.saturating_sub(20)..=slot, from);
    assert_eq!((read(&mut old, key).unwrap(), cluster.primary_of(slot)), (Some(7), from));
    cluster.wait_until_whole();
}

#[test]
fn a_primary_of_a_cluster_is_replaced() {
    let mut cluster = Cluster::start(3);
    let slot = cluster.slot_of("kept");
    let first = cluster.primary_of(slot);
    let mut raw = cluster.server(first).raw();
    let () = raw.set("kept", 7).unwrap();
    redis::cmd("WAIT").arg(1).arg(0).exec(&mut raw).unwrap();
    cluster.kill(first);
    crate::wait::until("a replica is elected", || cluster.find_primary(slot).is_some());
    let second = cluster.primary_of(slot);
    assert_eq!(read(&mut cluster.server(second).raw(), "kept").unwrap(), Some(7));
    cluster.restart(first);
    cluster.wait_until_whole();
    assert_eq!(cluster.hand_over(second), first);
    assert_eq!((cluster.primary_of(slot), cluster.primaries().len()), (first, 3));
}

#[test]
fn a_cluster_behind_proxies_sends_its_clients_to_them() {
    let cluster = Cluster::behind_proxies(3);
    let (ports, slot) = (cluster.ports(), cluster.slot_of("key"));
    let elsewhere = cluster.primary_of((slot + 6000) % 16_384);
    let error = read(&mut cluster.server(elsewhere).raw(), "key").unwrap_err();
    let there = cluster.primary_of(slot);
    assert!(error.to_string().contains(&format!(":{there}")), "{error}");
    let slots: Value = redis::cmd("CLUSTER").arg("SLOTS").query(&mut cluster.server(ports[0]).raw()).unwrap();
    let slots = format!("{slots:?}");
    for port in &ports[..3] {
        assert!(slots.contains(&format!("int({port})")), "{slots}");
    }
    assert!(ports.iter().all(|port| cluster.server(*port).port() != *port));
    cluster.proxy(there).set(Traffic::Reset);
    assert!(TcpStream::connect(("127.0.0.1", there)).is_ok());
    crate::wait::until("the proxy counts", || !cluster.proxy(there).accepted().is_empty());
}

#[test]
fn sentinels_put_a_replica_in_the_place_of_a_primary() {
    let mut all = Sentinels::with_passwords("sesame", "simsim");
    let first = all.primary();
    let is_primary =
        |all: &Sentinels, port| -> bool { all.server(port).raw().set::<_, _, ()>("key", 1).is_ok() };
    assert_eq!(all.ports().iter().filter(|port| is_primary(&all, **port)).count(), 1);
    assert_eq!(all.kill_primary(), first);
    let second = all.wait_for_another(first);
    assert!(is_primary(&all, second));
    all.restart(first);
    assert!(!is_primary(&all, first));
    let third = all.hand_over();
    assert!(third != second && is_primary(&all, third) && !is_primary(&all, second));
}

#[test]
fn a_server_with_tls_has_certificates_of_one_authority() {
    if !has_tls() {
        let refused = std::panic::catch_unwind(|| RedisServer::builder().tls().start());
        assert!(refused.is_err());
        return;
    }
    let mut server = RedisServer::builder().tls().password("p@ss").start();
    assert_eq!(server.url(), format!("rediss://:p%40ss@127.0.0.1:{}/", server.port()));
    let certificates = server.certificates();
    let authority = std::fs::read(certificates.authority()).unwrap();
    assert!(certificates.client().is_file() && certificates.client_key().is_file());
    let plain = redis::Client::open(format!("redis://:p%40ss@127.0.0.1:{}/", server.port())).unwrap();
    assert!(plain.get_connection().is_err(), "it speaks without TLS too");
    let () = server.raw().set("key", 7).unwrap();
    server.restart();
    assert_eq!(read(&mut server.raw(), "key").unwrap(), None);
    assert_eq!(std::fs::read(certificates.authority()).unwrap(), authority, "clients keep what they trust");
}
