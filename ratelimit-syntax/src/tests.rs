//! Tests the errors of attributes that differ only slightly from valid or invalid ones. `tests/ui` has each message once.

use crate::annotated::read;
use crate::async_trait::AsyncTraitBody;
use crate::model::{Algorithm, Number};
use crate::table::{ARGUMENTS, Argument, EXCLUSIONS, Exclusion};
use proc_macro2::{Delimiter, Group};
use std::collections::BTreeSet;

/// Checks that the errors of an attribute contain all words, which are separated by `|`. Without words, there must be no error.
fn says(arguments: &str, item: &str, words: &str) {
    let read = read(arguments.parse().unwrap(), item.parse().unwrap());
    let errors: String = read.errors.iter().map(|error| error.to_string() + "\n").collect();
    let as_expected =
        if words.is_empty() { errors.is_empty() } else { words.split('|').all(|word| errors.contains(word)) };
    assert!(as_expected, "#[rate_limit({arguments})] {item}\n{errors}");
}

/// If two arguments have an error that none of them has alone, the table has the pair, or both are numbers or `fair`, whose rules
/// are in the crate of limits.
#[test]
fn each_pair_that_excludes_each_other_is_in_the_table() {
    let errors = |arguments: &[&str]| -> BTreeSet<String> {
        let read = read(arguments.join(", ").parse().unwrap(), "async fn f() -> u32 {}".parse().unwrap());
        read.errors.iter().map(ToString::to_string).collect()
    };
    let has_rules = |argument: &str| {
        let name = argument.split(' ').next().unwrap();
        name == "fair" || Number::named(name).is_some()
    };
    let (mut expected, mut found) = (BTreeSet::new(), BTreeSet::new());
    for Exclusion { names, other, .. } in EXCLUSIONS {
        expected.extend(names.iter().map(|name| format!("`{name}` and `{other}` exclude each other")));
    }
    let mut check = |one: &str, other: &str, algorithm: &[&str]| {
        let alone = [one, other].map(|argument| errors(&[&[argument], algorithm].concat()));
        for error in errors(&[&[one, other], algorithm].concat()) {
            let row = expected.iter().find(|start| error.starts_with(*start));
            // An algorithm does not take each argument, which the crate of limits says.
            let is_elsewhere =
                has_rules(one) && has_rules(other) || other.starts_with("algorithm") && row.is_none();
            if !alone.iter().any(|alone| alone.contains(&error)) && !is_elsewhere {
                found.insert(row.unwrap_or_else(|| panic!("{one}, {other}: {error}")).clone());
            }
        }
    };
    let examples: Vec<String> =
        ARGUMENTS.iter().map(|argument| argument.example.replace("..", "0").replace("20", "1")).collect();
    for algorithm in Algorithm::ALL.map(|algorithm| format!("algorithm = \"{}\"", algorithm.as_str())) {
        let others = examples.iter().filter(|example| !example.starts_with("algorithm"));
        for (at, one) in others.clone().enumerate() {
            check(one, &algorithm, &[]);
            others.clone().take(at).for_each(|other| check(one, other, &[&algorithm]));
        }
    }
    assert_eq!(found, expected);
}

/// Lists that are not made from the tables name all numbers, arguments and algorithms.
#[test]
fn no_list_lacks_a_name() {
    let [manifest, text, attribute, guide, playground, words] = [
        include_str!("../../ratelimit-runtime/docs/cargo-ratelimit.md"),
        include_str!("../../ratelimit-runtime/docs/algorithms.md"),
        include_str!("../../ratelimit-runtime/src/rate_limit.md"),
        include_str!("../../lua/README.md"),
        include_str!("../../playground/page.html"),
        include_str!("../../fuzz/dictionary.txt"),
    ]
    .map(|page| page.replace('\n', " "));
    let numbers = Number::ALL.map(|number| format!("`{}`", number.as_str()));
    let (last, others) = numbers.split_last().unwrap();
    assert!(manifest.contains(&format!("| `algorithm`, {} |", numbers.join(", "))));
    assert!(attribute.contains(&format!("It replaces `algorithm`, {} and {last}.", others.join(", "))));
    assert!(text.contains(&format!("{} and {last} may be left out", others[2..].join(", "))));
    for Argument { name, .. } in &ARGUMENTS {
        assert!(words.contains(&format!("\"{name} = \"")), "{name}");
    }
    for algorithm in Algorithm::ALL {
        let name = algorithm.as_str();
        assert!(words.contains(&format!("\"\\\"{name}\\\"\"")), "{name}");
        assert!(text.contains(&format!("| `\"{name}\"` |")), "{name}");
        assert!(attribute.contains(&format!("- `\"{name}\"`: ")), "{name}");
        assert!(guide.contains(&format!("`{name}.lua`")), "{name}");
        // Permits cannot be simulated.
        assert!(algorithm.is_concurrency() || playground.contains(&format!("value=\"{name}\"")), "{name}");
    }
}

