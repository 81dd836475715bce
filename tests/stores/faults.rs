//! What goes wrong with a server: restarts, wrong passwords, servers that are not there.

use crate::setup::{SECOND, Stopped, limiter_on, undecided};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter, RedisStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::RedisServer;

const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));

/// Calls from several tasks at once, none of which may fail or be refused.
async fn call(limiter: &RateLimiter, tasks: u32, each: u32) {
    let tasks: Vec<_> = (0..tasks)
        .map(|_| {
            let limiter = limiter.clone();
            tokio::spawn(async move {
                for _ in 0..each {
                    limiter.check(&DAILY, "calls").await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

async fn used(limiter: &RateLimiter) -> u32 {
    DAILY.count() - limiter.peek(&DAILY, "calls").await.unwrap().remaining()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_with_data_loses_no_count() {
    let mut server = RedisServer::builder().persistent().start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).build().await.unwrap();
    for round in 1..=5 {
        call(&limiter, 8, 50).await;
        assert_eq!(used(&limiter).await, round * 400);
        server.restart();
    }
    call(&limiter, 8, 50).await;
    assert_eq!(used(&limiter).await, 6 * 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_error_reaches_a_caller_while_a_server_restarts() {
    let mut server = RedisServer::builder().persistent().start();
    let limiter = limiter_on(&server).build().await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let (limiter, done) = (limiter.clone(), Arc::clone(&done));
            tokio::spawn(async move {
                let mut calls = 0;
                while !done.load(Ordering::Relaxed) {
                    limiter.check(&DAILY, "calls").await.unwrap();
                    calls += 1;
                    tokio::task::yield_now().await;
                }
                calls
            })
        })
        .collect();
    for _ in 0..3 {
        server.restart();
    }
    back(&limiter).await;
    done.store(true, Ordering::Relaxed);
    let mut calls: u32 = 0;
    for caller in callers {
        calls += caller.await.unwrap();
    }
    // What was decided in memory meanwhile is not in Redis, nothing is there twice, and now all of it is counted there.
    let counted = used(&limiter).await;
    assert!(counted <= calls, "{counted} of {calls}");
    call(&limiter, 1, 10).await;
    assert_eq!(used(&limiter).await, counted + 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_is_left_to_the_policy() {
    let mut server = RedisServer::start();
    let limit = Limit::counter(2, SECOND * 60);
    let build = |on_error| limiter_on(&server).on_error(on_error).build();
    let (deny, allow, local) =
        (build(OnError::Deny).await, build(OnError::Allow).await, build(OnError::Local).await);
    let (deny, allow, local) = (deny.unwrap(), allow.unwrap(), local.unwrap());
    local.check(&limit, "policy").await.unwrap();
    server.stop();

    let error = undecided(deny.check(&limit, "policy").await);
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains(&server.port().to_string()), "{error}");
    for _ in 0..5 {
        allow.check(&limit, "policy").await.unwrap();
    }
    let decisions = [(); 3].map(|()| local.check(&limit, "policy"));
    let mut allowed = Vec::new();
    for decision in decisions {
        allowed.push(decision.await.is_ok());
    }
    assert_eq!(allowed, [true, true, false], "the same limit, in memory");
    assert!(local.peek(&limit, "policy").await.is_err(), "to peek elsewhere would answer another question");

    server.restart();
    back(&deny).await;
}

/// Waits until a limiter reaches its server again; reconnects pause up to two seconds.
async fn back(limiter: &RateLimiter) {
    let back = async {
        while limiter.peek(&DAILY, "calls").await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SECOND * 20, back).await.expect("the limiter has not found its server again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limiter_is_not_built_on_what_cannot_work() {
    let server = RedisServer::builder().password("sesame").start();
    let port = server.port();
    let free = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() };
    for (url, kind, says) in [
        (
            format!("redis://:wrong-sesame@127.0.0.1:{port}"),
            ErrorKind::Configuration,
            format!("127.0.0.1:{port}"),
        ),
        (format!("redis://127.0.0.1:{port}"), ErrorKind::Configuration, "NOAUTH".to_owned()),
        (format!("redis://:sesame@127.0.0.1:{free}"), ErrorKind::Unavailable, format!("127.0.0.1:{free}")),
        ("redis://:sesame@host:port".to_owned(), ErrorKind::Configuration, "malformed".to_owned()),
        (":sesame@127.0.0.1".to_owned(), ErrorKind::Configuration, "redis://".to_owned()),
    ] {
        let error = RateLimiter::builder().redis(&url).build().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{url}: {error}");
        assert!(error.to_string().contains(&says), "{url}: {error}");
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
    assert!(RateLimiter::builder().redis(server.url()).build().await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_out_of_range_are_refused() {
    for prefix in ["", "a b", "{a}", "ü"] {
        assert!(RateLimiter::builder().prefix(prefix).build().await.is_err(), "{prefix:?}");
    }
    assert!(RateLimiter::builder().ipv6_prefix(129).build().await.is_err());
    assert!(RateLimiter::builder().ipv6_prefix(32).build().await.is_err());
    assert!(RateLimiter::builder().deadline(Duration::ZERO).build().await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_permission_is_no_outage() {
    let server = RedisServer::start();
    let mut raw = server.raw();
    let rules = ["on", "nopass", "~*", "+@all", "-evalsha", "-eval"];
    redis::cmd("ACL").arg("SETUSER").arg("reader").arg(&rules).exec(&mut raw).unwrap();
    let url = format!("redis://reader:any@127.0.0.1:{}", server.port());
    let error = RateLimiter::builder().redis(&url).build().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");

    let lazy =
        RateLimiter::builder().redis(&url).connect_lazily().on_error(OnError::Allow).build().await.unwrap();
    let error = undecided(lazy.check(&DAILY, "calls").await);
    assert_eq!(error.kind(), ErrorKind::Configuration, "never let through, whatever the policy: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_full_is_an_outage() {
    let server = RedisServer::start();
    let mut only_client = server.raw();
    redis::cmd("CONFIG").arg("SET").arg("maxclients").arg(1).exec(&mut only_client).unwrap();
    let error = RateLimiter::builder().redis(server.url()).build().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_another_kind_is_named_as_such() {
    let web = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = web.local_addr().unwrap();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = web.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"<html>\r\n\r\nwelcome</html>\r\n").unwrap();
        stream
    });
    let error = RateLimiter::builder().redis(format!("redis://{address}")).build().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert_eq!(
        error.to_string(),
        format!(
            "cannot understand Redis at {address}: the reply is not in the Redis protocol; if the server requires \
             TLS, write `rediss`"
        )
    );
    drop(answering.join().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_server_costs_one_deadline() {
    // It accepts connections, and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", silent.local_addr().unwrap());
    let limiter = RateLimiter::builder().redis(url).connect_lazily().on_error(OnError::Deny);
    let limiter = limiter.deadline(Duration::from_millis(30)).build().await.unwrap();
    let error = undecided(limiter.check(&DAILY, "calls").await);
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_answering_is_given_up_and_found_again() {
    let server = RedisServer::start();
    let limiter = RateLimiter::builder().redis(server.url()).on_error(OnError::Deny);
    let limiter = limiter.deadline(Duration::from_millis(20)).build().await.unwrap();
    let stopped = Stopped::stop(&server);
    assert_eq!(undecided(limiter.check(&DAILY, "calls").await).kind(), ErrorKind::Timeout);
    // From then on calls cost no deadline: the store knows that there is nobody to ask.
    let given_up = async {
        let mut waited = 1;
        while undecided(limiter.check(&DAILY, "calls").await).kind() != ErrorKind::Unavailable {
            waited += 1;
        }
        waited
    };
    let outcome = tokio::time::timeout(SECOND * 20, given_up).await;
    let waited = outcome.expect("the limiter still waits for a server that is silent");
    // Five have to wait in vain, and nobody waits for the attempts that follow.
    assert_eq!(waited, 5);
    for _ in 0..1000 {
        let error = undecided(limiter.check(&DAILY, "calls").await);
        assert_eq!(error.kind(), ErrorKind::Unavailable, "waits for an attempt: {error}");
    }
    drop(stopped);
    back(&limiter).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_patient_hears_that_a_connection_was_given_up() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let on =
        |deadline| RateLimiter::builder().store(store.clone()).on_error(OnError::Deny).deadline(deadline);
    let (patient, hasty) = (on(SECOND * 60).build().await.unwrap(), on(SECOND / 50).build().await.unwrap());
    call(&patient, 4, 10).await;
    let stopped = Stopped::stop(&server);
    // One on its way by itself, and others together.
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            tokio::spawn({
                let patient = patient.clone();
                async move { patient.check(&DAILY, "calls").await.map(|_| ()) }
            })
        })
        .collect();
    let given_up =
        async { while undecided(hasty.check(&DAILY, "calls").await).kind() != ErrorKind::Unavailable {} };
    tokio::time::timeout(SECOND * 20, given_up).await.expect("a silent server is not given up");
    for call in waiting {
        let answer = tokio::time::timeout(SECOND * 20, call).await.expect("waits for what was given up");
        assert_eq!(undecided(answer.unwrap()).kind(), ErrorKind::Unavailable);
    }
    drop(stopped);
    back(&patient).await;
}

#[test]
fn without_a_runtime_there_is_an_error_and_no_panic() {
    use std::future::Future;
    let server = RedisServer::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let limiter = runtime.block_on(limiter_on(&server).on_error(OnError::Allow).build()).unwrap();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(outcome) = std::pin::pin!(limiter.check(&DAILY, "calls")).poll(&mut context)
    else {
        panic!("waits without a runtime");
    };
    let error = undecided(outcome);
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    let building = RateLimiter::builder().redis(server.url()).build();
    let std::task::Poll::Ready(Err(error)) = std::pin::pin!(building).poll(&mut context) else {
        panic!("built without a runtime");
    };
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
}

#[test]
fn a_limiter_outlives_the_runtime_of_its_connection() {
    let server = RedisServer::start();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let limiter = runtime().block_on(limiter_on(&server).on_error(OnError::Deny).build()).unwrap();
    for calls in 1..=3 {
        let used = runtime().block_on(async {
            limiter.check(&DAILY, "calls").await.unwrap();
            used(&limiter).await
        });
        assert_eq!(used, calls);
    }
}
