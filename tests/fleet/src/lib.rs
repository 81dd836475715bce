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
//! | `shrink`, `timeline` | finds the fewest steps that still break a promise, and draws them |
//! | `soak` | runs many seeds on all cores |
//! | `planted` | mistakes of the client and the scripts that the simulation must find |

mod history;
pub mod planted;
mod process;
mod promises;
mod run;
mod schedule;
mod server;
mod shrink;
pub mod soak;
mod timeline;
mod world;

pub use run::{Run, run, show, show_shrunk};

#[cfg(test)]
mod tests {
    use super::{run, soak::Soak};
    use std::thread;

    #[test]
    fn the_same_seed_is_the_same_log() {
        for seed in 0..10 {
            assert_eq!(run(seed).log, run(seed).log, "seed {seed}");
        }
    }

    #[test]
    fn no_promise_is_broken() {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let soak = Soak { first: 0, seeds: 100, threads, until_broken: false };
        let totals = soak.run(|_, _| {});
        assert!(totals.broken.is_empty(), "`cargo xtask fleet --seed ..` repeats them: {:#?}", totals.broken);
    }
}
