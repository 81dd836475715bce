//! Servers that repeat commands in their errors. No key, identity or password may appear in an error, an event or `Debug`
//! output.

mod answers;

use crate::harness::{PATIENCE, connection_to, is_soak, runtime};
use answers::{Echo, echoes, error, fine};
use ratelimit::{Key, Limit, OnError, RateLimiter, RateLimiterBuilder, RedisStore, Rejection, rate_limit};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{FakeServer, MINUTE, SECOND, take_events};

const USER: &str = "annwalrus";
const PASSWORD: &str = "sesametusk";
const SENTINEL_USER: &str = "bobwalrus";
const SENTINEL_PASSWORD: &str = "opentusk";
const WHO: &str = "whowalrus";
const PART: &str = "parttusk";
/// Marks of secrets. Each secret contains one of these marks, and no other text contains a mark.
const MARKS: [&str; 2] = ["walrus", "tusk"];

/// The command that a server repeats, and the version of the protocol. `greeting` is `HELLO` without arguments.
type Stage = (&'static str, &'static str);

const SERVER: [Stage; 13] = [
    ("all", "resp2"),
    ("all", "resp3"),
    ("HELLO", "resp3"),
    ("AUTH", "resp2"),
    ("SELECT", "resp2"),
    ("CLIENT", "resp2"),
    ("greeting", "resp2"),
    ("EVALSHA", "resp3"),
    ("EVAL", "resp2"),
    ("HGET", "resp2"),
    ("HGETALL", "resp3"),
    ("HSET", "resp2"),
    ("DEL", "resp3"),
];
const SENTINEL: [Stage; 5] =
    [("all", "resp2"), ("all", "resp3"), ("HELLO", "resp3"), ("AUTH", "resp2"), ("SENTINEL", "resp2")];
const CLUSTER: [Stage; 6] = [
    ("all", "resp2"),
    ("CLUSTER", "resp3"),
    ("ASKING", "resp2"),
    ("EVALSHA", "resp2"),
    ("EVAL", "resp3"),
    ("HSET", "resp2"),
];
const HANDED: [Stage; 3] = [("PING", "resp2"), ("EVALSHA", "resp3"), ("EVAL", "resp2")];

/// The commands that are repeated with each error code.
const WITH_CODES: [&str; 5] = ["HELLO", "SELECT", "CLUSTER", "ASKING", "EVALSHA"];

fn is_at(stage: &str, words: &[String]) -> bool {
    match stage {
        "all" => true,
        "greeting" => words == ["HELLO"],
        "HELLO" => words[0] == stage && words.len() > 1,
        _ => words[0] == stage,
    }
}

/// Starts a server. Also returns the number of commands that it has repeated.
fn server(stage: &'static str, echo: Echo) -> (FakeServer, Arc<AtomicUsize>) {
    let number = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&number);
    let server = FakeServer::start(move |words, port| match words[0].as_str() {
        _ if is_at(stage, words) => {
            counted.fetch_add(1, Ordering::Relaxed);
            echo(words, port)
        }
        "EVALSHA" if stage == "EVAL" => error("NOSCRIPT No matching script."),
        "EVALSHA" if stage == "ASKING" => error(&format!("ASK 0 127.0.0.1:{port}")),
        _ => fine(words, port),
    });
    (server, number)
}

/// All texts that the library has produced.
#[derive(Default)]
struct Said {
    errors: usize,
    texts: Vec<String>,
}

impl Said {
    fn note<T: Debug, E: Error>(&mut self, result: Result<T, E>) {
        match result {
            Ok(done) => self.texts.push(format!("{done:?}")),
            Err(error) => {
                self.errors += 1;
                self.texts.extend([error.to_string(), format!("{error:?}")]);
                let mut source = error.source();
                while let Some(error) = source {
                    self.texts.extend([error.to_string(), format!("{error:?}")]);
                    source = error.source();
                }
            }
        }
    }

    /// The texts that contain a secret.
    fn leaks(self) -> impl Iterator<Item = String> {
        let holds = |text: &String| MARKS.iter().any(|mark| text.to_lowercase().contains(mark));
        self.texts.into_iter().filter(holds)
    }
}

#[rate_limit(key = "echoes:{part}", by = who, on_error = "deny")]
async fn annotated(who: &str, part: &str) -> Result<(), Rejection> {
    let _ = (who, part);
    Ok(())
}

