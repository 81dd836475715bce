//! The arguments of the attribute: one table drives parsing, messages and suggestions.

use crate::errors::Errors;
use crate::suggest::suggest;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Meta, Token};

/// What an argument is called, what it takes, what it means to leave it out, and how people used to other libraries
/// call it. The table of the documentation and what editors show are made of this.
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
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
    /// What an editor shows of it.
    pub(crate) fn hint(&self) -> String {
        let Self { example, takes, default, .. } = self;
        format!("`{example}`: {takes}. Default: {default}.")
    }
}

/// Every argument there is.
#[rustfmt::skip]
pub(crate) const ARGUMENTS: [Argument; 21] = [
    argument("key", "key = \"login\"",
        ["a string with holes", "the path of the function"], &["name", "prefix", "id"]),
    argument("time", "time = 60",
        ["seconds, `\"1h30m\"`, or a `Duration`", "`60`"],
        &["per", "window", "seconds", "period", "duration", "interval", "per_seconds", "ttl", "expire"]),
    argument("count", "count = 100",
        ["a number", "`100`"],
        &["max", "rate", "requests", "permits", "quota", "limit_count", "calls", "max_requests", "amount"]),
    argument("by", "by = \"ip\"",
        ["`\"ip\"`, `\"user\"`, `\"header:..\"`, `\"global\"`, a value, or a tuple", "`\"global\"`"],
        &["per_ip", "ip", "identity", "key_by", "limit_type", "scope", "key_func"]),
    argument("algorithm", "algorithm = \"token_bucket\"",
        ["one of six words", "`\"counter\"`"], &["strategy", "algo", "kind", "method"]),
    argument("burst", "burst = 5",
        ["a number", "`count`"], &["capacity", "bucket_size", "max_burst", "burst_size"]),
    argument("refill", "refill = \"interval\"",
        ["`\"greedy\"`, `\"interval\"`", "`\"greedy\"`"], &["refill_mode"]),
    argument("borrow", "borrow = 5",
        ["a number", "`0`"], &["overdraft", "debt", "credit"]),
    argument("cost", "cost = 2",
        ["a number", "`1`"], &["weight", "tokens", "units", "points"]),
    argument("wait", "wait = \"2s\"",
        ["a duration, as `time`", "calls are refused at once"],
        &["max_wait", "timeout", "max_delay", "delay", "patience", "queue", "block"]),
    argument("skip_if", "skip_if = user.is_admin",
        ["an expression that gives `bool`", "no call is exempt"],
        &["unless", "exempt", "exempt_if", "exempt_when", "bypass", "bypass_if", "when", "condition", "disabled"]),
    argument("charge_if", "charge_if = Result::is_err",
        ["a function from the result to `bool`", "every call is charged"], &["count_if", "only_if", "increment_if"]),
    argument("refund_if", "refund_if = Result::is_err",
        ["a function from the result to `bool`", "nothing is given back"], &["refund", "skip_failed_requests"]),
    argument("settle", "settle = |result| ..",
        ["a function from the result to `u32`", "the cost is what it was said to be"],
        &["true_cost", "actual_cost", "cost_after", "adjust"]),
    argument("lease", "lease = 50",
        ["a number", "the store is asked each time"],
        &["prefetch", "batch", "local_quota", "chunk", "batch_size", "preload"]),
    argument("shadow", "shadow = true",
        ["an expression that gives `bool`", "`false`"],
        &["dry_run", "report_only", "log_only", "monitor", "observe", "dark"]),
    argument("limit", "limit = self.plan.limit",
        ["a [`Limit`](crate::Limit)", "the limit is given by its parts"], &["rule", "policy", "config"]),
    argument("on_limit", "on_limit = |rejection| ..",
        ["a function from a `Rejection`", "by the return type"],
        &["fallback", "on_reject", "error", "or_else", "on_limited", "on_exceeded", "error_message", "fallback_method"]),
    argument("on_error", "on_error = \"deny\"",
        ["`\"local\"`, `\"allow\"`, `\"deny\"`", "the limiter's, which is `\"local\"` unless said"],
        &["fail_mode", "on_failure", "on_unavailable", "failure_policy"]),
    argument("limiter", "limiter = self.limits",
        ["a `RateLimiter`", "the scoped one, else the installed one"], &["store", "client", "backend", "redis"]),
    argument("crate", "crate = ::my::ratelimit",
        ["a path", "`::ratelimit`"], &["krate", "crate_path"]),
];

