//! Describes a checked attribute as an entry of the manifest.

use crate::manifest::{Entry, expression};
use ratelimit_syntax::model::{self, Identity, Limit, Member, Model, RequestPart, Shadow, Until, Verdict};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::{Expr, Lit};

/// Describes the limit of a member of a model. `path` is the path of the function, without the type of a method.
pub(super) fn describe(model: &Model, member: &Member, path: &str) -> Entry {
    let base = member.key.as_ref().map_or_else(|| path.to_owned(), |key| key.text.value());
    let name = match member.shadow {
        Shadow::Always => member.shadow_name(&base),
        Shadow::Never | Shadow::If(_) => member.refusing_name(&base),
    };
    let judged = |verdict| {
        let judge = member.afterwards.as_ref().filter(|afterwards| afterwards.verdict == verdict);
        judge.map(|afterwards| written(&afterwards.judge))
    };
    let shadow = match &member.shadow {
        Shadow::Never => None,
        Shadow::Always => Some("always".into()),
        Shadow::If(condition) => Some(written(condition)),
    };
    let others = [
        ("by", Some(by(member))),
        ("cost", member.cost.as_ref().map(units)),
        ("keep", member.keep.as_ref().map(units)),
        ("fair", fair(member)),
        ("skip_if", member.skip_if.as_ref().map(written)),
        ("refund_if", judged(Verdict::RefundIf)),
        ("settle", judged(Verdict::Settle)),
        ("pause_if", member.pause_if.as_ref().map(written)),
        ("until", (member.until == Until::BodyEnd).then(|| "body_end".into())),
        ("shadow", shadow),
        ("on_error", model.on_error.map(|policy| policy.name().to_lowercase().into())),
        ("limiter", model.limiter.as_ref().map(written)),
    ];
    let all = numbers(&member.limit).into_iter().chain(others);
    let arguments = all.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    Entry { name, has_key: member.key.is_some(), arguments, ..Entry::default() }
}

/// Describes who shares the limit in equal parts. `None` if nobody does.
fn fair(member: &Member) -> Option<Value> {
    match member.fair.as_slice() {
        [] => None,
        [value] => Some(written(value)),
        values => Some(values.iter().map(written).collect()),
    }
}

fn written(value: &Expr) -> Value {
    expression(text(value))
}

fn numbers(limit: &Limit) -> Vec<(&'static str, Option<Value>)> {
    let numbers = match limit {
        Limit::Numbers(numbers) => &**numbers,
        Limit::Value(value) => return vec![("limit", Some(written(value)))],
    };
    let given = numbers.given.iter().map(|(number, value)| (number.as_str(), Some(number_of_limit(value))));
    [("algorithm", Some(numbers.algorithm.as_str().into()))].into_iter().chain(given).collect()
}

fn number_of_limit(value: &model::Value) -> Value {
    match value {
        model::Value::Units(units, _) => (*units).into(),
        model::Value::Steps(steps) => steps.iter().map(number_of_limit).collect(),
        model::Value::Written(value, _) => written(value),
        literal => literal.text().into(),
    }
}

fn units(units: &Expr) -> Value {
    if let Expr::Lit(literal) = units
        && let Lit::Int(number) = &literal.lit
        && let Ok(number) = number.base10_parse::<u32>()
    {
        return number.into();
    }
    written(units)
}

fn by(member: &Member) -> Value {
    let values = member.identities().iter().map(|identity| match identity {
        Identity::Part(RequestPart::Ip, _) => "ip".into(),
        Identity::Part(RequestPart::User, _) => "user".into(),
        Identity::Part(RequestPart::Header(name), _) => format!("header:{name}").into(),
        Identity::Value(value) => written(value),
    });
    let values: Vec<Value> = values.collect();
    if values.is_empty() { ["global"][..].into() } else { values.into() }
}

/// The text of an expression as it is written, on one line. Comments in it are left out.
pub(super) fn text(tokens: &(impl Spanned + quote::ToTokens)) -> String {
    let written = tokens.span().source_text().filter(|text| !text.contains("//") && !text.contains("/*"));
    let text = written.unwrap_or_else(|| tokens.to_token_stream().to_string());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
