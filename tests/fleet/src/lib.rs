//! Simulates a fleet of services on virtual time, with the unchanged client and the unchanged scripts. The servers are one
//! server, a primary with a replica and sentinels, or a cluster. One seed draws the limits, the calls and the faults, so each
//! run can be repeated.
//!
//! | module | content |
//! |---|---|
//! | `schedule` | the events of a run, as data |
//! | `server` | a server that speaks RESP and runs the scripts, its role among other servers, and the network with its faults |
//! | `world`, `process`, `held` | the servers and the network of a run; a process with its limiter and its calls; its connections |
//! | `run`, `faults` | runs a schedule; causes its faults |
//! | `history`, `findings`, `promises` | the outcomes of the calls, the fleet after the run, and what must hold |
//! | `output` | prints lines |
//! | `shrink` | removes steps from a failing schedule while it still breaks a promise |
//! | `soak` | runs many seeds on all cores |
//! | `planted` | mistakes of the client and the scripts that the simulation must find |

mod faults;
mod findings;
mod held;
mod history;
mod output;
pub mod planted;
mod process;
mod promises;
mod run;
mod schedule;
mod server;
mod shrink;
pub mod soak;
mod world;

pub use output::say;
pub use run::{Run, run, show, show_shrunk};

#[cfg(test)]
mod tests {
    use super::run;
    use super::soak::Soak;
    use std::thread;

    /// Seeds that once broke a promise. If the code that draws schedules changes, these seeds become ordinary seeds.
    const FOUND: [u64; 11] =
        [9858, 10_832, 18_250, 26_112, 35_583, 53_967, 70_294, 80_930, 83_721, 93_045, 93_888];

    /// Runs each seed twice. Both runs must have the same log, byte for byte.
    #[test]
    fn no_promise_is_broken() {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let soak = Soak { first: 0, seeds: 200, threads, until_broken: false, twice: true };
        let totals = soak.run(|_, _| {});
        assert!(totals.broken.is_empty(), "`cargo xtask fleet --seed ..` repeats them: {:#?}", totals.broken);
    }

    #[test]
    fn what_was_found_stays_mended() {
        for seed in FOUND {
            let broken = run(seed).broken;
            assert!(broken.is_empty(), "`cargo xtask fleet --seed {seed}` repeats it: {broken:#?}");
        }
    }
}
