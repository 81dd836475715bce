//! Random operations on one limit: the script, its Rust twin and the definition agree in every field.

use crate::harness::{Twins, operations, seed};
use crate::models::definitions::{Kind, Numbers};
use crate::models::random::operations::{Operation, agree as as_defined, by_store};
use crate::models::random::shrink::report;
use crate::models::random::traffic::{Traffic, any_numbers};

/// Compares all three implementations, and checks the lifetimes of keys.
async fn agree(limits: &[Numbers]) {
    let mut twins = Twins::start();
    let mut random = fastrand::Rng::with_seed(seed());
    let drawn = (0..limits.len()).map(|_| any_numbers(&mut random, limits[0].kind));
    let limits: Vec<Numbers> = limits.iter().copied().chain(drawn).collect();
    for (i, numbers) in limits.iter().enumerate() {
        twins.clear();
        let mut traffic = Traffic::new(*numbers, seed() + i as u64);
        let limit = numbers.limit();
        let (mut done, mut past) = (0, Vec::<(u64, Vec<(usize, Operation)>)>::new());
        while done < operations(100_000) / limits.len() + 1 && traffic.goes_on() {
            let (now, steps) = traffic.next();
            twins.set_clock(now);
            let expected = traffic.expected(&steps);
            let by_memory = by_store(&twins.memory, limit, &steps).await.unwrap();
            let by_script = by_store(&twins.redis, limit, &steps).await.unwrap();
            done += steps.len();
            let agrees = |found| as_defined(numbers, &steps, found, &expected);
            let both_agree = agrees(&by_memory) && agrees(&by_script);
            past.push((now, steps));
            if !both_agree {
                report(&mut twins, *numbers, &past, [&by_memory, &by_script, &expected]).await;
            }
        }
        let (lived, most) = (twins.longest_ttl(), numbers.longest_ttl());
        assert!(lived <= most, "{numbers:?}: a key was to live for {lived} ms, at most {most} are promised");
    }
}

macro_rules! agree {
    ($($name:ident: $kind:ident [$($count:literal per $time:literal $(.$with:ident($value:tt))*),* $(,)?];)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                agree(&[$(Numbers::new(Kind::$kind, $count, $time)$(.$with($value))*),*]).await;
            }
        )*
    };
}

