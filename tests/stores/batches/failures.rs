//! Failures in a batch affect only the calls that cause them.

use crate::harness::{
    Suspended, TestRequest, checks, decide, each, forbidden_among, foreign_texts, in_mode, join, key,
    poll_once, runtime, soon, used_under,
};
use ratelimit::store::Mode;
use ratelimit::{ErrorKind, Limit, RedisStore};
use std::task::Poll;
use support::{DAY, RedisServer};

const LIMIT: Limit = Limit::counter(4_000_000, DAY);

/// A connected store whose server knows the scripts.
async fn connected(server: &RedisServer) -> RedisStore {
    let store = RedisStore::new(&server.url()).unwrap();
    let requests: Vec<TestRequest> = (0..3).map(|key| TestRequest::new(1000 + key, LIMIT, 1)).collect();
    join(checks(&store, &requests)).await;
    store
}

#[tokio::test]
async fn a_call_that_is_never_polled_again_blocks_no_other() {
    let server = RedisServer::start();
    let store = connected(&server).await;
    let one = [TestRequest::new(0, LIMIT, 1)];
    let mut forgotten = checks(&store, &one);
    assert!(poll_once(&mut forgotten[0]).await.is_pending());
    for n in 2..=10 {
        // Another request is polled once, and then waits in the queue.
        let mut another = checks(&store, &one);
        assert!(poll_once(&mut another[0]).await.is_pending());
        let answers = soon(join(checks(&store, &[one[0]; 9]))).await;
        assert!(answers.into_iter().all(|answer| answer.unwrap().is_allowed()), "{n}");
        drop(another);
    }
    drop(forgotten);
    assert_eq!(used_under(&store, 0, LIMIT).await, 1 + 9 * (1 + 9));
}

/// Sends several batches whose keys are partly valid and partly have foreign texts. Only requests for the foreign texts may
/// fail.
async fn spoil(store: &RedisStore, raw: &mut redis::Connection, limit: Limit) {
    const SOUND: usize = 4;
    let values: Vec<&str> = foreign_texts().collect();
    redis::cmd("FLUSHALL").exec(raw).unwrap();
    for (at, value) in values.iter().enumerate() {
        redis::cmd("SET").arg(key(SOUND + at, &limit)).arg(value).arg("EX").arg(1000).exec(raw).unwrap();
    }
    let keys = SOUND + values.len();
    let requests: Vec<TestRequest> =
        (0..2 * keys).map(|at| TestRequest::new((at + at / keys) % keys, limit, 1)).collect();
    for mode in [Mode::Check, Mode::Check, Mode::Charge] {
        for (request, answer) in requests.iter().zip(join(in_mode(store, mode, &requests)).await) {
            match answer {
                Ok(decision) => {
                    assert!(
                        request.key < SOUND && decision.is_allowed(),
                        "{limit}: {}: {decision:?}",
                        request.key
                    );
                }
                Err(error) => {
                    assert!(request.key >= SOUND, "{limit}: a neighbour has spoilt {}: {error}", request.key);
                    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
                }
            }
        }
    }
    for sound in 0..SOUND {
        let one = [TestRequest::new(sound, limit, 1)];
        let left = decide(store, Mode::Peek, &one).await.unwrap()[0].remaining();
        let calls = 3 * requests.iter().filter(|request| request.key == sound).count();
        assert_eq!(limit.capacity() - left, u32::try_from(calls).unwrap(), "{limit}: key {sound}");
    }
    for (at, value) in values.iter().enumerate() {
        let found: String = redis::cmd("GET").arg(key(SOUND + at, &limit)).query(raw).unwrap();
        assert_eq!(found, *value, "{limit}");
    }
}

#[tokio::test]
async fn foreign_values_affect_no_other_key_of_the_batch() {
    let server = RedisServer::start();
    let store = connected(&server).await;
    let mut raw = server.raw();
    for limit in each(1000, 300 * DAY).into_iter().filter(|limit| !limit.is_list()) {
        spoil(&store, &mut raw, limit).await;
    }
}

#[tokio::test]
async fn a_forbidden_key_affects_only_its_own_calls() {
    let server = RedisServer::start();
    let rules = ["on", "nopass", "~t:*", "+@all"];
    redis::cmd("ACL").arg("SETUSER").arg("some").arg(&rules).exec(&mut server.raw()).unwrap();
    let store = RedisStore::new(&format!("redis://some:any@127.0.0.1:{}", server.port())).unwrap();
    forbidden_among(&store, LIMIT, &[0, 1], &[1, 2]).await;
    for (key, expected) in [(0, 1), (1, 2), (2, 1)] {
        assert_eq!(used_under(&store, key, LIMIT).await, expected);
    }
}

#[tokio::test]
async fn the_queue_has_a_bound_while_a_server_is_silent() {
    const ROOM: usize = 16_384;
    /// One request that is sent alone, and four batches in flight.
    const AHEAD: usize = 1 + 4 * 128;
    let server = RedisServer::start();
    let store = connected(&server).await;
    let suspended = Suspended::new(&server);
    let mut waiting = Vec::new();
    let error = loop {
        let mut request = checks(&store, &[TestRequest::new(waiting.len() % 100, LIMIT, 1)]).remove(0);
        match poll_once(&mut request).await {
            Poll::Pending => waiting.push(request),
            Poll::Ready(answer) => break answer.expect_err("a silent server has answered"),
        }
        assert!(waiting.len() <= ROOM + AHEAD, "without bound");
        if waiting.len() % 1000 == 0 {
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(waiting.len() >= ROOM);
    drop(suspended);
    let calls = u32::try_from(waiting.len()).unwrap();
    assert!(join(waiting).await.into_iter().all(|answer| answer.unwrap().is_allowed()));
    let mut counted = 0;
    for key in 0..100 {
        counted += used_under(&store, key, LIMIT).await;
    }
    assert_eq!(counted, calls);
}

#[test]
fn calls_queued_in_a_runtime_that_ends_are_sent_from_another() {
    let server = RedisServer::start();
    let (lasting, passing) = (runtime(), runtime());
    let store = lasting.block_on(connected(&server));
    let requests = [TestRequest::new(0, LIMIT, 1); 4];
    let mut all = checks(&store, &requests);
    {
        let _inside = passing.enter();
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        // No task of this runtime is ever polled, so nothing is sent.
        for pending in &mut all[..2] {
            assert!(pending.as_mut().poll(&mut context).is_pending());
        }
    }
    lasting.block_on(async {
        for pending in &mut all[2..] {
            assert!(poll_once(pending).await.is_pending());
        }
    });
    drop(passing);
    let answers = lasting.block_on(soon(join(all)));
    assert!(answers.into_iter().all(|answer| answer.unwrap().is_allowed()));
    assert_eq!(lasting.block_on(used_under(&store, 0, LIMIT)), 4);
}
