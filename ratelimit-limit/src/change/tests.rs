//! Tests of limit changes and their text.

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

fn changed(change: &str, limit: Limit) -> Result<String, String> {
    let change: LimitChange = change.parse().unwrap();
    change.apply(&limit).map(|limit| limit.to_string()).map_err(|error| error.to_string())
}

#[test]
fn what_is_not_named_keeps_its_value() {
    let bucket = Limit::token_bucket(100, MINUTE);
    let monthly = Limit::calendar(5, Calendar::Month).zone("+01:00");
    for (change, limit, expected) in [
        ("count=50", Limit::counter(100, SECOND).wait(SECOND), "counter count=50 time=1s wait=1s"),
        ("count=50 time=1m", Limit::sliding_log(100, SECOND), "sliding_log count=50 time=1m"),
        ("wait=2s", Limit::leaky_bucket(10, SECOND), "leaky_bucket count=10 time=1s wait=2s"),
        ("wait=0s", Limit::counter(10, SECOND).wait(SECOND), "counter count=10 time=1s"),
        ("count=50", bucket, "token_bucket count=50 time=1m"),
        ("count=50", bucket.burst(20), "token_bucket count=50 time=1m burst=20"),
        ("burst=20", bucket, "token_bucket count=100 time=1m burst=20"),
        ("refill=greedy", bucket.refill(Refill::Interval), "token_bucket count=100 time=1m"),
        ("borrow=5", bucket, "token_bucket count=100 time=1m borrow=5"),
        ("time=30s", Limit::concurrency(3, MINUTE), "concurrency count=3 time=30s"),
        ("count=0", bucket, "token_bucket count=0 time=1m"),
        // A lease is at most half of what the limit can hold. A limit with a wait has no lease.
        ("count=20", Limit::counter(100, SECOND).lease(50), "counter count=20 time=1s lease=10"),
        ("lease=500", Limit::counter(100, SECOND), "counter count=100 time=1s lease=50"),
        ("count=1", bucket.borrow(40).lease(70), "token_bucket count=1 time=1m borrow=40 lease=20"),
        ("wait=1s", Limit::counter(100, SECOND).lease(50), "counter count=100 time=1s wait=1s"),
        ("count=5 wait=1s", bucket.lease_auto(), "token_bucket count=5 time=1m wait=1s"),
        ("count=10 lease=2", Limit::counter(100, SECOND).lease(50), "counter count=10 time=1s lease=2"),
        ("lease=0", Limit::counter(100, SECOND).lease(50), "counter count=100 time=1s"),
        ("block=1m,1h", Limit::counter(5, SECOND), "counter count=5 time=1s block=1m,1h"),
        ("count=2", Limit::counter(5, SECOND).block(&[MINUTE]), "counter count=2 time=1s block=1m"),
        ("block=0s", Limit::counter(5, SECOND).block(&[MINUTE]), "counter count=5 time=1s"),
        ("block=1m", Limit::counter(100, SECOND).lease(50), "counter count=100 time=1s block=1m"),
        ("sliding_log count=1 time=1s", bucket, "sliding_log count=1 time=1s"),
        ("burst=9", Limit::leaky_bucket(5, SECOND), "leaky_bucket count=5 time=1s burst=9"),
        ("count=2", monthly, "counter count=2 time=month zone=+01:00"),
        ("time=day zone=-03:30", monthly, "counter count=5 time=day zone=-03:30"),
        ("time=1h", monthly, "counter count=5 time=1h"),
    ] {
        assert_eq!(changed(change, limit).as_deref(), Ok(expected), "{change} of {limit}");
    }
}

#[test]
fn a_change_that_does_not_fit_its_limit_is_an_error() {
    for (change, limit, says) in [
        ("burst=5", Limit::counter(5, SECOND), "`burst` needs a bucket"),
        ("burst=5", Limit::leaky_bucket(5, SECOND).wait(SECOND), "has no effect on a leaky bucket"),
        ("refill=greedy", Limit::leaky_bucket(5, SECOND), "`refill` needs a token bucket"),
        ("borrow=0", Limit::counter(5, SECOND), "`borrow` needs a token bucket"),
        ("count=20000", Limit::sliding_log(5, SECOND), "at most 10000"),
        ("lease=5", Limit::sliding_log(100, SECOND), "`lease` needs a counter"),
        ("lease=5", Limit::counter(100, SECOND).wait(SECOND), "`lease` and `wait` exclude each other"),
        ("block=1m", Limit::sliding_log(5, SECOND), "`block` needs a counter"),
        ("time=500ms", Limit::concurrency(5, SECOND), "at least 1 s"),
        ("burst=33000000", Limit::token_bucket(1, MINUTE), "more than 366 days"),
    ] {
        let error = changed(change, limit).unwrap_err();
        assert!(error.contains(says), "{change} of {limit}: {error}");
    }
}

