#![doc = include_str!("README.md")]

/// Joins `head.lua`, the algorithms as branches of the function `implement`, and a main script into one text. Only the names of
/// counters, from `counter` to `counter_month`, have a `u` (117) as their third letter, so one comparison finds all of them.
macro_rules! script {
    ($($main:literal),+) => {
        concat!(
            include_str!("head.lua"),
            "local function implement(...)\nlocal name = (...).name\nif byte(name, 3) == 117 then -- u\n",
            include_str!("counter.lua"),
            "elseif name == \"sliding_window\" then\n",
            include_str!("sliding_window.lua"),
            "elseif name == \"sliding_log\" then\n",
            include_str!("sliding_log.lua"),
            "elseif name == \"concurrency\" then\n",
            include_str!("concurrency.lua"),
            "elseif name == \"token_bucket\" or name == \"token_bucket_interval\"\n",
            "or name == \"leaky_bucket\" or name == \"leaky_bucket_queue\" then\n",
            include_str!("token_bucket.lua"),
            "if name == \"leaky_bucket_queue\" then\n",
            include_str!("leaky_bucket.lua"),
            "end\nelse\nwrong(\"unknown algorithm\")\nend\nend\n",
            $(include_str!($main),)+
        )
    };
}

/// The script that decides about any number of requests.
pub const DECIDE: &str = script!("requests.lua", "fair.lua", "decide.lua");

/// The script that returns, takes and renews units, and that blocks and pauses keys.
pub const ADJUST: &str = script!("adjust.lua");

/// The script that forgets the state of a key.
pub const RESET: &str = include_str!("reset.lua");

/// The scripts for a single plain request, each with the name of its algorithm.
pub const SINGLE: [(&str, &str); 5] = [
    ("counter", include_str!("single/counter.lua")),
    ("token_bucket", include_str!("single/token_bucket.lua")),
    ("sliding_window", include_str!("single/sliding_window.lua")),
    ("sliding_log", include_str!("single/sliding_log.lua")),
    ("concurrency", include_str!("single/concurrency.lua")),
];

/// The text that precedes [`DECIDE`] in a call for keys of several slots.
pub const ANY_SLOT: &str = include_str!("any_slot.lua");

/// The script that finds out whether a server permits calls for keys of several slots.
pub const ANY_SLOT_PROBE: &str = include_str!("any_slot_probe.lua");
