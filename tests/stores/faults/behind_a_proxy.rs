//! Proxies that have lost their server, other unknown errors, and an engine that sends numbers as text. (Some engines do this
//! with the floats of Lua 5.4.) All of these are outages: the failure policy decides, and no call is sent again.

use crate::harness::{PATIENCE, limiter_at, undecided};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{FakeServer, MINUTE, take_events};
use tokio::task::JoinSet;

/// The errors of proxies without a server, the error of a killed script, unknown errors, and a number as text. Beside each
/// reply is a part of the message that the library shows for it.
const OUTAGES: [(&str, &str); 9] = [
    ("-upstream failure", "the proxy cannot reach its server"),
    ("-no upstream host", "the proxy has no server"),
    ("-ERR Connection refused", "the proxy cannot reach its server"),
    ("-ERR Connection timed out", "the proxy cannot reach its server"),
    (
        "-ERR Error running script (call to f_x): Script killed by user with SCRIPT KILL...",
        "the script was killed",
    ),
    ("-ERR walrus", "unknown error from Redis at 127.0.0.1"),
    ("-WALRUS sesame", "its code is not known"),
    ("-walrus sesame", "its text has no code"),
    (AS_TEXT, "invalid reply from Redis at 127.0.0.1"),
];

/// A reply to a request for a decision. The client cannot parse it, because the number is a text.
const AS_TEXT: &str = "$8\r\n238503.0";

const LIMIT: Limit = Limit::counter(2, MINUTE);

/// A proxy that replies to script calls with an error while its server is gone.
struct Proxied {
    server: FakeServer,
    is_gone: Arc<AtomicBool>,
    script_calls: Arc<AtomicUsize>,
}

impl Proxied {
    fn start(reply: &'static str) -> Self {
        let (is_gone, script_calls) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
        let (gone, calls) = (Arc::clone(&is_gone), Arc::clone(&script_calls));
        let server = FakeServer::start(move |words, _| match words[0].as_str() {
            "EVALSHA" | "EVAL" => {
                calls.fetch_add(1, Ordering::Relaxed);
                // If the server is back, the reply admits the call: one unit remains, and the window ends after a minute.
                format!("{}\r\n", if gone.load(Ordering::Relaxed) { reply } else { ":120001" }).into_bytes()
            }
            "HGET" => b"$-1\r\n".to_vec(),
            "DEL" => b":1\r\n".to_vec(),
            _ => b"+OK\r\n".to_vec(),
        });
        Self { server, is_gone, script_calls }
    }

    fn limiter(&self, on_error: OnError) -> RateLimiter {
        let limiter = limiter_at(self.server.url());
        limiter.deadline(PATIENCE).deny_cache(false).on_error(on_error).build().unwrap()
    }

    fn script_calls(&self) -> usize {
        self.script_calls.swap(0, Ordering::Relaxed)
    }
}

#[tokio::test]
async fn the_failure_policy_decides_about_an_outage_behind_a_proxy() {
    for (error, shown) in OUTAGES {
        let proxied = Proxied::start(error);
        for (on_error, admitted) in [(OnError::Local, 2), (OnError::Allow, 3), (OnError::Deny, 0)] {
            let limiter = proxied.limiter(on_error);
            let _ = (take_events(), proxied.script_calls());
            let mut passed = 0;
            for _ in 0..3 {
                match limiter.check(&LIMIT, "calls").await {
                    Ok(_) => passed += 1,
                    Err(rejection) if on_error == OnError::Deny => {
                        assert_eq!(undecided::<()>(Err(rejection)).kind(), ErrorKind::Unavailable, "{error}");
                    }
                    Err(rejection) => assert!(rejection.decision().is_some(), "{error}: {rejection:?}"),
                }
            }
            assert_eq!(passed, admitted, "{error} {on_error:?}");
            assert_eq!(proxied.script_calls(), 3, "{error}: a call was sent again");
            let logged: Vec<String> = take_events().iter().map(ToString::to_string).collect();
            let outages: Vec<&String> =
                logged.iter().filter(|line| line.contains("the store is unavailable")).collect();
            assert!(outages.len() == 1 && outages[0].contains(shown), "{error}: {logged:?}");
            assert!(!logged.iter().any(|line| ["walrus", "sesame"].iter().any(|text| line.contains(text))));
            let status = limiter.status().await;
            assert_eq!(
                (status.error_kind(), status.is_ready()),
                (Some(ErrorKind::Unavailable), admitted > 0)
            );
        }
        let error = RateLimiter::builder().redis(proxied.server.url()).connect();
        assert_eq!(error.await.unwrap_err().kind(), ErrorKind::Unavailable);
    }
}

/// The server may have decided each of the calls before the proxy lost it.
#[tokio::test]
async fn calls_that_were_sent_together_are_not_sent_again() {
    for (error, _) in OUTAGES {
        let proxied = Proxied::start(error);
        let limiter = proxied.limiter(OnError::Deny);
        let mut calls = JoinSet::new();
        for key in 0..50 {
            let limiter = limiter.clone();
            calls.spawn(async move { limiter.check(&LIMIT, ratelimit::Key::new("calls").by(key)).await });
        }
        for rejected in calls.join_all().await {
            assert_eq!(undecided(rejected).kind(), ErrorKind::Unavailable, "{error}");
        }
        let sent = proxied.script_calls();
        assert!(sent < 50, "{error}: 50 calls, some of them together, made {sent} script calls");
    }
}

#[tokio::test]
async fn the_store_decides_again_as_soon_as_the_proxy_has_a_server() {
    let proxied = Proxied::start("-upstream failure");
    let limiter = proxied.limiter(OnError::Deny);
    assert!(limiter.check(&LIMIT, "calls").await.is_err());
    proxied.is_gone.store(false, Ordering::Relaxed);
    let admitted = limiter.check(&LIMIT, "calls").await.unwrap();
    assert_eq!(admitted.decision().remaining(), 1);
}

/// If the first reply is in another protocol, the URL is wrong. If a later reply is in another protocol, the server may have
/// executed the call.
#[tokio::test]
async fn a_reply_in_another_protocol_is_an_outage_after_a_first_one_that_was_understood() {
    let http = || b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec();
    for (from, kind) in [
        ("CLIENT", ErrorKind::Configuration),
        ("HELLO", ErrorKind::Configuration),
        ("EVALSHA", ErrorKind::Unavailable),
    ] {
        let server =
            FakeServer::start(move |words, _| if words[0] == from { http() } else { b"+OK\r\n".to_vec() });
        let url = server.url();
        let error = RateLimiter::builder().redis(&url).connect().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{from}: {error}");
        assert!(error.to_string().contains("the reply is not in the Redis protocol"), "{from}: {error}");
        let limiter = limiter_at(&url).deadline(PATIENCE).on_error(OnError::Allow);
        let outcome = limiter.build().unwrap().check(&LIMIT, "calls").await;
        assert_eq!(outcome.is_ok(), kind == ErrorKind::Unavailable, "{from}: {outcome:?}");
    }
}

#[tokio::test]
async fn the_error_says_what_was_expected_and_who_finds_the_cause() {
    let proxied = Proxied::start(AS_TEXT);
    let error = undecided(proxied.limiter(OnError::Deny).check(&LIMIT, "calls").await).to_string();
    for words in
        ["invalid reply from Redis at", "expected an integer", "may be charged", "`ratelimit doctor`"]
    {
        assert!(error.contains(words), "{error}");
    }
}
