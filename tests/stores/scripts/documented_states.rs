//! The scripts write the states that `lua/README.md` shows.

use crate::harness::{TestRequest, Twins, decide, key};
use ratelimit::Limit;
use ratelimit::store::Mode;
use std::time::Duration;

const README: &str = include_str!("../../../lua/README.md");

/// The start in ms.
const START: u64 = 1_763_000_000_000;

/// Charges costs at these times, in ms since the start. Returns the reply of a command, such as `GET`, for the key.
async fn state(twins: &mut Twins, limit: Limit, calls: &[(u64, u32)], command: &[&str]) -> Vec<String> {
    for (after, cost) in calls {
        twins.set_clock((START + after) * 1000);
        let request = TestRequest::new(0, limit, *cost).with_permit(17);
        assert!(decide(&twins.redis, Mode::Charge, &[request]).await.unwrap()[0].is_allowed());
    }
    let mut read = redis::cmd(command[0]);
    read.arg(key(0, &limit)).arg(&command[1..]);
    match read.query(twins.raw()).unwrap() {
        redis::Value::Array(values) => values.into_iter().map(text).collect(),
        value => vec![text(value)],
    }
}

fn text(value: redis::Value) -> String {
    redis::from_redis_value(value).unwrap()
}

#[tokio::test]
async fn the_states_of_the_readme_are_written() {
    let mut twins = Twins::start();
    let (second, minute) = (Duration::from_secs(1), support::MINUTE);
    for (limit, calls, command, expected) in [
        (Limit::counter(5, minute), &[(0, 5)][..], &["GET"][..], &["563000060000"][..]),
        (Limit::token_bucket(10, second), &[(0, 4)], &["GET"], &["14763000000000"]),
        (Limit::leaky_bucket(10, second), &[(0, 4)], &["GET"], &["14763000000000"]),
        (Limit::sliding_window(10, minute), &[(0, 3), (60_000, 2)], &["GET"], &["200363000180000"]),
        (Limit::sliding_log(3, second), &[(0, 1)], &["LRANGE", "0", "-1"], &["1763000000000000"]),
        (
            Limit::concurrency(3, second * 30),
            &[(0, 1)],
            &["ZRANGE", "0", "-1", "WITHSCORES"],
            &["17", "1763000030000"],
        ),
    ] {
        assert_eq!(state(&mut twins, limit, calls, command).await, expected, "{limit}");
        let shown: Vec<String> = expected.iter().map(|text| format!("`{text}`")).collect();
        assert!(README.contains(&format!("| {} |", shown.join(", "))), "{limit}");
    }
}
