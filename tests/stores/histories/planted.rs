//! The checker rejects histories that no order explains, and accepts those that one explains.

use super::history::{Call, History, Outcome};
use super::linearize::{at_some_time, in_any_order};
use crate::models::definitions::{Kind, Numbers};

const DAY_MS: u64 = 86_400_000;
const QUOTA: Numbers = Numbers::new(Kind::Counter, 5, DAY_MS);
const LOG: Numbers = Numbers::new(Kind::Log, 2, 10);

use Outcome::{Admitted, Refused, Unknown};

/// A history of calls, with times in ms.
fn history(calls: &[(u64, u64, Outcome)]) -> History {
    let call = |(sent, received, outcome): &(u64, u64, Outcome)| Call {
        sent: 1_000_000 + sent * 1000,
        received: 1_000_000 + received * 1000,
        outcome: *outcome,
    };
    History { calls: calls.iter().map(call).collect(), losses: Vec::new() }
}

#[test]
fn calls_at_the_same_time_may_be_in_any_order() {
    let calls = [(0, 9, Admitted(3)), (1, 8, Admitted(4)), (2, 7, Admitted(2)), (10, 11, Admitted(1))];
    assert_eq!(in_any_order(QUOTA, &history(&calls)), Ok(0));
}

#[test]
fn a_unit_that_is_given_twice_is_found() {
    let calls = [(0, 9, Admitted(4)), (1, 8, Admitted(4))];
    assert!(in_any_order(QUOTA, &history(&calls)).is_err());
}

#[test]
fn a_call_that_overtakes_an_earlier_one_is_found() {
    let calls = [(0, 1, Admitted(3)), (2, 3, Admitted(4))];
    assert!(in_any_order(QUOTA, &history(&calls)).is_err());
}

#[test]
fn a_call_that_was_counted_twice_is_found() {
    let calls = [(0, 1, Admitted(4)), (2, 3, Admitted(2))];
    assert!(in_any_order(QUOTA, &history(&calls)).is_err());
}

#[test]
fn a_refusal_without_cause_is_found() {
    let calls = [(0, 1, Admitted(4)), (2, 3, Refused(4))];
    assert!(in_any_order(QUOTA, &history(&calls)).is_err());
}

#[test]
fn a_call_without_a_reply_may_have_been_counted_later_but_only_once() {
    let once = [(0, 1, Unknown), (2, 3, Admitted(4)), (4, 5, Admitted(2)), (6, 7, Admitted(1))];
    assert_eq!(in_any_order(QUOTA, &history(&once)), Ok(0));
    let never = [(0, 1, Unknown), (2, 3, Admitted(4)), (4, 5, Admitted(3))];
    assert_eq!(in_any_order(QUOTA, &history(&never)), Ok(0));
    let twice = [(0, 1, Unknown), (2, 3, Admitted(4)), (4, 5, Admitted(1))];
    assert!(in_any_order(QUOTA, &history(&twice)).is_err());
    let before = [(0, 1, Admitted(3)), (2, 3, Unknown)];
    assert!(in_any_order(QUOTA, &history(&before)).is_err(), "it was not sent yet");
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

/// On a real server. The four calls that were sent at 107,698 µs got their replies late, and were decided after the six that came
/// later. If they take the four units that are free when they come, too few are left for those six.
#[test]
fn a_call_may_take_effect_long_after_it_could() {
    let log = Numbers::new(Kind::Log, 20, 100);
    let times = [
        (0, 1726),
        (3823, 4254),
        (3833, 4258),
        (3837, 4262),
        (3842, 4238),
        (8728, 9343),
        (8781, 9347),
        (20_179, 20_392),
        (20_202, 20_396),
        (20_207, 20_402),
        (20_212, 20_374),
        (20_361, 20_625),
        (20_381, 20_630),
        (86_962, 87_734),
        (90_153, 94_432),
        (95_829, 97_608),
        (95_854, 97_614),
        (101_081, 102_720),
        (102_650, 104_275),
        (102_675, 104_265),
        (102_728, 104_224),
        (107_698, 124_629),
        (107_750, 124_636),
        (107_851, 124_642),
        (107_860, 124_602),
        (113_453, 117_820),
        (113_492, 117_838),
        (113_570, 117_826),
        (113_594, 117_845),
        (113_601, 117_851),
        (113_607, 117_810),
        (131_142, 131_940),
        (131_175, 131_944),
        (187_159, 192_635),
        (188_527, 192_600),
        (196_662, 199_939),
        (196_685, 199_943),
        (202_472, 204_703),
    ];
    let call = |(sent, received): (u64, u64)| Call {
        sent: 1_000_000 + sent,
        received: 1_000_000 + received,
        outcome: Admitted(0),
    };
    let history = History { calls: times.map(call).to_vec(), losses: Vec::new() };
    assert_eq!(at_some_time(log, &history), Ok(()));
}
