//! Checks the state of a cluster.

use super::facts::{Facts, permitted, setting};
use super::finding::Findings;
use crate::exit::Failure;
use crate::session::{SLOTS, Servers, ask, text};

/// The row about slots whose node cannot decide.
const SLOTS_ROW: &str = "slots without a reachable node";
/// The setting of a cluster that stops all nodes while one is missing.
const COVERAGE: &str = "cluster-require-full-coverage";

pub(super) async fn check(servers: &Servers, findings: &mut Findings) -> Result<(), Failure> {
    for missing in &servers.missing {
        let advice = "restart the node, or wait for a failover; `CLUSTER NODES` shows the state of all nodes";
        findings.problem(SLOTS_ROW, missing.to_string(), advice);
    }
    let Some(server) = servers.reachable.first() else { return Ok(()) };
    let reply = permitted(ask(server, redis::cmd("CLUSTER").arg("INFO")).await)?;
    let facts = reply.map(|reply| Facts::read(&text(&reply)));
    match &facts {
        Some(facts) => judge(facts, servers.missing.is_empty(), findings),
        None => findings.unknown(
            "cluster",
            "the user may not run `cluster info`",
            "to check it, permit it: `ACL SETUSER name +cluster|info`",
        ),
    }
    let is_down = facts.is_some_and(|facts| facts.get("cluster_state") == Some("fail"));
    let required = setting(server, COVERAGE).await.map(|value| value == "yes");
    coverage(required, is_down, findings);
    Ok(())
}

fn coverage(required: Option<bool>, is_down: bool, findings: &mut Findings) {
    let advice = "let the other nodes decide: `CONFIG SET cluster-require-full-coverage no` on each node, and write it into its configuration";
    match required {
        Some(true) if is_down => findings.problem(COVERAGE, "`yes`: the cluster is down because slots have no node, so no limit is decided", advice),
        Some(true) => findings.note(COVERAGE, "`yes`: one missing node takes all limits down", advice),
        Some(false) => findings.good(COVERAGE, "`no`: while a node is missing, the other nodes decide"),
        None => findings.unknown(
            COVERAGE,
            "the server does not tell its settings",
            "with `yes`, the default, one missing node takes all limits down; to check it, permit it: `ACL SETUSER name +config|get`",
        ),
    }
}

/// Judges what the cluster says about itself. `all_reachable`: each node has replied to this command.
fn judge(facts: &Facts, all_reachable: bool, findings: &mut Findings) {
    let number = |name| facts.number(name).unwrap_or(0);
    let assigned = number("cluster_slots_assigned");
    let lost = number("cluster_slots_fail") + number("cluster_slots_pfail");
    if assigned < u64::from(SLOTS) {
        findings.problem(
            SLOTS_ROW,
            format!(
                "{} of {SLOTS} slots have no node: their limits are not decided",
                u64::from(SLOTS) - assigned
            ),
            "assign them: `redis-cli --cluster fix`",
        );
    } else if all_reachable && lost > 0 {
        findings.problem(
            SLOTS_ROW,
            format!("the other nodes cannot reach the nodes of {lost} slots"),
            "restart these nodes, or wait for a failover; `CLUSTER NODES` names them",
        );
    } else if all_reachable {
        findings.good(SLOTS_ROW, format!("none: {} primaries serve all slots", number("cluster_size")));
    }
    if facts.get("cluster_state").is_some_and(|state| state != "ok") {
        findings.problem(
            "cluster",
            "its state is not `ok`",
            "see `CLUSTER NODES`; calls for some slots fail",
        );
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
            judge(&Facts::read(facts), true, &mut findings);
            assert_eq!(findings.has_problem(), problem, "{facts}");
        }
    }
}
