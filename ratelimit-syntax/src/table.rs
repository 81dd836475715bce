//! Lists the arguments. Parsing, messages, suggestions, completion and the documentation use this table.

mod exclusions;

pub use exclusions::{EXCLUSIONS, Exclusion};

use crate::rate;
use crate::suggest::suggest;
use proc_macro2::{TokenStream, TokenTree};

/// An argument: its name, its values, its default, and its names in other libraries.
pub struct Argument {
    pub name: &'static str,
    pub example: &'static str,
    takes: &'static str,
    default: &'static str,
    foreign: &'static [&'static str],
}

const fn argument(
    name: &'static str,
    example: &'static str,
    [takes, default]: [&'static str; 2],
    foreign: &'static [&'static str],
) -> Argument {
    Argument { name, example, takes, default, foreign }
}

impl Argument {
    /// Whether the argument is a word without a value.
    pub fn is_flag(&self) -> bool {
        !self.example.contains('=')
    }

    /// The text that an editor shows.
    pub fn hint(&self) -> String {
        let Self { example, takes, default, .. } = self;
        format!("`{example}`: {takes}. Default: {default}.")
    }
}

/// All arguments.
#[rustfmt::skip]
pub const ARGUMENTS: [Argument; 27] = [
    argument("key", "key = \"login\"",
        ["a string with placeholders", "the path of the function"], &["name", "prefix", "id"]),
    argument("time", "time = 60",
        ["seconds, `\"1h30m\"`, a `Duration`, or `\"month\"`", "`60`"],
        &["per", "window", "seconds", "period", "duration", "interval", "per_seconds", "ttl", "expire", "window_ms", "interval_ms", "period_ms", "limit_refresh_period", "refill_interval"]),
    argument("zone", "zone = \"+01:00\"",
        ["an offset from UTC", "`\"+00:00\"`"], &["timezone", "time_zone", "tz", "offset", "utc_offset"]),
    argument("count", "count = 100",
        ["a number", "`100`"],
        &["max", "rate", "requests", "permits", "quota", "limit_count", "calls", "max_requests", "amount", "limit_for_period", "refill_tokens", "refill_rate", "refill_amount"]),
    argument("by", "by = \"ip\"",
        ["`\"ip\"`, `\"user\"`, `\"header:..\"`, `\"global\"`, a value, or a tuple", "`\"global\"`"],
        &["per_ip", "ip", "identity", "key_by", "limit_type", "scope", "key_func", "key_generator"]),
    argument("algorithm", "algorithm = \"token_bucket\"",
        ["the name of an algorithm", "`\"counter\"`"], &["strategy", "algo", "kind", "method"]),
    argument("burst", "burst = 5",
        ["a number", "`count`"], &["capacity", "bucket_size", "max_burst", "burst_size"]),
    argument("refill", "refill = \"interval\"",
        ["`\"greedy\"`, `\"interval\"`", "`\"greedy\"`"], &["refill_mode"]),
    argument("borrow", "borrow = 5",
        ["a number", "`0`"], &["overdraft", "debt", "credit"]),
    argument("cost", "cost = 2",
        ["a number, or `learn(..)`", "`1`"], &["weight", "tokens", "units", "points"]),
    argument("keep", "keep = 20",
        ["a number", "`0`"], &["reserve", "reserved", "headroom", "spare", "leave", "priority"]),
    argument("fair", "fair = tenant.id",
        ["a value, or a tuple", "the first get all"],
        &["fairness", "fair_by", "fair_share", "share_by", "shared_by", "fair_queue"]),
    argument("wait", "wait = \"2s\"",
        ["a duration, as `time`", "calls are refused at once"],
        &["max_wait", "timeout", "max_delay", "delay", "patience", "queue", "timeout_duration"]),
    argument("skip_if", "skip_if = user.is_admin",
        ["an expression of type `bool`", "no call is exempt"],
        &["unless", "exempt", "exempt_if", "exempt_when", "bypass", "bypass_if", "when", "condition", "disabled"]),
    argument("refund_if", "refund_if = Result::is_err",
        ["a function from the result to `bool`", "the units stay charged"], &["refund", "skip_failed_requests"]),
    argument("settle", "settle = |result| ..",
        ["a function from the result to an unsigned integer", "`cost`"],
        &["true_cost", "actual_cost", "cost_after", "adjust"]),
    argument("pause_if", "pause_if = |answer| ..",
        ["a function from the result to `Option<Duration>`", "the result pauses nothing"],
        &["pause", "backoff", "back_off", "retry_after", "cool_down"]),
    argument("until", "until = \"body_end\"",
        ["`\"return\"`, `\"body_end\"`", "`\"return\"`"],
        &["hold_until", "held_until", "release", "release_on", "until_end", "lasts", "lifetime"]),
    argument("lease", "lease = 50",
        ["a number, or `\"auto\"`", "the store is asked each time"],
        &["prefetch", "batch", "local_quota", "chunk", "batch_size", "preload"]),
    argument("block", "block = \"15m\"",
        ["a duration, as `time`, or several that grow", "a refused caller may ask again at once"],
        &["ban", "ban_for", "block_for", "block_duration", "lockout", "penalty", "cooldown", "jail", "escalate"]),
    argument("shadow", "shadow = true",
        ["an expression of type `bool`", "`false`"],
        &["dry_run", "report_only", "log_only", "monitor", "observe", "dark"]),
    argument("limit", "limit = self.plan.limit",
        ["a [`Limit`](crate::Limit)", "the limit is made from the other arguments"], &["rule", "policy", "config"]),
    argument("on_limit", "on_limit = |rejection| ..",
        ["a function from a `Rejection`", "the error of the return type, by `From<Rejection>`"],
        &["fallback", "on_reject", "error", "or_else", "on_limited", "on_exceeded", "error_message", "fallback_method", "message", "handler"]),
    argument("fallible", "fallible",
        ["no value", "the function returns what it says"], &["result", "wrap_return", "with_result"]),
    argument("on_error", "on_error = \"deny\"",
        ["`\"local\"`, `\"allow\"`, `\"deny\"`", "the limiter's policy, else `\"local\"`"],
        &["fail_mode", "on_failure", "on_unavailable", "failure_policy"]),
    argument("limiter", "limiter = self.limits",
        ["a `RateLimiter`", "the scoped one, else the installed one"], &["store", "client", "backend", "redis", "storage", "storage_uri", "url"]),
    argument("crate", "crate = ::my::ratelimit",
        ["a path", "`::ratelimit`"], &["krate", "crate_path"]),
];

