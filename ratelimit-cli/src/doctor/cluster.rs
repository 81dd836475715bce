//! Checks the state of a cluster.

use super::facts::{Facts, permitted};
use super::finding::Findings;
use crate::exit::Failure;
use crate::session::{ask, text};
use ratelimit::store::RedisServer;

/// The number of slots of a cluster.
const SLOTS: u64 = 16_384;

pub(super) async fn check(server: &RedisServer, findings: &mut Findings) -> Result<(), Failure> {
    match permitted(ask(server, redis::cmd("CLUSTER").arg("INFO")).await)? {
        Some(reply) => judge(&Facts::read(&text(&reply)), findings),
        None => findings.unknown(
            "cluster",
            "the user may not run `cluster info`",
            "to check it, permit it: `ACL SETUSER name +cluster|info`",
        ),
    }
    Ok(())
}

fn judge(facts: &Facts, findings: &mut Findings) {
    let number = |name| facts.number(name).unwrap_or(0);
    let (assigned, failing) = (number("cluster_slots_assigned"), number("cluster_slots_fail"));
    let (suspected, primaries) = (number("cluster_slots_pfail"), number("cluster_size"));
    if assigned < SLOTS {
        findings.problem(
            "cluster",
            format!(
                "{} of {SLOTS} slots have no node: their limits are not decided",
                SLOTS.saturating_sub(assigned)
            ),
            "assign them: `redis-cli --cluster fix`",
        );
    }
    if failing + suspected > 0 {
        findings.problem(
            "cluster",
            format!("the nodes of {} slots are unreachable", failing + suspected),
            "restart these nodes, or wait for a failover; `CLUSTER NODES` names them",
        );
    }
    if facts.get("cluster_state").is_some_and(|state| state != "ok") {
        findings.problem(
            "cluster",
            "its state is not `ok`",
            "see `CLUSTER NODES`; calls for some slots fail",
        );
    } else if assigned >= SLOTS && failing + suspected == 0 {
        findings.good("cluster", format!("{primaries} primaries serve all slots"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_without_a_node_are_a_problem() {
        for (facts, problem) in [
            ("cluster_state:ok\ncluster_slots_assigned:16384\ncluster_slots_fail:0\n", false),
            ("cluster_state:fail\ncluster_slots_assigned:16384\n", true),
            ("cluster_state:ok\ncluster_slots_assigned:16000\n", true),
            ("cluster_state:ok\ncluster_slots_assigned:16384\ncluster_slots_pfail:5\n", true),
        ] {
            let mut findings = Findings::default();
            judge(&Facts::read(facts), &mut findings);
            assert_eq!(findings.has_problem(), problem, "{facts}");
        }
    }
}