/// A change can be set by a process that does not know the limit, so another process may receive a change that does not fit its
/// limit.
#[test]
fn a_change_that_does_not_fit_its_limit_still_brakes() {
    const DAY: Duration = Duration::from_secs(86_400);
    let (bucket, queue) =
        (Limit::token_bucket(100, DAY).burst(1000), Limit::leaky_bucket(5, SECOND).wait(SECOND));
    for (change, limit, expected) in [
        ("count=2", bucket, "token_bucket count=2 time=1d burst=732"),
        ("count=1", Limit::token_bucket(1000, DAY).borrow(500), "token_bucket count=1 time=1d borrow=365"),
        ("count=2 burst=1", Limit::counter(5, SECOND), "counter count=2 time=1s"),
        ("count=2 refill=interval borrow=9", Limit::leaky_bucket(5, SECOND), "leaky_bucket count=2 time=1s"),
        ("count=2 burst=9", queue, "leaky_bucket count=2 time=1s wait=1s"),
        ("count=2 time=1ms", Limit::concurrency(5, SECOND), "concurrency count=2 time=1s"),
        ("count=20000 time=1h", Limit::sliding_log(9000, SECOND), "sliding_log count=10000 time=1h"),
        ("count=2 block=1m", Limit::sliding_log(5, SECOND), "sliding_log count=2 time=1s"),
        ("count=2 lease=1", Limit::sliding_log(5, SECOND), "sliding_log count=2 time=1s"),
        ("concurrency count=0 time=1s", Limit::counter(5, SECOND), "counter count=0 time=1s"),
        ("concurrency count=1 time=1s", Limit::counter(5, SECOND), "counter count=5 time=1s"),
        ("counter count=3 time=1s", Limit::sliding_log(5, SECOND), "counter count=3 time=1s"),
        ("count=2 zone=+01:00", Limit::counter(5, SECOND), "counter count=2 time=1s"),
        ("count=2 time=day", Limit::sliding_log(5, SECOND), "sliding_log count=2 time=1d"),
        ("count=2 time=day", Limit::counter(5, SECOND).wait(SECOND), "counter count=2 time=day"),
        ("count=33554432", queue, "leaky_bucket count=33554431 time=1s wait=1s"),
        ("wait=366d", Limit::token_bucket(100, SECOND), "token_bucket count=100 time=1s wait=671087640ms"),
        (
            "time=2147483648ms",
            Limit::sliding_window(1 << 20, SECOND),
            "sliding_window count=1048575 time=2147483648ms",
        ),
    ] {
        let change: LimitChange = change.parse().unwrap();
        assert_eq!(change.apply_what_fits(&limit).to_string(), expected, "{change} of {limit}");
    }
}

/// A program can apply a change that was never checked.
#[test]
fn a_time_out_of_range_becomes_the_nearest_one() {
    let years = 400 * 24 * 60 * MINUTE;
    for (change, expected) in [
        (LimitChange::new().time(Duration::ZERO), "counter count=5 time=1ms"),
        (LimitChange::new().time(years), "counter count=5 time=366d"),
        (LimitChange::new().wait(years), "counter count=5 time=1s wait=366d"),
    ] {
        assert_eq!(change.apply_what_fits(&Limit::counter(5, SECOND)).to_string(), expected);
    }
}

#[test]
fn what_fits_no_limit_is_not_read() {
    for (text, says) in [
        ("", "expected a change such as `count=50`"),
        ("count", "unknown algorithm `count`"),
        ("count=50 counter", "unknown field `counter`"),
        ("max=50", "unknown field `max=50`"),
        ("count=-1", "`count=-1` must be a whole number"),
        ("time=0s", "`time` must be at least 1 ms"),
        ("time=400d", "`time` must be at most 366 days"),
        ("wait=400d", "`wait` must be at most 366 days"),
        ("count=40000000 burst=1", "at most 33554432"),
        ("count=40000000 borrow=1", "at most 33554432"),
        ("count=40000000 refill=interval", "at most 33554432"),
        ("time=day burst=5", "only a `counter` has windows"),
        ("time=day wait=1s", "`wait` has no effect with a window"),
        ("time=1m zone=+01:00", "`zone` needs a window"),
        ("burst=33554432 borrow=1", "at most 33554432"),
        ("block=1h,1m", "longer than the one before"),
        ("lease=5 wait=1s", "`lease` and `wait` exclude each other"),
        ("counter count=5", "needs a `count` and a `time`"),
    ] {
        let error = text.parse::<LimitChange>().unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    assert!(LimitChange::new().time(Duration::from_micros(1)).checked().is_err());
    assert!(LimitChange::new().wait(Duration::from_micros(1)).checked().is_err());
}

#[test]
fn what_is_written_is_read() {
    for text in [
        "count=50",
        "count=50 time=90s burst=7 refill=interval borrow=2 wait=500ms lease=0",
        "refill=greedy lease=auto",
        "count=5 block=1m,10m,1h",
        "block=0s",
        "token_bucket count=20 time=1h burst=5",
    ] {
        assert_eq!(text.parse::<LimitChange>().unwrap().to_string(), text);
    }
    let whole = LimitChange::from(Limit::counter(5, SECOND));
    assert_eq!(whole.count(7).checked(), Ok(LimitChange::from(Limit::counter(7, SECOND))));
    assert_eq!(whole.burst(7).to_string(), "counter count=5 time=1s burst=7");
    assert!(["time=day wait=0s", "lease=5 wait=0s"].iter().all(|text| text.parse::<LimitChange>().is_ok()));
}

#[test]
fn each_method_changes_its_number() {
    let new = LimitChange::new;
    for (change, text) in [
        (new().count(5), "count=5"),
        (new().time(MINUTE), "time=1m"),
        (new().calendar(Calendar::Month), "time=month"),
        (new().burst(7), "burst=7"),
        (new().refill(Refill::Interval), "refill=interval"),
        (new().borrow(3), "borrow=3"),
        (new().wait(SECOND), "wait=1s"),
        (new().lease(4), "lease=4"),
        (new().lease_auto(), "lease=auto"),
        (new().block(&[SECOND, MINUTE]), "block=1s,1m"),
        (LimitChange::from(&Limit::counter(5, SECOND)), "counter count=5 time=1s"),
    ] {
        assert_eq!((change.to_string(), change.is_empty()), (text.to_owned(), false));
    }
    assert!(new().is_empty());
    assert_eq!((new().whole(), new().count(5).whole()), (None, None));
    let whole = Limit::counter(5, SECOND);
    assert_eq!(LimitChange::from(whole).whole(), Some(&whole));
}
