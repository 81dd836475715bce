//! The checker rejects histories that no order explains, and accepts histories that an order explains.

use super::history::{Call, History, Outcome};
use super::linearize::{at_some_time, in_any_order};
use crate::models::definitions::{Kind, Numbers};

const DAY_MS: u64 = 86_400_000;
const QUOTA: Numbers = Numbers::new(Kind::Counter, 5, DAY_MS);
const LOG: Numbers = Numbers::new(Kind::Log, 2, 10);

use Outcome::{Admitted, Refused, Unknown};

/// The times in ms at which a call was sent and its reply was received, and the outcome of the call.
type Timed = (u64, u64, Outcome);

fn history(calls: &[Timed]) -> History {
    let call = |(sent, received, outcome): &Timed| Call {
        sent: 1_000_000 + sent * 1000,
        received: 1_000_000 + received * 1000,
        outcome: *outcome,
    };
    History { calls: calls.iter().map(call).collect(), losses: Vec::new() }
}

#[test]
fn a_quota_is_checked() {
    let cases: [(&str, bool, &[Timed]); 9] = [
        (
            "calls at the same time are in any order",
            true,
            &[(0, 9, Admitted(3)), (1, 8, Admitted(4)), (2, 7, Admitted(2)), (10, 11, Admitted(1))],
        ),
        ("a unit is given twice", false, &[(0, 9, Admitted(4)), (1, 8, Admitted(4))]),
        ("a call overtakes an earlier one", false, &[(0, 1, Admitted(3)), (2, 3, Admitted(4))]),
        ("a call is counted twice", false, &[(0, 1, Admitted(4)), (2, 3, Admitted(2))]),
        ("a refusal has no cause", false, &[(0, 1, Admitted(4)), (2, 3, Refused(4))]),
        (
            "a call without a reply is counted later",
            true,
            &[(0, 1, Unknown), (2, 3, Admitted(4)), (4, 5, Admitted(2)), (6, 7, Admitted(1))],
        ),
        ("it is never counted", true, &[(0, 1, Unknown), (2, 3, Admitted(4)), (4, 5, Admitted(3))]),
        ("it is counted twice", false, &[(0, 1, Unknown), (2, 3, Admitted(4)), (4, 5, Admitted(1))]),
        ("it is counted before it is sent", false, &[(0, 1, Admitted(3)), (2, 3, Unknown)]),
    ];
    for (what, is_explained, calls) in cases {
        assert_eq!(in_any_order(QUOTA, &history(calls)).is_ok(), is_explained, "{what}");
    }
}

#[test]
fn units_are_lost_only_with_a_server() {
    let calls = [(0, 1, Admitted(4)), (2, 3, Admitted(3)), (4, 5, Admitted(3)), (6, 7, Admitted(2))];
    let mut history = history(&calls);
    assert!(in_any_order(QUOTA, &history).is_err());
    history.losses = vec![1_003_500];
    assert_eq!(in_any_order(QUOTA, &history), Ok(1));
    history.losses = vec![1_005_500];
    assert!(in_any_order(QUOTA, &history).is_err(), "too late");
}

#[test]
fn a_log_admits_what_fits_at_some_time() {
    let calls = [(0, 3, Admitted(1)), (1, 4, Admitted(0)), (9, 12, Admitted(0)), (9, 12, Admitted(0))];
    assert_eq!(at_some_time(LOG, &history(&calls)), Ok(()));
    let too_many = [(0, 3, Admitted(1)), (1, 4, Admitted(0)), (5, 9, Admitted(0))];
    assert!(at_some_time(LOG, &history(&too_many)).is_err());
    let too_early = [(3, 3, Admitted(1)), (4, 4, Admitted(0)), (9, 12, Admitted(0))];
    assert!(at_some_time(LOG, &history(&too_early)).is_err());
}

/// A history of a real server. The replies to the four calls from 107,698 to 107,860 µs came late, because the server decided
/// six later calls first. If the search gave the four free units to those four calls at once, the six later calls would not
/// have enough units.
#[test]
fn a_call_may_take_effect_long_after_it_could() {
    let log = Numbers::new(Kind::Log, 20, 100);
    let times = "0-1726 3823-4254 3833-4258 3837-4262 3842-4238 8728-9343 8781-9347 20179-20392 20202-20396 \
                 20207-20402 20212-20374 20361-20625 20381-20630 86962-87734 90153-94432 95829-97608 \
                 95854-97614 101081-102720 102650-104275 102675-104265 102728-104224 107698-124629 \
                 107750-124636 107851-124642 107860-124602 113453-117820 113492-117838 113570-117826 \
                 113594-117845 113601-117851 113607-117810 131142-131940 131175-131944 187159-192635 \
                 188527-192600 196662-199939 196685-199943 202472-204703";
    let call = |(sent, received): (&str, &str)| Call {
        sent: 1_000_000 + sent.parse::<u64>().unwrap(),
        received: 1_000_000 + received.parse::<u64>().unwrap(),
        outcome: Admitted(0),
    };
    let calls = times.split(' ').map(|times| call(times.split_once('-').unwrap()));
    let history = History { calls: calls.collect(), losses: Vec::new() };
    assert_eq!(at_some_time(log, &history), Ok(()));
}