async fn everything(limiter: &RateLimiter, said: &mut Said) {
    let (counter, bucket) = (Limit::counter(5, MINUTE), Limit::token_bucket(5, MINUTE));
    let key = Key::new("login").by(WHO).part(PART);
    // The first call is sent alone, and the others are sent together.
    let (alone, one, other) = tokio::join!(
        limiter.check(&counter, key),
        limiter.check(&bucket, key),
        limiter.check(&counter, Key::new("other").by(WHO)),
    );
    for decided in [alone, one, other] {
        said.note(decided);
    }
    said.note(
        limiter.check_all(&[(&counter, &key, 1), (&bucket, &Key::new("all").by(WHO).part(PART), 1)]).await,
    );
    said.note(limiter.acquire(&counter, key).await);
    said.note(limiter.penalize(&counter, key, 1).await);
    said.note(limiter.peek(&bucket, key).await);
    said.note(limiter.reset(&counter, key).await);
    said.note(limiter.permit(&Limit::concurrency(1, MINUTE), key).await);
    match limiter.charge(&counter, key, 1).await {
        Ok(charge) => said.note(charge.refund().await),
        refused => said.note(refused),
    }
    said.note(limiter.overrides().set(key, &counter).await);
    said.note(limiter.overrides().list().await);
    said.note(limiter.overrides().remove(key).await);
    said.note(ratelimit::scope(limiter.clone(), annotated(WHO, PART)).await);
    said.texts.push(format!("{limiter:?} {key:?}"));
    // A server that repeats commands never confirms the return of a permit, so this waits only a short time for `close`.
    let patience = if is_soak() { SECOND / 20 } else { SECOND / 200 };
    let _ = tokio::time::timeout(patience, limiter.close()).await;
}

fn with(builder: RateLimiterBuilder) -> RateLimiterBuilder {
    builder.deadline(PATIENCE).on_error(OnError::Deny).deny_cache(false)
}

/// Uses a server that repeats commands already while the limiter connects. If connecting fails, the limiter connects at its
/// first call.
async fn meet(url: &str, said: &mut Said) {
    let limiter = match with(RateLimiter::builder().redis(url)).connect().await {
        Ok(limiter) => limiter,
        Err(error) => {
            said.note::<(), _>(Err(error));
            with(RateLimiter::builder().redis(url)).build().unwrap()
        }
    };
    everything(&limiter, said).await;
}

/// Uses, through a connection that the application has opened, a server that repeats commands.
async fn meet_handed(url: &str, said: &mut Said) {
    let Ok(connection) = connection_to(url).await else { return };
    let builder = RateLimiter::builder().store(RedisStore::from_connection(connection));
    everything(&with(builder).connect().await.unwrap(), said).await;
}

/// Tries all stages at URLs of one shape. Panics if a secret was shown.
fn at(stages: &[Stage], shape: impl Fn(u16) -> String, is_handed: bool) {
    let (mut leaks, mut errors, mut events) = (BTreeSet::new(), 0, 0);
    for (stage, protocol) in stages {
        for (name, echo) in echoes(WITH_CODES.contains(stage)) {
            let (server, repeated) = server(stage, echo);
            let (mut said, url) = (Said::default(), shape(server.port()) + protocol);
            let _ = take_events();
            runtime().block_on(async {
                if is_handed { meet_handed(&url, &mut said).await } else { meet(&url, &mut said).await }
            });
            assert!(repeated.load(Ordering::Relaxed) > 0, "{stage} is never asked");
            let recorded = take_events();
            (errors, events) = (errors + said.errors, events + recorded.len());
            said.texts.extend(recorded.iter().map(ToString::to_string));
            leaks.extend(said.leaks().map(|leak| format!("{name} at {stage}, {protocol}: {leak:.300}")));
        }
    }
    assert!(errors > 100 && events > 10, "{errors} errors and {events} events");
    let shown: Vec<&str> = leaks.iter().map(String::as_str).take(20).collect();
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), shown.join("\n"));
}

#[test]
fn a_server_is_not_quoted() {
    at(&SERVER, |port| format!("redis://{USER}:{PASSWORD}@127.0.0.1:{port}/3?protocol="), false);
}

#[test]
fn a_sentinel_is_not_quoted() {
    let url = |port| {
        let sentinel = format!("sentinel_user={SENTINEL_USER}&sentinel_pass={SENTINEL_PASSWORD}");
        format!("redis+sentinel://{USER}:{PASSWORD}@127.0.0.1:{port}/main/3?{sentinel}&protocol=")
    };
    at(&SENTINEL, url, false);
}

#[test]
fn a_cluster_is_not_quoted() {
    at(&CLUSTER, |port| format!("redis+cluster://{USER}:{PASSWORD}@127.0.0.1:{port}?protocol="), false);
}

#[test]
fn a_server_behind_a_given_connection_is_not_quoted() {
    at(&HANDED, |port| format!("redis://{USER}:{PASSWORD}@127.0.0.1:{port}?protocol="), true);
}
