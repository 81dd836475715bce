//! Our scripts, asked as the store asks them.

use super::draw::Draw;
use super::others;
use super::subject::{Kind, Subject};
use ratelimit::__testing;
use redis::{Cmd, Value};

/// How many requests the store puts into one call.
pub(crate) const SIZES: [usize; 4] = [2, 8, 32, 128];

/// A limit of ours, in the script's words.
#[derive(Clone, Copy)]
struct Limit {
    algorithm: &'static str,
    count: u32,
    time_ms: u32,
    /// `None` where its place is the permit's id.
    burst: Option<u32>,
    goal: Option<(f64, &'static str)>,
}

const fn limit(algorithm: &'static str, burst: u32) -> Limit {
    Limit { algorithm, count: burst, time_ms: 3_600_000, burst: Some(burst), goal: None }
}

/// 100 per hour, a bucket's rate in lowest terms.
const fn bucket(algorithm: &'static str, burst: u32) -> Limit {
    Limit { count: 1, time_ms: 36_000, ..limit(algorithm, burst) }
}

const LIMITS: [Limit; 6] = [
    Limit { goal: Some((1.0, others::COUNTER)), ..limit("counter", 100) },
    Limit { goal: Some((0.55, others::BUCKET)), ..bucket("token_bucket", 100) },
    bucket("leaky_bucket", 100),
    Limit { goal: Some((0.7, others::WINDOW)), ..limit("sliding_window", 100) },
    Limit { goal: Some((0.8, others::LOG)), ..limit("sliding_log", 100) },
    Limit { goal: Some((1.0, others::PERMITS)), burst: None, ..limit("concurrency", 100) },
];

/// Merged requests take many units at once.
const MERGED: [(&str, Limit); 3] = [
    ("merged counter", limit("counter", 1_000_000)),
    ("merged token_bucket", bucket("token_bucket", 1_000_000)),
    ("merged sliding_window", limit("sliding_window", 1_000_000)),
];

pub(crate) fn all() -> Vec<Subject> {
    let alone = LIMITS.map(|limit| match limit.goal {
        Some((ratio, beside)) => lone(limit).at_most(ratio, beside),
        None => lone(limit),
    });
    let by_decide = LIMITS.map(|limit| batch(limit.algorithm, limit, 1).several(Kind::Driven, 1));
    let batches = LIMITS
        .into_iter()
        .flat_map(|limit| SIZES.map(|size| batch(limit.algorithm, limit, size).several(Kind::Batch, size)));
    let merged = MERGED
        .into_iter()
        .flat_map(|(space, limit)| SIZES.map(|size| merged(space, limit, size).several(Kind::Merged, size)));
    alone.into_iter().chain(by_decide).chain(batches).chain(merged).map(Subject::ours).collect()
}

/// The script of a lone request.
fn lone(limit: Limit) -> Subject {
    // A meter is a bucket.
    let script = if limit.algorithm == "leaky_bucket" { "token_bucket" } else { limit.algorithm };
    let text = __testing::single_scripts().into_iter().find(|(name, _)| *name == script);
    let fill = move |command: &mut Cmd, draw: &mut Draw| {
        command.arg(1).arg(draw.key()).arg(limit.count).arg(limit.time_ms);
        match script {
            "token_bucket" => command.arg(limit.burst).arg(1),
            "concurrency" => command.arg(draw.id()),
            "sliding_log" => command,
            _ => command.arg(1),
        };
    };
    Subject::script(limit.algorithm, limit.algorithm, text.map_or("", |(_, text)| text), fill, passes_alone)
}

fn batch(name: impl Into<String>, limit: Limit, size: usize) -> Subject {
    let fill = move |command: &mut Cmd, draw: &mut Draw| {
        let keys: Vec<String> = (0..size).map(|_| draw.key()).collect();
        command.arg(size).arg(keys).arg("check");
        if limit.burst.is_some() {
            run(command, limit, draw);
            command.arg(size).arg(1);
        } else {
            // Each permit has an id of its own, and so a run of its own.
            for _ in 0..size {
                run(command, limit, draw);
                command.arg(1).arg(1);
            }
        }
    };
    Subject::script(name, limit.algorithm, decide(), fill, all_pass)
}

fn merged(space: &'static str, limit: Limit, size: usize) -> Subject {
    let fill = move |command: &mut Cmd, draw: &mut Draw| {
        command.arg(1).arg(draw.key()).arg("check");
        run(command, limit, draw);
        command.arg(format!("-{size}")).arg(1);
    };
    Subject::script(limit.algorithm, space, decide(), fill, some_pass)
}

fn run(command: &mut Cmd, limit: Limit, draw: &mut Draw) {
    let burst = limit.burst.map_or_else(|| draw.id(), u64::from);
    command.arg(limit.algorithm).arg(limit.count).arg(limit.time_ms).arg(burst).arg(0);
}

const fn decide() -> &'static str {
    let [decide, _] = __testing::scripts();
    decide
}

/// One integer, packed; below zero where it is refused.
fn passes_alone(reply: &Value) -> bool {
    matches!(reply, Value::Int(0..))
}

/// Four integers of 8 bytes per request, the first of them a delay.
fn all_pass(reply: &Value) -> bool {
    matches!(reply, Value::BulkString(bytes) if bytes.chunks(32).all(|one| one[..8] == [0; 8]))
}

/// The last integer tells when the others would pass: there are none.
fn some_pass(reply: &Value) -> bool {
    matches!(reply, Value::BulkString(bytes) if bytes.ends_with(&[0; 8]))
}
