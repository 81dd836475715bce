//! Merged requests: of several equal requests on one key, the script admits the same number as if it decided them one by one.

use crate::harness::{CLOCK, Twins, operations, seed};
use crate::interpreter::{Asked, algorithm, extra};
use crate::models::definitions::{Kind, Numbers};
use crate::scripts::arguments::decided;
use ratelimit::__testing;
use ratelimit::store::Mode;

const KEY: &str = "t:{merged}";

/// Compares the script's replies to random groups of requests with the definition's decisions about each request.
pub(crate) fn first_difference(
    twins: &mut Twins,
    script: &str,
    numbers: &Numbers,
    requests: usize,
    seed: u64,
) -> Option<String> {
    let script = redis::Script::new(&[CLOCK, script].concat());
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut definition, mut now) = (numbers.definition(), 1_763_000_000_000_000);
    let ((name, count, time), capacity) = (algorithm(numbers), numbers.capacity());
    let mut done = 0;
    while done < requests {
        now += random
            .choice([0, 0, 1, 1000, numbers.time * 250, numbers.time * 1000, numbers.time * 3000])
            .unwrap();
        twins.set_clock(now);
        let (n, cost) = (random.u32(1..=2 * numbers.count), random.u32(1..=numbers.count / 3 + 1));
        let keep = if random.u32(0..3) == 0 { random.u32(0..=capacity) } else { 0 };
        let cost = if random.u32(0..20) == 0 { capacity + 1 } else { cost };
        done += n as usize;
        let (mut passed, mut expected, mut shown) = (0, Vec::new(), [0, 0]);
        for _ in 0..n {
            let answer = definition.decide_keeping(now, Mode::Check, cost, keep, 1);
            passed += i64::from(answer.allowed);
            let retry = if answer.allowed {
                0
            } else {
                answer.retry_after.map_or(1 - (1 << 53), |ms| -i64::try_from(ms).unwrap())
            };
            // The reply has the numbers of the last admitted request. The client computes the numbers of the other requests.
            if answer.allowed || passed == 0 {
                shown = [answer.remaining.into(), answer.reset_after.try_into().unwrap()];
            }
            expected = vec![passed, shown[0], shown[1], retry];
        }
        let mut call = script.key(KEY);
        call.arg("check").arg(1).arg(name).arg(count).arg(time).arg(capacity).arg(0);
        call.arg(-i64::from(n)).arg(cost);
        call.arg(extra(&Asked { key: 0, numbers: *numbers, cost, keep, permit: 1 }));
        let found = call.invoke(twins.raw()).map(|answer| decided(&answer));
        if found.as_ref() != Ok(&expected) {
            return Some(format!(
                "{n} times {cost} of {numbers:?} that leave {keep} at {now}: {found:?}, not {expected:?}"
            ));
        }
    }
    None
}

#[test]
fn merged_requests_are_decided_as_one_by_one() {
    let mut twins = Twins::start();
    let [decide, _] = __testing::scripts();
    for kind in [Kind::Counter, Kind::Greedy, Kind::Interval, Kind::Leaky, Kind::Window, Kind::Log] {
        for (count, time) in [(1, 1), (5, 1000), (12, 60_000), (100, 7)] {
            twins.clear();
            let plain = Numbers::new(kind, count, time);
            for numbers in
                [plain, plain.block([1000, 60_000, 0])].into_iter().take(1 + usize::from(plain.takes_block()))
            {
                let difference = first_difference(&mut twins, decide, &numbers, operations(3000), seed());
                assert_eq!(difference, None);
                twins.clear();
            }
        }
    }
}
