//! Hooks receive refusals and outages, and cannot disturb decisions.

use ratelimit::observe::{Hook, IdentityHash, Refusal};
use ratelimit::{AsKey, Error, ErrorKind, Key, Limit, OnError, RateLimiter, Rejection, rate_limit};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{DAY, HOUR, SECOND, StubStore};

/// A hook that writes a line for each event.
#[derive(Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    callers: Mutex<Vec<Option<IdentityHash>>>,
}

impl Log {
    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().unwrap())
    }

    /// Waits until there are `lines` lines. The thread of a hook does not use tokio's paused clock, so this waits in real
    /// time.
    fn wait_for(&self, lines: usize) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.lines.lock().unwrap().len() < lines {
            assert!(Instant::now() < deadline, "{:?}", self.lines());
            std::thread::yield_now();
        }
    }

    fn write(&self, line: String) {
        self.lines.lock().unwrap().push(line);
    }
}

impl Hook for Log {
    fn refused(&self, refusal: &Refusal) {
        let kind = match (refusal.is_shadow(), refusal.is_local()) {
            (true, _) => "shadow ",
            (_, true) => "local ",
            _ => "",
        };
        self.write(format!("{kind}{} {}", refusal.name(), refusal.decision().remaining()));
        self.callers.lock().unwrap().push(refusal.identity());
    }

    fn outage_began(&self, error: &Error) {
        self.write(format!("began: {error}"));
    }

    fn outage_ended(&self, _: Duration) {
        self.write("ended".to_owned());
    }
}

async fn limiter(hook: &Arc<impl Hook>) -> RateLimiter {
    // `close` waits for at most five deadlines, so a long deadline gives the hook enough time.
    RateLimiter::builder().hook(Arc::clone(hook)).deadline(10 * SECOND).connect().await.unwrap()
}

#[tokio::test]
async fn every_refusal_is_told_in_order_and_without_the_identity() {
    #[rate_limit(key = "hook attribute", time = "1h", count = 1, by = user)]
    async fn limited(user: &str) -> Result<(), Rejection> {
        Ok(())
    }

    #[rate_limit(key = "hook trial", time = "1h", count = 1, by = user, shadow = true)]
    async fn trial(user: &str) {}

    let log = Arc::new(Log::default());
    let limiter = limiter(&log).await;
    let once = Limit::counter(1, HOUR);
    for _ in 0..2 {
        let _ = limiter.check(&once, Key::new("hook check").by("alice")).await;
        let _ = limiter.charge(&once, "hook charge", 1).await.map(drop);
        let _ = ratelimit::scope(limiter.clone(), limited("alice")).await;
        ratelimit::scope(limiter.clone(), trial("bob")).await;
    }
    limiter.close().await;
    assert_eq!(
        log.lines(),
        ["hook check 0", "hook charge 0", "hook attribute 0", "shadow hook trial/shadow 0"]
    );
    let callers = log.callers.lock().unwrap();
    assert_eq!(callers[0], callers[2], "one caller, two limits");
    assert_eq!(callers[0], limiter.identity_hash(Key::new("any").by("alice")).unwrap());
    assert_eq!(callers[1], None, "all callers share the limit");
    assert!(callers[3].is_some() && callers[3] != callers[0]);
}

#[tokio::test]
async fn the_hash_of_an_identity_depends_on_the_secret_only() {
    let limiter = |prefix: &'static str, secret: &'static str| async move {
        RateLimiter::builder().prefix(prefix).hash_secret(secret).connect().await.unwrap()
    };
    let hash =
        |limiter: &RateLimiter, user: &str| limiter.identity_hash(Key::new("a").by(user)).unwrap().unwrap();
    let (one, same, other) = (limiter("a", "x").await, limiter("b", "x").await, limiter("a", "y").await);
    assert_eq!(hash(&one, "alice"), hash(&same, "alice"));
    assert_ne!(hash(&one, "alice"), hash(&other, "alice"));
    assert_ne!(hash(&one, "alice"), hash(&one, "bob"));
    let text = hash(&one, "alice").to_string();
    let digits = text.strip_prefix('#').unwrap();
    assert!(digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
}

#[tokio::test]
async fn each_refusing_limit_of_a_stack_is_told() {
    let log = Arc::new(Log::default());
    let limiter = limiter(&log).await;
    let (small, large) = (Limit::counter(1, HOUR), Limit::counter(9, DAY));
    for _ in 0..2 {
        let stack: [(&Limit, &dyn AsKey, u32); 3] =
            [(&small, &"hook/1h", 1), (&large, &"hook/1d", 1), (&small, &"hook/small", 1)];
        let _ = limiter.check_all(&stack).await;
    }
    limiter.close().await;
    assert_eq!(log.lines(), ["hook/1h 0", "hook/small 0"]);
}

#[tokio::test(start_paused = true)]
async fn an_outage_begins_and_ends_once() {
    let (log, store) = (Arc::new(Log::default()), StubStore::failing(ErrorKind::Unavailable));
    let builder = RateLimiter::builder().hook(Arc::clone(&log)).store(store.clone());
    let limiter = builder.on_error(OnError::Local).connect().await.unwrap();
    let once = Limit::counter(1, HOUR);
    for _ in 0..3 {
        let _ = limiter.check(&once, "hook outage").await;
    }
    store.set_works(true);
    tokio::time::advance(Duration::from_secs(2)).await;
    for _ in 0..3 {
        limiter.check(&Limit::counter(3, HOUR), "hook outage").await.unwrap();
    }
    log.wait_for(4);
    let expected = ["began: the store fails", "local hook outage 0", "local hook outage 0", "ended"];
    assert_eq!(log.lines(), expected);
}

#[tokio::test]
async fn a_panic_ends_one_event_only() {
    struct Panics(Log);

    impl Hook for Panics {
        fn refused(&self, refusal: &Refusal) {
            self.0.refused(refusal);
            assert_ne!(refusal.name(), "hook panics", "a panic that this test expects");
        }
    }

    let hook = Arc::new(Panics(Log::default()));
    let limiter = limiter(&hook).await;
    let closed = Limit::try_counter(0, HOUR).unwrap();
    for name in ["hook panics", "hook goes on"] {
        assert!(limiter.check(&closed, name).await.is_err());
    }
    limiter.close().await;
    assert_eq!(hook.0.lines(), ["hook panics 0", "hook goes on 0"]);
}
