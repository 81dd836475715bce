//! The subjects with our scripts. They make the same calls as the store.

use super::inputs::Inputs;
use super::others;
use super::subject::{Kind, Subject};
use ratelimit::__testing;
use redis::{Cmd, Value};

/// The numbers of requests in one call.
pub(crate) const SIZES: [usize; 4] = [2, 8, 32, 128];

/// A limit in the form of the scripts' arguments.
#[derive(Clone, Copy)]
struct Limit {
    algorithm: &'static str,
    count: u32,
    time_ms: u32,
    /// `None` if this argument is the id of a permit.
    burst: Option<u32>,
    /// The goal: the highest ratio to the cost of the named subject.
    goal: Option<(f64, &'static str)>,
}

const fn limit(algorithm: &'static str, burst: u32) -> Limit {
    Limit { algorithm, count: burst, time_ms: 3_600_000, burst: Some(burst), goal: None }
}

/// Returns a bucket with a rate of 100 per hour. The rate is reduced to 1 per 36 s.
const fn bucket(algorithm: &'static str, burst: u32) -> Limit {
    Limit { count: 1, time_ms: 36_000, ..limit(algorithm, burst) }
}

const LIMITS: [Limit; ratelimit::Algorithm::ALL.len()] = [
    Limit { goal: Some((1.0, others::COUNTER)), ..limit("counter", 100) },
    Limit { goal: Some((0.55, others::BUCKET)), ..bucket("token_bucket", 100) },
    bucket("leaky_bucket", 100),
    Limit { goal: Some((0.7, others::WINDOW)), ..limit("sliding_window", 100) },
    Limit { goal: Some((0.8, others::LOG)), ..limit("sliding_log", 100) },
    Limit { goal: Some((1.0, others::PERMITS)), burst: None, ..limit("concurrency", 100) },
];

/// The limits for merged requests, which take many units at once.
const MERGED: [(&str, Limit); 3] = [
    ("merged counter", limit("counter", 1_000_000)),
    ("merged token_bucket", bucket("token_bucket", 1_000_000)),
    ("merged sliding_window", limit("sliding_window", 1_000_000)),
];

pub(crate) fn all() -> Vec<Subject> {
    let single = LIMITS.map(|limit| match limit.goal {
        Some((ratio, beside)) => single_request(limit).at_most(ratio, beside),
        None => single_request(limit),
    });
    let by_decide = LIMITS.map(|limit| batch(limit.algorithm, limit, 1).several(Kind::ByDecide, 1));
    let batches = LIMITS
        .into_iter()
        .flat_map(|limit| SIZES.map(|size| batch(limit.algorithm, limit, size).several(Kind::Batch, size)));
    let merged = MERGED
        .into_iter()
        .flat_map(|(space, limit)| SIZES.map(|size| merged(space, limit, size).several(Kind::Merged, size)));
    single.into_iter().chain(by_decide).chain(batches).chain(merged).map(Subject::ours).collect()
}

/// Returns a subject that calls the small script for a single request.
fn single_request(limit: Limit) -> Subject {
    // A leaky bucket that does not wait uses the script of the token bucket.
    let script = if limit.algorithm == "leaky_bucket" { "token_bucket" } else { limit.algorithm };
    let text = __testing::single_scripts().into_iter().find(|(name, _)| *name == script);
    let fill = move |command: &mut Cmd, inputs: &mut Inputs| {
        command.arg(1).arg(inputs.key()).arg(limit.count).arg(limit.time_ms);
        match script {
            "token_bucket" => command.arg(limit.burst).arg(1),
            "concurrency" => command.arg(inputs.id()),
            "sliding_log" => command,
            _ => command.arg(1),
        };
    };
    Subject::script(limit.algorithm, limit.algorithm, text.map_or("", |(_, text)| text), fill, single_passes)
}

/// Returns a subject that calls `decide` with several requests, each with its own key.
fn batch(name: impl Into<String>, limit: Limit, size: usize) -> Subject {
    let fill = move |command: &mut Cmd, inputs: &mut Inputs| {
        let keys: Vec<String> = (0..size).map(|_| inputs.key()).collect();
        command.arg(size).arg(keys).arg("check").arg(size);
        if limit.burst.is_some() {
            run(command, limit, inputs);
            command.arg(size).arg(1).arg(0);
        } else {
            // A run is a sequence of requests with the same limit. The id of a permit is sent like a number of the limit,
            // so each permit needs its own run.
            for _ in 0..size {
                run(command, limit, inputs);
                command.arg(1).arg(1).arg(0);
            }
        }
    };
    Subject::script(name, limit.algorithm, decide(), fill, all_pass)
}

/// Returns a subject that calls `decide` with merged requests.
fn merged(space: &'static str, limit: Limit, size: usize) -> Subject {
    let fill = move |command: &mut Cmd, inputs: &mut Inputs| {
        command.arg(1).arg(inputs.key()).arg("check").arg(1);
        run(command, limit, inputs);
        command.arg(format!("-{size}")).arg(1).arg(0);
    };
    Subject::script(limit.algorithm, space, decide(), fill, merged_pass)
}

/// Adds the limit of a run: the arguments that all requests of the run share.
fn run(command: &mut Cmd, limit: Limit, inputs: &mut Inputs) {
    let burst = limit.burst.map_or_else(|| inputs.id(), u64::from);
    command.arg(limit.algorithm).arg(limit.count).arg(limit.time_ms).arg(burst).arg(0);
}

const fn decide() -> &'static str {
    let [decide, _] = __testing::scripts();
    decide
}

/// Returns whether a single request passes. Its reply is one integer, which is negative for a refusal.
fn single_passes(reply: &Value) -> bool {
    matches!(reply, Value::Int(0..))
}

/// Returns whether all requests pass. The reply then contains no negative delay.
fn all_pass(reply: &Value) -> bool {
    matches!(reply, Value::BulkString(bytes) if bytes.chunks(8).all(|number| number[7] < 0x80))
}

/// Returns whether all merged requests pass. The last number of the reply is then 0.
fn merged_pass(reply: &Value) -> bool {
    matches!(reply, Value::BulkString(bytes) if bytes.ends_with(&[0; 8]))
}
