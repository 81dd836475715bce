//! Checks the version of a server, and the number of its clients.

use super::facts::Facts;
use super::finding::Findings;
use crate::output::number;

/// The oldest version of Redis on which the scripts run.
const OLDEST: (u64, u64) = (6, 2);

/// Engines, each with the field of `INFO` that contains its version. The first engine whose field exists is the engine of the
/// server. An engine that imitates Redis also has the field of Redis, so Redis is the last one.
const ENGINES: [(&str, &str); 5] = [
    ("Dragonfly", "dragonfly_version"),
    ("Kvrocks", "kvrocks_version"),
    ("Garnet", "garnet_version"),
    ("Valkey", "valkey_version"),
    ("Redis", "redis_version"),
];

pub(super) fn check(facts: &Facts, findings: &mut Findings) {
    let engine = ENGINES.into_iter().find_map(|(name, field)| Some((name, facts.get(field)?)));
    let service = facts.get("os").filter(|os| os.starts_with("Amazon")).map(|os| format!(" on {os}"));
    let said = |name, version| format!("{name} {version}{}", service.unwrap_or_default());
    match engine {
        Some(("Redis", version)) if !is_supported(version) => findings.problem(
            "version",
            said("Redis", version),
            "upgrade to Redis 6.2 or later, or to Valkey: older versions do not run the scripts",
        ),
        Some((name @ ("Redis" | "Valkey"), version)) => findings.good("version", said(name, version)),
        Some((name, version)) => findings.note(
            "version",
            said(name, version),
            "this library is not tested with it; `docs/servers.md` lists what to set",
        ),
        None => findings.unknown("version", "the server does not say its version", "ask its operator"),
    }
    let (Some(connected), Some(most)) = (facts.number("connected_clients"), facts.number("maxclients"))
    else {
        return;
    };
    let said = format!("{} of {} connections are in use", number(connected), number(most));
    if connected.saturating_mul(10) > most.saturating_mul(9) {
        findings.problem(
            "clients",
            said,
            "increase `maxclients`, or find the clients that open so many connections",
        );
    } else {
        findings.good("clients", said);
    }
}

fn is_supported(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST
}

#[cfg(test)]
mod tests {
    use super::is_supported;

    #[test]
    fn old_versions_are_not_supported() {
        for (version, supported) in
            [("6.2.0", true), ("7.0.15", true), ("10.0", true), ("6.0.16", false), ("5", false), ("x", false)]
        {
            assert_eq!(is_supported(version), supported, "{version}");
        }
    }
}