agree! {
    a_counter_is_as_defined: Counter [
        1 per 1, 1 per 1000, 5 per 60_000, 100 per 1000, 7 per 86_400_000, 4_000_000_000 per 500,
    ];
    a_counter_with_turns_is_as_defined: Counter [
        1 per 1 .wait(5), 1 per 1000 .wait(3000), 5 per 60_000 .wait(1_000), 100 per 10 .wait(10), 3 per 2 .wait(100),
    ];
    a_window_of_the_calendar_is_as_defined: Counter [
        5 per 3_600_000 .calendar("hour +05:30"), 5 per 86_400_000 .calendar("day -11:45"),
        12 per 604_800_000 .calendar("week +00:00"), 3 per 2_678_400_000 .calendar("month +01:00"),
        300 per 2_678_400_000 .calendar("month -23:59"),
    ];
    a_greedy_bucket_is_as_defined: Greedy [
        3 per 1000, 7 per 60_000 .burst(10), 300 per 1000 .burst(50), 999_983 per 1000 .burst(5000),
        1 per 86_400_000 .burst(2), 1 per 1, 1000 per 1 .burst(100_000), 60 per 7 .burst(1),
        1 per 31_622_400_000,
    ];
    a_greedy_bucket_that_lends_is_as_defined: Greedy [
        3 per 1000 .borrow(2), 7 per 60_000 .burst(1) .borrow(20), 300 per 7 .burst(50) .borrow(1),
    ];
    a_greedy_bucket_with_turns_is_as_defined: Greedy [
        3 per 1000 .wait(2000), 7 per 60_000 .burst(10) .wait(500_000), 300 per 1000 .burst(50) .borrow(20) .wait(10),
        1 per 1 .wait(10), 60 per 7 .burst(1) .wait(50),
    ];
    an_interval_bucket_is_as_defined: Interval [
        3 per 1000, 5 per 60_000 .burst(20), 20 per 60_000 .burst(5), 1 per 1,
        1_000_000 per 2_592_000_000, 2 per 7 .burst(9) .borrow(3), 2 per 2 .burst(9),
    ];
    an_interval_bucket_with_turns_is_as_defined: Interval [
        3 per 1000 .wait(2000), 5 per 60_000 .burst(20) .wait(150_000), 20 per 600 .burst(5) .wait(600),
        1 per 1 .wait(10), 2 per 7 .burst(9) .borrow(3) .wait(30), 2 per 2 .burst(9) .wait(9),
    ];
    a_leaky_meter_is_as_defined: Leaky [
        3 per 1000, 7 per 60_000 .burst(10), 300 per 1000 .burst(50), 60 per 7 .burst(1),
    ];
    a_leaky_queue_is_as_defined: Leaky [
        3 per 1000 .wait(2000), 7 per 60_000 .wait(5000), 300 per 1000 .wait(100), 1 per 1 .wait(10), 60 per 7 .wait(50),
    ];
    a_sliding_window_is_as_defined: Window [
        1 per 1, 10 per 1000, 5 per 60_000, 300 per 100, 7 per 86_400_000, 33_554_431 per 60, 3 per 2,
    ];
    a_sliding_window_with_turns_is_as_defined: Window [
        1 per 1 .wait(5), 10 per 1000 .wait(3000), 5 per 60_000 .wait(50_000), 300 per 100 .wait(10), 3 per 2 .wait(9),
    ];
    a_counter_that_blocks_is_as_defined: Counter [
        1 per 1 .block([1000, 0, 0]), 5 per 60_000 .block([60_000, 600_000, 3_600_000]),
        100 per 1000 .block([1000, 2000, 0]), 2 per 1000 .wait(2000) .block([3000, 0, 0]),
    ];
    a_bucket_that_blocks_is_as_defined: Greedy [
        3 per 1000 .block([1000, 2000, 3000]), 7 per 60_000 .burst(10) .block([5000, 0, 0]),
        300 per 1000 .burst(50) .borrow(20) .wait(10) .block([1000, 60_000, 0]), 1 per 86_400_000 .burst(2) .block([1000, 0, 0]),
    ];
    an_interval_bucket_that_blocks_is_as_defined: Interval [
        3 per 1000 .block([1000, 2000, 3000]), 2 per 7 .burst(9) .borrow(3) .wait(30) .block([1000, 0, 0]),
    ];
    a_leaky_bucket_that_blocks_is_as_defined: Leaky [
        3 per 1000 .block([1000, 2000, 3000]), 7 per 60_000 .wait(5000) .block([5000, 10_000, 0]),
    ];
    a_sliding_window_that_blocks_is_as_defined: Window [
        10 per 1000 .block([1000, 2000, 3000]), 5 per 60_000 .wait(50_000) .block([60_000, 600_000, 0]),
    ];
    a_sliding_log_is_as_defined: Log [
        1 per 1, 10 per 1000, 5 per 60_000, 300 per 100, 7 per 86_400_000, 3 per 2,
    ];
    a_sliding_log_with_turns_is_as_defined: Log [
        1 per 1 .wait(5), 10 per 1000 .wait(3000), 5 per 60_000 .wait(50_000), 300 per 100 .wait(10), 3 per 2 .wait(9),
    ];
    concurrency_is_as_defined: Concurrency [
        1 per 1000, 10 per 60_000, 40 per 1500, 3 per 86_400_000,
    ];
    concurrency_with_tickets_is_as_defined: Concurrency [
        1 per 1000 .wait(5000), 10 per 60_000 .wait(500), 40 per 1500 .wait(2000), 3 per 86_400_000 .wait(50),
    ];
}
