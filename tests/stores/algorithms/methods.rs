//! The limiter's methods that make decisions: stacks, one method for each kind of limit, and rejections with their names.

use crate::harness::{on_both, undecided};
use ratelimit::{AsKey, ErrorKind, Key, Limit, RateLimiter, Rejection};
use std::sync::Arc;
use support::{HOUR, MINUTE, SECOND};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_is_decided_as_a_whole() {
    on_both(async |limiter| {
        let (few, many) = (Limit::counter(1, HOUR), Limit::counter(100, 24 * HOUR));
        let (hourly, daily) = (Key::new("search/1h").by(7), Key::new("search/1d").by(7));
        let both: [(&Limit, &dyn AsKey, u32); 2] = [(&few, &hourly, 1), (&many, &daily, 2)];
        let first = limiter.check_all(&both).await.unwrap();
        assert_eq!([first[0].decision().remaining(), first[1].decision().remaining()], [0, 98]);
        let second = limiter.check_all(&both).await.unwrap_err();
        assert_eq!(second.decision().unwrap().capacity(), 1, "{second:?}");
        assert_eq!(limiter.peek(&many, daily).await.unwrap().remaining(), 98, "a refusal takes nothing");
        limiter.check(&many, daily).await.unwrap();
        assert_eq!(limiter.peek(&many, daily).await.unwrap().remaining(), 97, "alone it has the same key");
        assert!(limiter.reset(&few, hourly).await.unwrap());
        assert!(!limiter.reset(&few, hourly).await.unwrap(), "the state is deleted");
        assert!(!limiter.reset(&few, "search").await.unwrap(), "another name has another key");
        limiter.check_all(&both).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_different_kinds_are_decided_together() {
    on_both(async |limiter| {
        let (all, own) = (Limit::counter(10, HOUR), Limit::counter(5, HOUR));
        let key: Arc<dyn AsKey> = Arc::new(Key::new("search").by(7).by("ann"));
        let stack: [(&Limit, &dyn AsKey, u32); 2] = [(&all, &"all", 2), (&own, &key, 3)];
        limiter.check_all(&stack).await.unwrap();
        let left = limiter.peek_cost(&own, &key, 2).await.unwrap();
        assert_eq!((left.is_allowed(), left.remaining()), (true, 2), "an owned key is the same key");
        assert!(!limiter.peek_cost(&own, Key::new("search").by(7).by("ann"), 3).await.unwrap().is_allowed());
        assert_eq!(limiter.peek(&all, "all").await.unwrap().remaining(), 8);
    })
    .await;
}

/// A key may appear in a stack only once, even with different algorithms, because a name belongs to one limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_with_a_key_twice_is_an_error_that_says_what_to_write() {
    on_both(async |limiter| {
        let (one, other) = (Limit::counter(1, HOUR), Limit::token_bucket(100, HOUR));
        let key = Key::new("search").by("secret person");
        let stacks: [[(&Limit, &dyn AsKey, u32); 2]; 2] =
            [[(&one, &key, 1), (&one, &key, 1)], [(&one, &key, 1), (&other, &key, 1)]];
        for stack in stacks {
            let error = undecided(limiter.check_all(&stack).await);
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains("Key::new(\"search/1s\")"), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        assert_eq!(limiter.peek(&one, key).await.unwrap().remaining(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_and_units_need_their_own_methods() {
    on_both(async |limiter| {
        let (permits, units) = (Limit::concurrency(1, SECOND), Limit::counter(1, SECOND));
        let check = undecided(limiter.check(&permits, "key").await);
        assert!(check.to_string().contains("use `permit` instead"), "{check}");
        assert!(limiter.penalize(&permits, "key", 1).await.is_err());
        for rejection in [
            limiter.permit(&units, "key").await.map(drop).unwrap_err(),
            limiter.charge(&permits, "key", 1).await.map(drop).unwrap_err(),
        ] {
            let Rejection::Unavailable(unavailable) = &rejection else { panic!("{rejection:?}") };
            assert_eq!(unavailable.error().kind(), ErrorKind::Configuration);
            assert_eq!(rejection.name(), "key");
        }
        assert_eq!(limiter.peek(&permits, "key").await.unwrap().remaining(), 1);
    })
    .await;
}

/// The rejections of all methods that charge a call work with `?`, and contain the name of the key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_method_rejects_with_a_question_mark() {
    async fn all(limiter: &RateLimiter, limits: &[Limit; 4], user: Option<u32>) -> Result<(), Rejection> {
        let [check, acquire, charge, permit] = limits;
        limiter.check(check, Key::new("check").by(user)).await?;
        limiter.acquire(acquire, Key::new("acquire").by(user)).await?;
        drop(limiter.charge(charge, Key::new("charge").by(user), 1).await?);
        drop(limiter.permit(permit, Key::new("a name that is longer than most names").by(user)).await?);
        Ok(())
    }
    on_both(async |limiter| {
        let (closed, open) = (Limit::try_counter(0, HOUR).unwrap(), Limit::counter(100, HOUR));
        let (no_permits, permits) =
            (Limit::try_concurrency(0, SECOND).unwrap(), Limit::concurrency(100, SECOND));
        all(&limiter, &[open, open, open, permits], Some(7)).await.unwrap();
        for (limits, name) in [
            ([closed, open, open, permits], "check"),
            ([open, closed, open, permits], "acquire"),
            ([open, open, closed, permits], "charge"),
            ([open, open, open, no_permits], "a name that is longer than most names"),
        ] {
            let rejection = all(&limiter, &limits, Some(7)).await.unwrap_err();
            assert!(matches!(rejection, Rejection::Limited(_)), "{rejection:?}");
            assert_eq!((rejection.name(), rejection.decision().unwrap().is_allowed()), (name, false));
        }
        let nobody = Key::new("nobody").by(None::<u32>);
        for rejection in [
            limiter.check(&open, nobody).await.unwrap_err(),
            limiter.acquire(&open, nobody).await.unwrap_err(),
            limiter.charge(&open, nobody, 1).await.map(drop).unwrap_err(),
            limiter.permit(&permits, nobody).await.map(drop).unwrap_err(),
            limiter.check_all(&[(&open, &nobody, 1)]).await.unwrap_err(),
        ] {
            let Rejection::Unidentified(unidentified) = &rejection else { panic!("{rejection:?}") };
            assert_eq!(unidentified.error().kind(), ErrorKind::NoIdentity);
            assert_eq!((rejection.name(), rejection.retry_after()), ("nobody", None));
        }
        assert_eq!(limiter.peek(&open, nobody).await.unwrap_err().kind(), ErrorKind::NoIdentity);
    })
    .await;
}

/// If several limits of a stack refuse the call, the rejection names the limit with the longest wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rejection_of_several_limits_names_the_one_with_the_longest_wait() {
    on_both(async |limiter| {
        let (open, hour) = (Limit::counter(100, HOUR), Limit::counter(1, HOUR));
        let minute = Limit::counter(1, MINUTE);
        let all: [(&Limit, &dyn AsKey, u32); 3] =
            [(&open, &"open", 1), (&minute, &"minute", 1), (&hour, &"hour", 1)];
        assert_eq!(limiter.check_all(&all).await.unwrap().len(), 3);
        assert_eq!(limiter.check_all(&all).await.unwrap_err().name(), "hour");
    })
    .await;
}
