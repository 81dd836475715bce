//! Checks the memory of a server: its use, and its eviction policy.

use super::facts::Facts;
use super::finding::Findings;

/// The share of `maxmemory` in percent from which its use is a problem.
const FULL: u64 = 90;

pub(super) fn check(facts: &Facts, findings: &mut Findings) {
    let (most, used) = (facts.number("maxmemory").unwrap_or(0), facts.number("used_memory").unwrap_or(0));
    let policy = facts.get("maxmemory_policy").unwrap_or("unknown");
    let evicted = facts.number("evicted_keys").unwrap_or(0);
    match policy {
        _ if most == 0 => findings.good("eviction", "off: `maxmemory` is not set"),
        "noeviction" => findings.good("eviction", "`noeviction`: a full server refuses decisions"),
        _ if policy.starts_with("volatile") => findings.note(
            "eviction",
            format!("`{policy}` evicts limits that are in use if memory runs out, so their callers start from zero"),
            "give the limits a server of their own, with `CONFIG SET maxmemory-policy noeviction`",
        ),
        _ => findings.problem(
            "eviction",
            format!("`{policy}` may evict the overrides, and limits that are in use"),
            "give the limits a server of their own, with `CONFIG SET maxmemory-policy noeviction`",
        ),
    }
    if evicted > 0 {
        findings.note(
            "evicted keys",
            format!("{} since the server started", crate::output::plural(evicted, "key")),
            "an evicted limit starts from zero; give the server more memory",
        );
    }
    if most == 0 {
        return;
    }
    let percent = used.saturating_mul(100) / most;
    let said = format!("{percent} % of `maxmemory` are in use");
    if percent >= FULL {
        findings.problem("memory", said, "increase `maxmemory`, or move other data to another server");
    } else {
        findings.good("memory", said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_evicts_overrides_is_a_problem() {
        for (policy, problem) in
            [("volatile-ttl", false), ("noeviction", false), ("volatile-lru", false), ("allkeys-lru", true)]
        {
            let mut findings = Findings::default();
            let facts = Facts::read(&format!("maxmemory:100\nused_memory:10\nmaxmemory_policy:{policy}\n"));
            check(&facts, &mut findings);
            assert_eq!(findings.has_problem(), problem, "{policy}");
        }
        let mut findings = Findings::default();
        check(&Facts::read("maxmemory:0\nmaxmemory_policy:allkeys-lru\n"), &mut findings);
        assert!(!findings.has_problem(), "nothing is evicted");
        check(&Facts::read("maxmemory:100\nused_memory:95\nmaxmemory_policy:volatile-ttl\n"), &mut findings);
        assert!(findings.has_problem(), "it is full");
    }
}
