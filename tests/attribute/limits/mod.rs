//! Arguments that say how calls are counted: numbers, waiting, leases, shadow limits, several limits on one function, and
//! charges that depend on the result.

mod after_the_body;
mod brakes;
mod calendar;
mod concurrency;
mod fair;
mod keep;
mod learned;
mod lease;
mod lease_bounds;
mod lease_runtimes;
mod lease_size;
mod limiter;
mod numbers;
mod off;
mod one_name;
mod password_guesses;
mod pause;
mod records;
mod refused_loops;
mod shadow;
mod skip_if;
mod stack_names;
mod stacks;
mod test_limiter;
mod unlimited;
mod wait;
