//! The guide, one page per module. The modules contain no items.
//!
//! - [Algorithms]: which algorithm to choose, examples, exact bounds
//! - [Choosing a limit]: what each algorithm lets through, how to try a limit out, and limits for common tasks
//! - [Identities]: who is limited, proxies, what is stored, cluster slots
//! - [Frameworks]: setup of each web framework, the layer, the order of attributes
//! - [Results]: what a refused call returns, answers and header fields, several limits on one function, charging by the result
//! - [Waiting and permits]: queues instead of refusals, limits on calls that run at the same time
//! - [Leases]: units taken in advance, for very busy limits
//! - [Failures]: outages, deadlines, failovers, permissions, shutdown
//! - [Promises]: what limits admit, refuse and wait for, also when something fails, and the tests that show it
//! - [Deploy and operate]: renamed and changed limits, shutdown, persistence, health, alarms
//! - [Troubleshooting]: symptoms, their causes, and the log line that shows each
//! - [Overrides]: limits that change while the service runs, and limits in trial
//! - [Observability]: metrics, traces, log lines, and hooks for refusals and outages
//! - [Methods]: rate limiting without the attribute
//! - [Testing]: tests without Redis and without sleeping
//! - [Scaling]: how many servers you need, and what a decision costs Redis
//! - [Servers]: which servers and services work, and the one setting that each needs
//! - [Command line]: the command `ratelimit`, which shows and changes limits while services run
//! - [Scripts](https://docs.rs/ratelimit-lua): what the Lua scripts guarantee, and which permissions they need
//!
#![doc = include_str!("docs/links.md")]

// The files in `docs/` link to each other by path, for readers of the repository. In rustdoc such links lead nowhere. So
// each module defines the links and the pictures first: Markdown uses the first definition of a name.

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("docs/steady_rate.md")]
#[doc = include_str!("docs/edge_burst.md")]
#[doc = include_str!("../docs/algorithms.md")]
pub mod algorithms {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("docs/choosing_limits.md")]
#[doc = include_str!("../docs/choosing-a-limit.md")]
pub mod choosing_a_limit {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/identities.md")]
pub mod identities {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/frameworks.md")]
pub mod frameworks {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/results.md")]
pub mod results {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/waiting-and-permits.md")]
pub mod waiting_and_permits {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/leases.md")]
pub mod leases {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/failures.md")]
pub mod failures {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/promises.md")]
pub mod promises {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/operate.md")]
pub mod operate {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/troubleshooting.md")]
pub mod troubleshooting {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/overrides.md")]
pub mod overrides {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/observability.md")]
pub mod observability {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/methods.md")]
pub mod methods {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/testing.md")]
pub mod testing {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("docs/fleet_calls.md")]
#[doc = include_str!("docs/fleet_use.md")]
#[doc = include_str!("../docs/scaling.md")]
pub mod scaling {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/servers.md")]
pub mod servers {}

#[doc = include_str!("docs/links.md")]
#[doc = include_str!("../docs/command-line.md")]
pub mod command_line {}
