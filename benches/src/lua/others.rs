//! The subjects with which our scripts are compared: plain commands, scripts of tutorials, and scripts of other libraries.

use super::inputs::Inputs;
use super::subject::Subject;
use redis::{Cmd, Value, cmd};

pub(crate) const COUNTER: &str = "INCR + EXPIRE + PTTL";
pub(crate) const BUCKET: &str = "redis_rate";
pub(crate) const WINDOW: &str = "upstash sliding window";
pub(crate) const LOG: &str = "limits moving window";
pub(crate) const PERMITS: &str = "permits in a ZSET";

/// Returns all subjects. They have a limit of 100 per hour, or 100 permits with leases of one hour.
pub(crate) fn all() -> [Subject; 10] {
    [
        Subject::command("PING", "none", |_| cmd("PING"), |_| true),
        Subject::command("INCR", "incr", incr, is_positive),
        Subject::script("EVALSHA of return 1", "none", "return 1", key_and(&[]), is_positive),
        script("INCR + EXPIRE", include_str!("others/counter.lua"), &["3600"], is_positive),
        script(COUNTER, include_str!("others/counter_pttl.lua"), &["3600"], starts_positive),
        script(
            "tokens in a hash, stepwise",
            include_str!("others/stepwise_bucket.lua"),
            &["100", "1", "36000", "1"],
            starts_positive,
        ),
        script(BUCKET, include_str!("others/redis_rate.lua"), &["100", "100", "3600", "1"], starts_positive),
        Subject::script(
            WINDOW,
            WINDOW,
            include_str!("others/upstash_sliding_window.lua"),
            window,
            starts_positive,
        ),
        Subject::script(LOG, LOG, include_str!("others/limits_moving_window.lua"), log, is_positive),
        Subject::script(PERMITS, PERMITS, include_str!("others/permits.lua"), permit, starts_positive),
    ]
}

fn script(
    name: &'static str,
    text: &str,
    args: &'static [&'static str],
    passed: fn(&Value) -> bool,
) -> Subject {
    Subject::script(name, name, text, key_and(args), passed)
}

fn key_and(args: &'static [&'static str]) -> impl Fn(&mut Cmd, &mut Inputs) {
    move |command, inputs| {
        command.arg(1).arg(inputs.key()).arg(args);
    }
}

fn incr(inputs: &mut Inputs) -> Cmd {
    let mut command = cmd("INCR");
    command.arg(inputs.key());
    command
}

/// Adds the keys and arguments of upstash's sliding window. The previous cell has no calls, which is the cheaper case. If an
/// hour ends during the run, the current cell is empty, too.
fn window(command: &mut Cmd, inputs: &mut Inputs) {
    let (key, now) = (inputs.key(), Inputs::now_ms());
    let previous = format!("{}~", &key[..key.len() - 1]);
    command.arg(2).arg(key).arg(previous).arg(100).arg(now.to_string()).arg(3_600_000).arg(1);
}

fn log(command: &mut Cmd, inputs: &mut Inputs) {
    let now = Inputs::now_ms();
    let seconds = format!("{}.{:03}", now / 1000, now % 1000);
    command.arg(1).arg(inputs.key()).arg(seconds).arg(100).arg(3600).arg(1);
}

fn permit(command: &mut Cmd, inputs: &mut Inputs) {
    command.arg(1).arg(inputs.key()).arg(100).arg(3_600_000).arg(inputs.id());
}

fn is_positive(reply: &Value) -> bool {
    matches!(reply, Value::Int(1..))
}

fn starts_positive(reply: &Value) -> bool {
    matches!(reply, Value::Array(fields) if fields.first().is_some_and(is_positive))
}
