//! Checks all models with larger bounds than the tests, and prints the numbers of states.

use models::{Report, check, leases::Leases, permits::Permits, single_task::SingleTask};
use std::process::ExitCode;

fn main() -> ExitCode {
    let checks: [fn() -> Report; 3] = [
        || check("the single task", SingleTask::large()),
        || check("permits", Permits::large()),
        || check("leases", Leases::large()),
    ];
    let mut holds = true;
    for check in checks {
        let report = check();
        println!("{report}");
        holds &= report.broken.is_empty();
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
