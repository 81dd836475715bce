//! Tests of the rules between several numbers, on both sides of each bound.

use super::*;
use crate::rules::Takes;
use crate::{Calendar, Limit, LimitChange};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_bound_of_several_numbers_has_two_sides() {
    for (text, wrong) in [
        // 2^25 units in the bucket, and 2^25 waiting units for each ms of `wait`.
        ("token_bucket count=33554432 time=1ms wait=1ms", None),
        ("token_bucket count=33554432 time=1ms wait=2ms", Some(LimitError::QUEUE_TOO_LARGE)),
        // The sum in `check_level` is just below 2^53, and then just above.
        ("token_bucket count=100003 time=100070056ms burst=22477232", None),
        ("token_bucket count=100003 time=100070056ms burst=22477233", Some(LimitError::NOT_EXACT)),
        ("token_bucket count=100003 time=100070056ms burst=22477233 refill=interval", None),
        ("token_bucket count=1000003 time=401000010ms burst=3576972 wait=2868723812ms", None),
        (
            "token_bucket count=1000003 time=401000010ms burst=3576973 wait=2868723812ms",
            Some(LimitError::NOT_EXACT),
        ),
    ] {
        let error = text.parse::<Limit>().err().map(|error| error.reason());
        assert_eq!(error, wrong.map(LimitError::message), "{text}");
    }
}

#[test]
fn each_method_checks_what_the_others_have_set() {
    let (counter, leaky) = (Limit::counter(9, SECOND), Limit::leaky_bucket(9, SECOND));
    let (log, day) = (Limit::sliding_log(9, SECOND), Limit::calendar(9, Calendar::Day));
    for (limit, error) in [
        (leaky.burst(8).try_wait(SECOND), LimitError::BURST_OF_QUEUE),
        (leaky.wait(SECOND).try_burst(9), LimitError::BURST_OF_QUEUE),
        (leaky.try_borrow(1), LimitError::BORROW_WITHOUT_BUCKET),
        (leaky.try_refill(Refill::Greedy), LimitError::REFILL_WITHOUT_BUCKET),
        (log.try_burst(9), LimitError::BURST_WITHOUT_BUCKET),
        (log.try_block(&[SECOND]), LimitError::BLOCK_ELSEWHERE),
        (log.try_lease(2), LimitError::LEASE_ELSEWHERE),
        (counter.wait(SECOND).try_lease_auto(), LimitError::LEASE_WITH_WAIT),
        (counter.lease(2).try_block(&[SECOND]), LimitError::BLOCK_WITH_LEASE),
        (counter.block(&[SECOND]).try_lease(2), LimitError::BLOCK_WITH_LEASE),
        (counter.try_zone("+01:00"), LimitError::ZONE_WITHOUT_CALENDAR),
        (day.try_zone("CET"), LimitError::ZONE_UNKNOWN),
        (day.try_wait(SECOND), LimitError::WAIT_FOR_CALENDAR),
    ] {
        assert_eq!(limit, Err(error));
    }
}

#[test]
fn a_limit_that_refuses_all_takes_each_lease_and_holds_nothing() {
    let queue = Limit::try_leaky_bucket(0, SECOND).unwrap().wait(SECOND);
    assert_eq!(queue.capacity(), 0);
    let (empty, still) = (Limit::token_bucket(5, SECOND).try_burst(0), Limit::try_token_bucket(0, SECOND));
    assert!(empty.unwrap().try_lease(5).is_ok());
    assert!(still.unwrap().burst(5).try_lease(5).is_ok());
    assert_eq!(still.unwrap().rate(), Rate { tokens: 0, period_ms: 1000 });
}

/// Each number is read, written, copied, and found again in a change and in a limit that takes it.
#[test]
fn each_number_is_read_written_and_copied() {
    let bucket = Numbers::new(Algorithm::TokenBucket, 9, 60_000);
    let month = Limit::calendar(9, Calendar::Month).numbers;
    for number in Number::ALL {
        let value = match number.takes() {
            Takes::Units | Takes::UnitsOrZero | Takes::UnitsOrAuto => "3",
            Takes::Time | Takes::TimeOrCalendar | Takes::Times => "7s",
            Takes::Offset => "+01:00",
            Takes::Refill => "interval",
        };
        let plain = if number == Number::Zone { month } else { bucket };
        let mut read = plain;
        number.read(value, &mut read).unwrap();
        let copied = number.copy(&read, plain);
        assert_eq!((number.show(&copied), Number::named(number.as_str())), (value.to_owned(), Some(number)));
        assert_eq!(number.copy(&plain, copied), plain, "{number:?}");
        assert!(number.check_taken(&copied).is_ok() && number.read("-", &mut read).is_err(), "{number:?}");
        let text = format!("{}={value}", number.as_str());
        let change: LimitChange = text.parse().unwrap();
        assert_eq!(change.to_string(), text);
        let limit = change.apply(&Limit::of(plain).unwrap()).unwrap();
        assert!(limit.to_string().contains(&text), "{limit}");
        assert_eq!(limit.to_string().parse(), Ok(limit));
    }
}
