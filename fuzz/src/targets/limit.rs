//! Fuzz target `limit`: reads limits and their changes as text. Overrides, plans and published limits have this form in the
//! store. A value that was read must be written as a text with the same meaning. A change must apply to each algorithm, or be
//! refused.

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