/// The one argument without a value.
const SKIP: &str = "skip";

/// Words of other libraries that are a value of ours.
const FOREIGN_VALUES: [(&str, &[&str]); 10] = [
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
    ("on_error = \"allow\"", &["fail_open", "ignore_errors"]),
    ("on_error = \"deny\"", &["fail_closed"]),
    ("on_error = \"local\"", &["in_memory_fallback"]),
];

/// The arguments of one attribute, each at most once.
#[derive(Default)]
pub(crate) struct Arguments {
    given: Vec<Given>,
    /// The attribute, if it is not the topmost one, of which only the arguments are known.
    attribute: Option<Attribute>,
    /// Names that are none yet, or have no value yet.
    pub(crate) half_typed: Vec<Ident>,
    /// That a method is not limited by its block.
    pub(crate) skip: Option<Ident>,
    /// Whether all that stands there was understood, so that what is missing is really missing.
    pub(crate) complete: bool,
}

/// An argument with its value.
pub(crate) struct Given {
    argument: &'static Argument,
    pub(crate) name: Ident,
    value: Expr,
}

impl Given {
    pub(crate) fn example(&self) -> &'static str {
        self.argument.example
    }
}

impl Arguments {
    /// Reads what it can, and reports everything else.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut arguments = Self::default();
        let before = errors.count();
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let parsed = arguments.parse_one(input, errors);
                if let Err(error) = parsed.and_then(|()| end_of_argument(input)) {
                    errors.add(error);
                    skip_to_comma(input)?;
                }
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        };
        if let Err(error) = parser.parse2(tokens) {
            errors.add(error);
        }
        arguments.complete = errors.count() == before;
        arguments
    }

    /// Those of an attribute below the topmost one.
    pub(crate) fn of(attribute: Attribute, errors: &mut Errors) -> Self {
        let mut arguments = match &attribute.meta {
            Meta::Path(_) => Self { complete: true, ..Self::default() },
            Meta::List(list) => Self::parse(list.tokens.clone(), errors),
            Meta::NameValue(_) => {
                errors.on(&attribute, "expected parentheses, as in `#[rate_limit(time = 60, count = 5)]`");
                Self::default()
            }
        };
        arguments.attribute = Some(attribute);
        arguments
    }

    /// An error about the attribute as a whole.
    pub(crate) fn error(&self, errors: &mut Errors, message: impl std::fmt::Display) {
        match &self.attribute {
            Some(attribute) => errors.on(attribute, message),
            None => errors.at(Span::call_site(), message),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.argument.name == name)
    }

    /// Reports a `skip` where there is nothing to skip.
    pub(crate) fn check_skip(&self, errors: &mut Errors) {
        if let Some(skip) = &self.skip {
            errors.on(
                skip,
                "`skip` is for a method of an `impl` block that has `#[rate_limit(..)]`: remove this attribute",
            );
        }
    }

    /// Reports what is said beside `skip`, for a method that is not limited.
    pub(crate) fn check_skipped(&self, errors: &mut Errors) {
        for given in &self.given {
            let name = &given.name;
            errors.on(name, format!("`{name}` says nothing beside `skip`: remove one of them"));
        }
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Expr> {
        self.get(name).map(|given| &given.value)
    }

    fn parse_one(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(positional(input)));
        }
        let name = input.call(Ident::parse_any)?;
        if name == SKIP {
            if input.peek(Token![=]) {
                return Err(input.error("`skip` takes no value: write `#[rate_limit(skip)]`"));
            }
            self.skip = Some(name);
            return Ok(());
        }
        let Some(argument) = ARGUMENTS.iter().find(|argument| name == argument.name) else {
            errors.at(name.span(), unknown(&name.to_string()));
            self.half_typed.push(name);
            // Its value is looked at only to get past it.
            return skip_to_comma(input);
        };
        let assigned = input.parse::<Option<Token![=]>>()?.is_some();
        if !assigned || input.is_empty() || input.peek(Token![,]) {
            let message = format!("`{name}` needs a value: write `{}`", argument.example);
            self.half_typed.extend((!assigned).then(|| name.clone()));
            return Err(syn::Error::new(name.span(), message));
        }
        let value = bare(input.parse()?);
        if self.get(argument.name).is_some() {
            errors.at(name.span(), format!("`{name}` is given twice: remove one of them"));
        } else {
            self.given.push(Given { argument, name, value });
        }
        Ok(())
    }
}

