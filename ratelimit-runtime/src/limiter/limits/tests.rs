//! Tests of the list of limits.

use super::*;
use crate::limit::LimitChange;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn the_first_limit_of_a_name_is_remembered_once() {
    let limiter = RateLimiter::in_memory();
    let of = |name: &str| limiter.limits().into_iter().find(|met| met.name() == name);
    assert_eq!(of("met once"), None);
    for _ in 0..3 {
        note("met once", &Limit::counter(1, SECOND), &limiter, Source { site: 1, place: None });
    }
    let met = of("met once").unwrap();
    assert_eq!((*met.in_code(), *met.limit()), (Limit::counter(1, SECOND), Limit::counter(1, SECOND)));
    assert_eq!((met.overridden(), met.varies()), (None, false));
}

#[test]
fn an_expression_with_two_values_varies() {
    let limiter = RateLimiter::in_memory();
    let varies = || {
        let limits = limiter.limits();
        limits.iter().find(|met| met.name() == "met twice").unwrap().varies()
    };
    note("met twice", &Limit::counter(1, SECOND), &limiter, Source::default());
    note("met twice", &Limit::counter(1, SECOND), &limiter, Source::default());
    assert!(!varies());
    note("met twice", &Limit::counter(2, SECOND), &limiter, Source::default());
    assert!(varies());
}

#[test]
fn two_attributes_with_one_name_and_two_limits_vary() {
    let limiter = RateLimiter::in_memory();
    let varies = || limiter.limits().iter().find(|met| met.name() == "met at two places").unwrap().varies();
    for site in [1, 2, 2, 1, 3] {
        note("met at two places", &Limit::counter(1, SECOND), &limiter, Source { site, place: None });
    }
    assert!(!varies());
    note("met at two places", &Limit::counter(2, SECOND), &limiter, Source { site: 4, place: None });
    assert!(varies());
}

#[test]
fn names_at_one_address_are_two_names() {
    let (all, part) = ("met at one address", &"met at one address"[..6]);
    let limiter = RateLimiter::in_memory();
    note(all, &Limit::counter(1, SECOND), &limiter, Source::default());
    note(part, &Limit::counter(2, SECOND), &limiter, Source::default());
    let limits = limiter.limits();
    assert!([all, part].iter().all(|name| limits.iter().any(|met| met.name() == *name)));
}

#[test]
fn the_limits_of_a_limiter_that_deny_are_known() {
    let [limiter, other] = [(); 2].map(|()| RateLimiter::in_memory());
    let denying = limiter.with_on_error(OnError::Deny);
    for (name, by) in [("met and open", &limiter), ("met and denying", &denying), ("met elsewhere", &other)] {
        note(name, &Limit::counter(1, SECOND), by, Source::default());
    }
    assert_eq!(limiter.denying_limits(), ["met and denying"]);
    assert_eq!(denying.denying_limits(), ["met and denying"]);
    assert!(other.denying_limits().is_empty());
}

#[tokio::test]
async fn an_override_that_fits_is_in_force() {
    let limiter = RateLimiter::in_memory();
    note("met and overridden", &Limit::counter(5, SECOND), &limiter, Source::default());
    let of = || limiter.limits().into_iter().find(|met| met.name() == "met and overridden").unwrap();
    limiter.overrides().set("met and overridden", LimitChange::new().count(2)).await.unwrap();
    assert_eq!(*of().limit(), Limit::counter(2, SECOND));
    assert_eq!(of().overridden(), Some(&LimitChange::new().count(2)));
    let burst = limiter.overrides().set("met and overridden", LimitChange::new().burst(2)).await;
    assert!(burst.is_err(), "a counter has no burst");
    assert_eq!(*of().limit(), Limit::counter(2, SECOND));
    assert_eq!(
        *RateLimiter::in_memory()
            .limits()
            .iter()
            .find(|met| met.name() == "met and overridden")
            .unwrap()
            .limit(),
        Limit::counter(5, SECOND)
    );
}