/// Arguments of other libraries that are values of arguments here.
const FOREIGN_VALUES: [(&str, &[&str]); 12] = [
    (
        "cost = learn(request.max_tokens), settle = |answer| ..",
        &["learn", "estimate", "estimator", "ceiling", "max_cost"],
    ),
    (
        "algorithm = \"concurrency\", count = 5",
        &["semaphore", "concurrency", "max_concurrent", "concurrent", "bulkhead", "in_flight"],
    ),
    ("time = 1, count = 10", &["per_second", "rps", "qps"]),
    ("time = \"1m\", count = 100", &["per_minute", "rpm"]),
    ("time = \"1h\", count = 1000", &["per_hour"]),
    ("time = \"1d\", count = 10000", &["per_day"]),
    ("by = \"user\"", &["user", "per_user"]),
    ("by = \"header:x-api-key\"", &["header", "api_key", "per_key"]),
    ("until = \"body_end\"", &["stream", "streaming", "hold", "body_end", "on_end"]),
    ("on_error = \"allow\"", &["fail_open", "ignore_errors"]),
    ("on_error = \"deny\"", &["fail_closed"]),
    ("on_error = \"local\"", &["in_memory_fallback"]),
];

/// Explains what to write instead of an unknown argument and its value.
pub fn unknown(name: &str, value: &TokenStream) -> String {
    let (plain, value) = (snake_case(name), literal(value));
    if ["near_limit", "near", "warn_at", "alert_at"].contains(&plain.as_str()) {
        return format!(
            "unknown argument `{name}`: the share is that of all limits of a limiter, so write `RateLimiter::builder().near_limit(0.8)`"
        );
    }
    if let Some(rate) = value.as_ref().and_then(|value| rate::read(value.trim_matches('"'))) {
        return format!("unknown argument `{name}`: write the rate as `{rate}`");
    }
    let number = value.as_deref().filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some((instead, _)) = FOREIGN_VALUES.iter().find(|(_, words)| words.contains(&plain.as_str())) {
        let instead = match (instead.rsplit_once("count = "), number) {
            (Some((before, _)), Some(number)) => format!("{before}count = {number}"),
            _ => (*instead).to_owned(),
        };
        return format!("unknown argument `{name}`: write `{instead}` instead");
    }
    if let ("window_ms" | "interval_ms" | "period_ms", Some(ms)) = (plain.as_str(), number) {
        return format!("unknown argument `{name}`: write `time = \"{ms}ms\"` instead");
    }
    let ours = ARGUMENTS.iter().find(|argument| argument.foreign.contains(&plain.as_str()));
    let Some(Argument { name: ours, takes, example, .. }) = ours else {
        return format!(
            "unknown argument `{name}`{}",
            suggest(&plain, ARGUMENTS.iter().map(|argument| argument.name))
        );
    };
    let example = match number.filter(|_| takes.contains("number") || takes.contains("seconds")) {
        Some(number) => format!("{ours} = {number}"),
        None => (*example).to_owned(),
    };
    format!("unknown argument `{name}`: here it is called `{ours}`, as in `{example}`")
}

