//! Describes a checked attribute as an entry of the manifest.

use super::text::text;
use crate::manifest::{Entry, Numbers, Value};
use ratelimit_syntax::model::{
    Identity, Lease, Limit, LimitNumbers, Member, Model, Number, Refill, RequestPart, Shadow, Time, Until,
    Verdict,
};
use syn::Expr;

/// What a member of a model says about its limit. `path` is the path of the function, without the type of a method.
pub(super) fn describe(model: &Model, member: &Member, path: &str) -> Entry {
    let base = member.key.as_ref().map_or_else(|| path.to_owned(), |key| key.text.value());
    let name = match member.shadow {
        Shadow::Always => member.shadow_name(&base),
        Shadow::Never | Shadow::If(_) => member.refusing_name(&base),
    };
    let judged = |verdict| {
        let judge = member.afterwards.as_ref().filter(|afterwards| afterwards.verdict == verdict);
        judge.map(|afterwards| expression(&afterwards.judge))
    };
    Entry {
        name,
        has_key: member.key.is_some(),
        numbers: numbers(&member.limit),
        by: by(member),
        cost: member.cost.as_ref().map(cost),
        skip_if: member.skip_if.as_ref().map(expression),
        charge_if: judged(Verdict::ChargeIf),
        refund_if: judged(Verdict::RefundIf),
        settle: judged(Verdict::Settle),
        until: (member.until == Until::BodyEnd).then(|| Value::text("body_end")),
        shadow: match &member.shadow {
            Shadow::Never => None,
            Shadow::Always => Some(Value::text("always")),
            Shadow::If(condition) => Some(expression(condition)),
        },
        on_error: model.on_error.map(|policy| Value::text(policy.name().to_lowercase())),
        limiter: model.limiter.as_ref().map(expression),
        ..Entry::default()
    }
}

fn expression(value: &Expr) -> Value {
    Value::expression(text(value))
}

fn numbers(limit: &Limit) -> Numbers {
    let numbers = match limit {
        Limit::Numbers(numbers) => &**numbers,
        Limit::Value(value) => return Numbers { limit: Some(expression(value)), ..Numbers::default() },
    };
    let LimitNumbers { algorithm, count, time, burst, refill, borrow, wait, lease } = numbers;
    Numbers {
        limit: None,
        algorithm: Some(Value::text(algorithm.as_str())),
        count: Some(number(count)),
        time: Some(self::time(time)),
        burst: burst.as_ref().map(number),
        refill: matches!(refill, Refill::Interval).then(|| Value::text("interval")),
        borrow: borrow.as_ref().map(number),
        wait: wait.as_ref().map(self::time),
        lease: lease.as_ref().map(|lease| match lease {
            Lease::Most(units) => number(units),
            Lease::Auto(_) => Value::text("auto"),
        }),
    }
}

fn number(number: &Number) -> Value {
    match number {
        Number::Literal(number, _) => Value::Number(*number),
        Number::Value(value, _) => expression(value),
    }
}

fn time(time: &Time) -> Value {
    match time {
        Time::Millis(..) => Value::text(time.text().unwrap_or_default()),
        Time::Value(value, _) => expression(value),
    }
}

fn cost(cost: &Expr) -> Value {
    let literal = match cost {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    };
    literal.map_or_else(|| expression(cost), Value::Number)
}

fn by(member: &Member) -> Vec<Value> {
    let values = member.identities().iter().map(|identity| match identity {
        Identity::Part(RequestPart::Ip, _) => Value::text("ip"),
        Identity::Part(RequestPart::User, _) => Value::text("user"),
        Identity::Part(RequestPart::Header(name), _) => Value::text(format!("header:{name}")),
        Identity::Value(value) => expression(value),
    });
    let values: Vec<Value> = values.collect();
    if values.is_empty() { vec![Value::text("global")] } else { values }
}
