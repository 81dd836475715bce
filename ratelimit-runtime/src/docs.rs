//! The guide, one page per module. The modules contain no items.
//!
//! - [Start]: a limited service in memory, then on Redis, then behind a proxy
//! - Limits: [Choosing a limit], [Algorithms] with exact bounds, [Recipes], [Recipes for jobs and outgoing calls]
//!   and [Token budgets], [Budgets that learn], [Fair shares], [Waiting and permits], [Streams], [Leases] for very busy limits, [Methods] without the attribute
//! - Callers: [Identities], [Proxies], [Keys]; [Frameworks], [MCP], [Whole routers]; [Results], [Answers]
//! - In production: [Production checklist], [Deploy and operate], [Upgrades], [Overrides], [Failures], [Promises], [Evidence],
//!   [Troubleshooting], [Observability]
//! - Servers: [Servers], [Idle connections], [Scaling], [Several regions], [Stores] on other engines; [Scripts](https://docs.rs/ratelimit-lua): what the Lua scripts guarantee
//! - Tests and tools: [Testing], [Tests of services], [Command line], [Limits in the sources]
//! - Others: [Comparison], [Migration]
//! - Inside: [How it works], [Glossary]
//!
#![doc = include_str!("docs/links.md")]

// The files in `docs/` link to each other by path, for readers of the repository. In rustdoc, these links would be broken. So
// each module defines the links and the pictures first, because Markdown uses the first definition of a name.
macro_rules! pages {
    ($($module:ident: $($file:literal),+;)+) => {$(
        #[doc = include_str!("docs/links.md")]
        $(#[doc = include_str!($file)])+
        pub mod $module {}
    )+};
}

pages! {
    start: "../docs/start.md";
    choosing_a_limit: "docs/choosing_limits.md", "../docs/choosing-a-limit.md";
    algorithms: "docs/steady_rate.md", "docs/edge_burst.md", "../docs/algorithms.md";
    recipes: "../docs/recipes.md";
    recipes_outgoing: "../docs/recipes-outgoing.md";
    token_budgets: "../docs/token-budgets.md";
    learned_costs: "../docs/learned-costs.md";
    fair_shares: "../docs/fair-shares.md";
    recipes_quotas: "../docs/recipes-quotas.md";
    waiting_and_permits: "../docs/waiting-and-permits.md";
    streams: "../docs/streams.md";
    leases: "docs/lease.md", "../docs/leases.md";
    methods: "../docs/methods.md";
    identities: "../docs/identities.md";
    proxies: "../docs/proxies.md";
    keys: "../docs/keys.md";
    frameworks: "../docs/frameworks.md";
    mcp: "../docs/mcp.md";
    routers: "../docs/routers.md";
    results: "../docs/results.md";
    answers: "../docs/answers.md";
    checklist: "../docs/checklist.md";
    operate: "../docs/operate.md";
    upgrades: "../docs/upgrades.md";
    overrides: "../docs/overrides.md";
    failures: "docs/outage.md", "../docs/failures.md";
    promises: "../docs/promises.md";
    evidence: "../docs/evidence.md";
    troubleshooting: "../docs/troubleshooting.md";
    observability: "../docs/observability.md";
    servers: "../docs/servers.md";
    idle_connections: "../docs/idle-connections.md";
    scaling: "docs/fleet_calls.md", "docs/fleet_use.md", "../docs/scaling.md";
    regions: "../docs/regions.md";
    stores: "../docs/stores.md";
    testing: "../docs/testing.md";
    testing_services: "../docs/testing-services.md";
    command_line: "../docs/command-line.md";
    cargo_ratelimit: "../docs/cargo-ratelimit.md";
    comparison: "../docs/comparison.md";
    migration: "../docs/migration.md";
    how_it_works: "docs/path.md", "docs/clocks.md", "../docs/how-it-works.md";
    glossary: "../docs/glossary.md";
}
