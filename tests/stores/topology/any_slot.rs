//! Batches with keys in several slots of one node. If the server permits it, a batch is one script call. If the server does not
//! permit it, or if a key is on another node, each request is still counted once.

use crate::harness::{
    TestRequest, checks, cluster_of_one, forbidden_among, join, key, on_slots, script_calls, used_under,
};
use ratelimit::{__testing, Limit, RedisStore};
use support::{Cluster, DAY, RedisServer};

const LIMIT: Limit = Limit::counter(4_000_000, DAY);

/// Simulates a server that returns the error in `test:problem` when a script uses a second undeclared key.
const PROBLEM: &str = r#"
local redis = (function(server)
  local problem, first = #KEYS == 0 and server.call("GET", "test:problem"), nil
  if not problem then return server end
  local function through(command, fail)
    return function(name, key, ...)
      if not key then return command(name) end
      first = first or key
      if key and key ~= first then return fail(problem) end
      return command(name, key, ...)
    end
  end
  return setmetatable({
    call = through(server.call, function(text) error(text, 0) end),
    pcall = through(server.pcall, function(text) return { err = text } end),
  }, { __index = server })
end)(redis)
"#;
const SAME_SLOT: &str = "ERR Script attempted to access keys that do not hash to the same slot";
const NON_LOCAL: &str = "ERR Script attempted to access a non local key in a cluster node";

fn set_problem(server: &RedisServer, problem: Option<&str>) {
    let mut command = redis::cmd(if problem.is_some() { "SET" } else { "DEL" });
    command.arg("test:problem").arg(problem).exec(&mut server.raw()).unwrap();
}

/// Makes a burst of concurrent checks, one for each key. Repeats the burst `times` times.
async fn bursts(times: usize, store: &RedisStore, keys: &[usize]) {
    let requests: Vec<TestRequest> = keys.iter().map(|key| TestRequest::new(*key, LIMIT, 1)).collect();
    for _ in 0..times {
        for answer in join(checks(store, &requests)).await {
            assert!(answer.unwrap().is_allowed());
        }
    }
}

/// The number of script calls of a burst.
async fn calls_of_burst(server: &RedisServer, store: &RedisStore, keys: &[usize]) -> u64 {
    let before = script_calls(server);
    bursts(1, store, keys).await;
    script_calls(server) - before
}

/// Asserts that a burst took one batch. The first request may also be sent alone.
fn assert_one_batch(script_calls: u64) {
    assert!((1..=2).contains(&script_calls), "{script_calls} script calls");
}

async fn assert_used(store: &RedisStore, keys: &[usize], expected: u32) {
    for key in keys {
        assert_eq!(used_under(store, *key, LIMIT).await, expected, "key {key}");
    }
}

#[tokio::test]
async fn a_batch_over_several_slots_is_one_call() {
    let server = cluster_of_one();
    let store = RedisStore::new(&on_slots(&server)).unwrap();
    let keys: Vec<usize> = (0..50).collect();
    // Makes the store connect and probe, and the server load the scripts.
    bursts(3, &store, &keys).await;
    assert_one_batch(calls_of_burst(&server, &store, &keys).await);
    // Equal requests are merged.
    let twice: Vec<usize> = keys.iter().chain(&keys).copied().collect();
    assert_one_batch(calls_of_burst(&server, &store, &twice).await);
    assert_used(&store, &keys, 6).await;
    assert_eq!(server.keys_without_ttl(), 0);
}

#[tokio::test]
async fn a_server_that_does_not_permit_it_receives_one_call_for_each_slot() {
    let server = cluster_of_one();
    set_problem(&server, Some(SAME_SLOT));
    let store = __testing::with_prelude(&on_slots(&server), PROBLEM).unwrap();
    let keys: Vec<usize> = (0..20).collect();
    bursts(3, &store, &keys).await;
    // The store has not probed the server again, because that would be a further call.
    assert_eq!(calls_of_burst(&server, &store, &keys).await, 20);
    assert_used(&store, &keys, 4).await;
}

#[tokio::test]
async fn a_probe_whose_keys_are_elsewhere_is_repeated() {
    let server = cluster_of_one();
    set_problem(&server, Some(NON_LOCAL));
    let store = __testing::with_prelude(&on_slots(&server), PROBLEM).unwrap();
    let keys: Vec<usize> = (0..20).collect();
    bursts(3, &store, &keys).await;
    assert_eq!(calls_of_burst(&server, &store, &keys).await, 21, "the probe, and each request");
    set_problem(&server, None);
    bursts(2, &store, &keys).await;
    assert_one_batch(calls_of_burst(&server, &store, &keys).await);
    assert_used(&store, &keys, 7).await;
}

#[tokio::test]
async fn a_server_that_no_longer_permits_it_counts_each_request_once() {
    let server = cluster_of_one();
    let store = __testing::with_prelude(&on_slots(&server), PROBLEM).unwrap();
    let keys: Vec<usize> = (0..20).collect();
    bursts(3, &store, &keys).await;
    set_problem(&server, Some(SAME_SLOT));
    bursts(3, &store, &keys).await;
    assert_eq!(calls_of_burst(&server, &store, &keys).await, 20);
    assert_used(&store, &keys, 7).await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_key_that_is_elsewhere_is_asked_for_again_alone() {
    let cluster = Cluster::start(3);
    let store = RedisStore::new(&cluster.url()).unwrap();
    let [from, to, ..] = cluster.primaries()[..] else { panic!("there are three") };
    let name = |number: usize| key(number, &LIMIT);
    let is_there = |number: &usize| cluster.primary_of(cluster.slot_of(&name(*number))) == from;
    let keys: Vec<usize> = (0..200).filter(is_there).take(20).collect();
    let (last, others) = keys.split_last().unwrap();
    bursts(3, &store, others).await;
    // The last key does not exist, so the other node creates it. The other keys stay on this node.
    let slot = cluster.slot_of(&name(*last));
    cluster.begin_move(slot, to);
    for _ in 0..2 {
        // The redirected request does not run on this node.
        assert_one_batch(calls_of_burst(cluster.server(from), &store, &keys).await);
    }
    assert_used(&store, others, 5).await;
    assert_used(&store, &[*last], 2).await;
    cluster.carry_keys(slot, to);
    cluster.end_move(slot, to);
    bursts(1, &store, &keys).await;
    assert_used(&store, others, 6).await;
    assert_used(&store, &[*last], 3).await;
}

#[tokio::test]
async fn a_forbidden_key_is_an_error_of_its_own_call() {
    let server = cluster_of_one();
    let rules = ["on", "nopass", "~t:*", "+@all"];
    redis::cmd("ACL").arg("SETUSER").arg("some").arg(&rules).exec(&mut server.raw()).unwrap();
    let url = format!("redis+cluster://some:any@127.0.0.1:{}", server.port());
    let store = RedisStore::new(&url).unwrap();
    let keys: Vec<usize> = (0..10).collect();
    bursts(3, &store, &keys).await;
    let before = script_calls(&server);
    forbidden_among(&store, LIMIT, &[0, 1], &[2, 1]).await;
    assert!(script_calls(&server) - before <= 4, "the first request, the batch, and the forbidden one alone");
    assert_used(&store, &[0, 2], 4).await;
    assert_used(&store, &[1], 5).await;
}