/// A value without the parentheses around it, and without the invisible ones of `macro_rules`.
fn bare(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => bare(*group.expr),
        Expr::Paren(paren) => bare(*paren.expr),
        other => other,
    }
}

fn end_of_argument(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(input.error("expected `,` between two arguments"))
}

fn positional(input: ParseStream<'_>) -> &'static str {
    if input.peek(syn::LitStr) {
        "expected `name = value`: the name of the limit is `key = \"..\"`"
    } else if input.peek(syn::LitInt) {
        "expected `name = value`: the number of calls is `count = ..`, and the window in seconds `time = ..`"
    } else {
        "expected `name = value`, as in `key = \"login\", time = 60, count = 5`"
    }
}

fn unknown(name: &str) -> String {
    if let Some((instead, _)) = FOREIGN_VALUES.iter().find(|(_, words)| words.contains(&name)) {
        return format!("unknown argument `{name}`: here it is `{instead}`");
    }
    let ours = ARGUMENTS.iter().find(|argument| argument.foreign.contains(&name));
    match ours {
        Some(argument) => {
            format!(
                "unknown argument `{name}`: here it is called `{}`, as in `{}`",
                argument.name, argument.example
            )
        }
        None => format!(
            "unknown argument `{name}`{}",
            suggest(name, ARGUMENTS.iter().map(|argument| argument.name))
        ),
    }
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_accepted_by_the_parser() {
        for argument in &ARGUMENTS {
            let mut errors = Errors::default();
            let example = argument.example.replace("..", "0");
            let arguments = Arguments::parse(example.parse().unwrap(), &mut errors);
            assert!(errors.is_empty(), "{}", argument.example);
            assert!(arguments.get(argument.name).is_some(), "{}", argument.example);
        }
    }

    #[test]
    fn the_documentation_has_this_table() {
        let row = |argument: &Argument| {
            let Argument { name, takes, default, .. } = argument;
            format!("| [`{name}`](#{name}) | {takes} | {default} |\n")
        };
        let rows: String = ARGUMENTS.iter().map(row).collect();
        let documentation = include_str!("../../ratelimit-runtime/src/rate_limit.md");
        let head = "| argument | takes | default |\n|---|---|---|\n";
        assert!(documentation.contains(&format!("{head}{rows}\n")), "the table has to be\n{head}{rows}");
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
    fn one_mistake_does_not_hide_the_others() {
        let mut errors = Errors::default();
        let tokens =
            "\"login\", tiem = 60, count, by = , burst = 3, burst = 4, cost = 1 2, refill = \"greedy\"";
        let arguments = Arguments::parse(tokens.parse().unwrap(), &mut errors);
        assert_eq!(errors.into_compile_errors().to_string().matches("compile_error").count(), 6);
        assert!(arguments.get("burst").is_some() && arguments.get("refill").is_some());
    }
}
