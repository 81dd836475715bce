//! Checks whether limits survive a stop of the server: persistence and replicas.

use super::facts::Facts;
use super::finding::Findings;

pub(super) fn check(facts: &Facts, findings: &mut Findings) {
    persistence(facts, findings);
    replicas(facts, findings);
}

fn persistence(facts: &Facts, findings: &mut Findings) {
    if facts.get("loading") == Some("1") {
        findings.problem(
            "persistence",
            "the server is loading its data",
            "wait: calls succeed when it has finished",
        );
    }
    for (field, what) in
        [("rdb_last_bgsave_status", "snapshot"), ("aof_last_write_status", "append-only file")]
    {
        if facts.get(field).is_some_and(|status| status != "ok") {
            findings.problem(
                "persistence",
                format!("the last write of the {what} failed, and the server may refuse decisions (MISCONF)"),
                "read the log of the server; often its disk is full or not writable",
            );
        }
    }
    let appends = facts.get("aof_enabled") == Some("1");
    if is_saved(facts) {
        let what = if appends { "append-only file" } else { "snapshots" };
        findings.good("persistence", format!("{what}: limits and overrides survive a restart"));
    } else {
        findings.note(
            "persistence",
            "nothing was saved since the start: after a restart, limits start from zero and overrides are lost",
            "if you use overrides, turn on the append-only file: `CONFIG SET appendonly yes`",
        );
    }
}

/// Whether the server has saved its data since it started.
pub(super) fn is_saved(facts: &Facts) -> bool {
    let saved = facts.number("rdb_last_save_time").unwrap_or(0);
    let started = facts.number("server_time_usec").map(|us| us / 1_000_000);
    let started = started.zip(facts.number("uptime_in_seconds")).map(|(now, up)| now.saturating_sub(up));
    // A server without snapshots reports its start time as the time of the last save.
    let has_saved = started.is_some_and(|started| saved > started.saturating_add(2));
    facts.get("aof_enabled") == Some("1") || has_saved
}

fn replicas(facts: &Facts, findings: &mut Findings) {
    let replicas = facts.number("connected_slaves").unwrap_or(0);
    if facts.get("role").is_some_and(|role| role != "master") {
        findings.problem(
            "replicas",
            "the server is a replica, which cannot decide",
            "write the address of the primary",
        );
    } else if replicas == 0 {
        findings.note(
            "replicas",
            "none: while this server is down, the failure policy of each limit decides",
            if facts.get("cluster_enabled") == Some("1") {
                "for failovers, add a replica of this node"
            } else {
                "for failovers, add a replica with sentinels, or use a cluster"
            },
        );
    } else {
        findings.good(
            "replicas",
            format!("{}; a failover may lose the last decisions", crate::output::plural(replicas, "replica")),
        );
    }
    if let (Some(least), Some(good)) = (
        facts.number("min_slaves_to_write").filter(|least| *least > 0),
        facts.number("min_slaves_good_slaves"),
    ) && good < least
    {
        findings.problem(
            "replicas",
            format!("{good} of {least} required replicas are synchronized: writes are refused (NOREPLICAS)"),
            "repair the replicas, or decrease `min-replicas-to-write`",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_save_and_a_missing_replica_are_problems() {
        for (facts, problem) in [
            ("rdb_last_bgsave_status:ok\naof_enabled:1\nrole:master\n", false),
            ("rdb_last_bgsave_status:err\nrole:master\n", true),
            ("aof_last_write_status:err\nrole:master\n", true),
            ("loading:1\nrole:master\n", true),
            ("role:slave\n", true),
            ("role:master\nmin_slaves_to_write:1\nmin_slaves_good_slaves:0\n", true),
        ] {
            let mut findings = Findings::default();
            check(&Facts::read(facts), &mut findings);
            assert_eq!(findings.has_problem(), problem, "{facts}");
        }
    }
}
