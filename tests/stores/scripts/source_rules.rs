//! Rules for the source of the scripts: they document their contracts, and use only features that every server supports.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../lua/", $name)))),*]
    };
}

/// All scripts by file name.
pub(super) const FILES: [(&str, &str); 18] = files![
    "head.lua",
    "counter.lua",
    "token_bucket.lua",
    "leaky_bucket.lua",
    "sliding_window.lua",
    "sliding_log.lua",
    "concurrency.lua",
    "requests.lua",
    "fair.lua",
    "decide.lua",
    "adjust.lua",
    "any_slot.lua",
    "any_slot_probe.lua",
    "single/counter.lua",
    "single/token_bucket.lua",
    "single/sliding_window.lua",
    "single/sliding_log.lua",
    "single/concurrency.lua",
];

/// Each file starts with its purpose, and each algorithm documents its contract.
#[test]
fn headers_state_the_contract() {
    for (name, text) in FILES {
        let stem = name.trim_end_matches(".lua");
        assert!(text.starts_with(&format!("-- {stem}: ")), "{name} does not begin with its purpose");
        assert!(text.lines().all(|line| line.len() <= 150), "{name} has very long lines");
    }
    let sections = |name: &str| -> &[&str] {
        match name {
            "head.lua" | "requests.lua" => &[],
            "fair.lua" => &["Idea", "State", "Bound", "Write", "Example", "ARGV", "Change"],
            "decide.lua" | "adjust.lua" | "any_slot.lua" | "any_slot_probe.lua" => {
                &["KEYS", "ARGV", "Reply", "Errors"]
            }
            name if name.starts_with("single/") => &["KEYS", "ARGV", "Reply", "Errors"],
            _ => &["ARGV", "State", "Change"],
        }
    };
    for (name, text) in FILES {
        for section in sections(name) {
            assert!(text.contains(&format!("-- {section} ")), "{name} has no section {section:?}");
        }
    }
}

/// The scripts must not use features that fail on some server version, in a cluster, in Lua 5.4, or with numbers above 2^53.
#[test]
fn scripts_use_only_what_every_server_has() {
    for (name, text) in FILES {
        let code: String = text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
        let servers =
            ["tostring", "replicate_commands", "#!", "server.", "redis.log", "setresp", "%d\"", "cjson"];
        let lua54 = ["frexp", "ldexp", "math.pow", "math.mod", "log10", "getn", "loadstring", "setfenv"];
        for forbidden in servers.into_iter().chain(lua54) {
            assert!(!code.contains(forbidden), "{name} uses {forbidden}");
        }
        // Every SET sets or keeps a TTL. Any other write changes a key that already has a TTL, or is followed by PEXPIRE.
        for line in text.lines().filter(|line| line.contains("(\"SET\"")) {
            assert!(
                line.contains("\"PX\"") || line.contains("\"KEEPTTL\""),
                "{name}: SET without a TTL: {line}"
            );
        }
    }
}