#[test]
fn values_are_judged() {
    for (arguments, words) in [
        ("refnil = 1", "did you mean `refill`?"),
        ("by = a.get()", ""),
        ("by = a.to_string(b)", ""),
        ("by = a.to_string()", "hides the type"),
        ("refund_if = result.ok", "takes a function of the result"),
        ("count = 5, cost = 5", ""),
        ("count = 5, cost = 6", "raise `count` to 6"),
        ("count = 5, keep = 4", ""),
        ("count = 5, keep = 5", "raise `count` to 6"),
        ("algorithm = \"token_bucket\", count = 5, wait = \"1s\", keep = 5", "raise `count` to 6"),
        ("algorithm = \"token_bucket\", fair = a.id", ""),
        ("algorithm = \"leaky_bucket\", fair = (a.id, a.kind), by = a.region", ""),
        ("fair = a.id", "needs a bucket whose units come back one by one"),
        (
            "algorithm = \"token_bucket\", refill = \"interval\", fair = a.id",
            "remove `refill = \"interval\"`",
        ),
        ("algorithm = \"token_bucket\", wait = \"1s\", fair = a.id", "`fair` and `wait` exclude each other"),
        ("algorithm = \"token_bucket\", lease = 9, fair = a.id", "`fair` and `lease` exclude each other"),
        (
            "algorithm = \"token_bucket\", by = a, block = \"1m\", fair = a.id",
            "`fair` and `block` exclude each other",
        ),
        ("algorithm = \"token_bucket\", fair = \"ip\"", "`fair` takes a value of the function"),
        ("algorithm = \"token_bucket\", fair = 7", "a constant in `fair` is the same for every caller"),
        ("algorithm = \"token_bucket\", fair = a.id, by = a.id", "`fair` and `by` have the same value"),
        ("algorithm = \"token_bucket\", fair = a.to_string()", "hides the type"),
        ("time = 5q", "`time` must be"),
        ("time = 5m", "needs quotes"),
    ] {
        says(arguments, "async fn f(a: A) -> Result<(), E> {}", words);
    }
    says(
        "fallible",
        "async fn f() -> (Result<A, E>) {}",
        "`fallible` is for a function that returns a plain value",
    );
    says("fallible", "impl A for B { async fn f() {} }", "the trait of this method says what it returns");
    says("fallible", "impl<F: for<'a> A<'a>> B<F> { async fn f() {} }", "");
}

#[test]
fn names_in_patterns_are_known() {
    for argument in [
        "(a): A",
        "&a: &A",
        "[a, b]: A",
        "(a, _): A",
        "A { a }: A",
        "(A(a) | B(a)): A",
        "A(1, 2..=3, B::C, ..): A",
    ] {
        says("key = \"{x}\"", &format!("async fn f({argument}) {{}}"), "`{x}` in `key` names no argument");
    }
    says("key = \"{x}\"", "async fn f(m!(): A) {}", "");
}

#[test]
fn limits_of_a_stack_are_compared() {
    for (above, below, words) in [
        ("count = 10", "count = 900", "never refuses"),
        ("count = 10", "count = 300", ""),
        ("count = 10, shadow = a", "count = 900, shadow = a", "never refuses"),
        ("count = 10, shadow = a", "count = 900, shadow = b", ""),
        ("count = 10, by = a", "count = 900, by = a", "never refuses"),
        ("count = 10, by = a", "count = 900, by = b", ""),
        ("count = 10, cost = a", "count = 900, cost = a", "never refuses"),
        ("count = 10, cost = a", "count = 900, cost = b", ""),
        ("count = 10, skip_if = a", "count = 900, skip_if = b", ""),
        ("by = \"ip\", count = A", "by = \"ip\", time = B, algorithm = \"token_bucket\"", "/token_bucket\""),
    ] {
        let time = if below.contains("time") { "" } else { ", time = 60" };
        let item = format!("#[rate_limit({below}{time})] async fn f(a: A, b: A) -> Result<(), E> {{}}");
        let time = if below.contains("time") { ", time = A" } else { ", time = 1" };
        says(&format!("{above}{time}"), &item, words);
    }
}

#[test]
fn a_body_that_has_a_guard_is_known() {
    let already = "has already limited this function";
    for (body, words) in [
        ("::ratelimit::__private::Call::start(a)", already),
        ("::ratelimit::__private::Check::of_site(a)", already),
        ("{ ::ratelimit::__private::Check::of_site(a) }", already),
        ("a::Call::start(b)", ""),
        ("__private::start(b)", ""),
    ] {
        says("count = 5", &format!("async fn f() {{ {body} }}"), words);
    }
}

#[test]
fn the_code_of_the_user_is_found_in_that_of_async_trait() {
    for (body, found) in [
        ("Box::pin(async move { let __ret: R = { a }; __ret })", Some("{ a }")),
        ("Box::pin(async move { let b = b; let __ret: [u8; { 1 }] = { a }; __ret })", Some("{ a }")),
        ("Box::pin(async move { let _: () = { a }; })", Some("{ a }")),
        ("Box::pin(async move { let _: () = { a }; b })", None),
        ("Box::pin(async move { let b: () = { a }; })", None),
        ("Box::pin(async move { let b = { a }; })", None),
        ("Box::new(async move { let __ret: R = { a }; __ret })", None),
        ("Box::pin(async { let __ret: R = { a }; __ret })", None),
    ] {
        let body = AsyncTraitBody::find(&Group::new(Delimiter::Brace, body.parse().unwrap()));
        let user = body.and_then(|body| body.user_body()).map(|user| user.to_string());
        assert_eq!(user.as_deref(), found);
    }
}
