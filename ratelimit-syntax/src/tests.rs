//! Tests the errors of attributes that differ only slightly from valid or invalid ones. `tests/ui` has each message once.

use crate::annotated::read;
use crate::async_trait::AsyncTraitBody;
use proc_macro2::{Delimiter, Group};

/// Checks that the errors of an attribute contain all words, which are separated by `|`. Without words, there must be no error.
fn says(arguments: &str, item: &str, words: &str) {
    let read = read(arguments.parse().unwrap(), item.parse().unwrap());
    let errors: String = read.errors.iter().map(|error| error.to_string() + "\n").collect();
    let as_expected =
        if words.is_empty() { errors.is_empty() } else { words.split('|').all(|word| errors.contains(word)) };
    assert!(as_expected, "#[rate_limit({arguments})] {item}\n{errors}");
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
