//! Fuzz target `limit`: limits and their changes as text, which overrides, plans and published limits have in the store. What is read
//! is written as a text that has the same meaning, and a change applies to each algorithm or is refused.

use ratelimit::overrides::LimitChange;
use ratelimit::{Algorithm, Limit};

pub(super) fn run(text: &str) {
    if let Ok(limit) = text.parse::<Limit>() {
        assert!(
            limit.to_string().parse() == Ok(limit),
            "{text:?} is read as `{limit}`, which means something else"
        );
    }
    let Ok(change) = text.parse::<LimitChange>() else { return };
    assert!(
        change.to_string().parse() == Ok(change),
        "{text:?} is read as `{change}`, which means something else"
    );
    for limit in Algorithm::ALL.map(Limit::any_of) {
        let Ok(changed) = change.apply(&limit) else { continue };
        assert!(changed.to_string().parse() == Ok(changed), "{text:?} makes `{changed}` of `{limit}`");
        assert!(change.apply(&changed) == Ok(changed), "{text:?} changes `{changed}` once more");
    }
}
