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
//! - [Evidence]: sequences, models and histories that were checked, with dates and commands
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
macro_rules! pages {
    ($($module:ident: $($file:literal),+;)+) => {$(
        #[doc = include_str!("docs/links.md")]
        $(#[doc = include_str!($file)])+
        pub mod $module {}
    )+};
}

pages! {
    algorithms: "docs/steady_rate.md", "docs/edge_burst.md", "../docs/algorithms.md";
    choosing_a_limit: "docs/choosing_limits.md", "../docs/choosing-a-limit.md";
    identities: "../docs/identities.md";
    frameworks: "../docs/frameworks.md";
    results: "../docs/results.md";
    waiting_and_permits: "../docs/waiting-and-permits.md";
    leases: "../docs/leases.md";
    failures: "../docs/failures.md";
    promises: "../docs/promises.md";
    evidence: "../docs/evidence.md";
    operate: "../docs/operate.md";
    troubleshooting: "../docs/troubleshooting.md";
    overrides: "../docs/overrides.md";
    observability: "../docs/observability.md";
    methods: "../docs/methods.md";
    testing: "../docs/testing.md";
    scaling: "docs/fleet_calls.md", "docs/fleet_use.md", "../docs/scaling.md";
    servers: "../docs/servers.md";
    command_line: "../docs/command-line.md";
}