/// The text of a value that is one literal. `None` for any other value.
fn literal(value: &TokenStream) -> Option<String> {
    let mut tokens = value.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Literal(literal)), None) => Some(literal.to_string()),
        _ => None,
    }
}

/// Translates names such as `windowMs`, which other languages use, to snake case.
fn snake_case(name: &str) -> String {
    let mut plain = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !plain.is_empty() {
            plain.push('_');
        }
        plain.extend(letter.to_lowercase());
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_this_table() {
        let documentation = include_str!("../../ratelimit-runtime/src/rate_limit.md");
        let table = documentation.split_once("|---|---|---|---|\n").unwrap().1;
        assert!(table.lines().nth(ARGUMENTS.len()).is_some_and(str::is_empty), "another number of rows");
        for (Argument { name, takes, default, .. }, row) in ARGUMENTS.iter().zip(table.lines()) {
            let row = row.replacen(") * |", ") |", 1);
            assert!(row.starts_with(&format!("| [`{name}`](#{name}) | {takes} | ")), "{name}: {takes}");
            assert!(row.ends_with(&format!(" | {default} |")), "{name}: {default}");
        }
        for Argument { name, .. } in &ARGUMENTS {
            assert!(documentation.contains(&format!("\n## `{name}`\n")), "`{name}` has no chapter");
        }
    }

    #[test]
    fn no_foreign_word_is_a_word_of_ours() {
        let values = FOREIGN_VALUES.iter().flat_map(|(_, words)| *words);
        for word in ARGUMENTS.iter().flat_map(|argument| argument.foreign).chain(values) {
            assert!(ARGUMENTS.iter().all(|argument| argument.name != *word), "{word}");
            let all = ARGUMENTS.iter().flat_map(|argument| argument.foreign);
            assert!(all.filter(|other| *other == word).count() <= 1, "{word} is more than one of ours");
        }
    }

    #[test]
    fn what_was_meant_is_written_out() {
        let said = |name, value: &str| unknown(name, &value.parse().unwrap());
        assert!(said("max", "5").ends_with("as in `count = 5`"));
        assert!(said("perSecond", "5").ends_with("write `time = 1, count = 5` instead"));
        assert!(said("windowMs", "60000").ends_with("write `time = \"60000ms\"` instead"));
        assert!(said("window", "\"1m\"").ends_with("as in `time = 60`"));
        assert!(said("rate", "\"10/minute\"").ends_with("write the rate as `time = \"1m\", count = 10`"));
        assert!(said("keyGenerator", "f").contains("called `by`"));
        assert!(said("near_limit", "0.8").ends_with("write `RateLimiter::builder().near_limit(0.8)`"));
        assert!(said("tiem", "60").ends_with("did you mean `time`?"));
    }
}
