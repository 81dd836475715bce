//! Simulates a fleet of services with the unchanged client, the unchanged scripts, and a server on virtual time. One seed draws
//! the limits, the calls and the faults, so each run can be repeated.
//!
//! | module | what it is |
//! |---|---|
//! | `schedule` | what happens, as data |
//! | `server` | a server that speaks RESP and runs the scripts, and the network with its faults |
//! | `world`, `process` | the network of a run; a process with its limiter and its calls |
//! | `run` | runs a schedule |
//! | `history`, `promises` | what the calls experienced, and what must hold |

mod history;
mod process;
mod promises;
mod run;
mod schedule;
mod server;
mod world;

pub use run::{Run, run};

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn the_same_seed_is_the_same_log() {
        for seed in 0..20 {
            assert_eq!(run(seed).log, run(seed).log, "seed {seed}");
        }
    }

    #[test]
    fn no_promise_is_broken() {
        for seed in 0..200 {
            let run = run(seed);
            assert!(run.broken.is_empty(), "seed {seed}: {:#?}\n{}", run.broken, run.log);
        }
    }
}
