//! One sentence on what has happened to the calls of a handler. Other processes may share its limits, so it says
//! what was seen, not what was planned.

use crate::story::{Scene, Visit};
use hyper::StatusCode;

/// What the reader should notice in the table.
pub(crate) fn explain(scene: &Scene) -> String {
    let calls = scene.visits.iter().flat_map(|visit| &visit.calls);
    let undecided = calls.filter(|call| !is_decided(call.answer.status)).count();
    if undecided > 0 {
        return format!("{undecided} of the {}s could not be decided.", scene.noun);
    }
    let mut visits = scene.visits.iter();
    let first = visits.next().map(|visit| fate(scene, visit));
    let clauses: Vec<_> = first.into_iter().chain(visits.map(contrast)).collect();
    clauses.join("; ") + "."
}

fn is_decided(status: StatusCode) -> bool {
    matches!(status, StatusCode::OK | StatusCode::TOO_MANY_REQUESTS)
}

/// What became of those who called most.
fn fate(scene: &Scene, visit: &Visit) -> String {
    let Scene { noun, pace, capacity, .. } = scene;
    let who = &visit.who;
    match passed_before_refusal(visit) {
        None => format!("All {} {noun}s of {who} passed", visit.calls.len()),
        Some(passed) if passed < *capacity as usize => format!(
            "The {} {noun} of {who} was refused already, because calls of other processes count too",
            ordinal(passed)
        ),
        Some(passed) => format!("The {} {noun} of {who} {pace} was refused", ordinal(passed)),
    }
}

/// What became of the others.
fn contrast(visit: &Visit) -> String {
    let outcome = match passed_before_refusal(visit) {
        None => "and passed",
        Some(_) => "which is used up by now",
    };
    format!("{} has its own limit, {outcome}", visit.who)
}

fn passed_before_refusal(visit: &Visit) -> Option<usize> {
    visit.calls.iter().position(|call| call.answer.status == StatusCode::TOO_MANY_REQUESTS)
}

/// Counted from zero.
fn ordinal(index: usize) -> String {
    let words = ["first", "second", "third", "fourth", "fifth", "sixth"];
    words.get(index).map_or_else(|| format!("{}th", index + 1), |word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Answer;
    use crate::story::{Call, HOME};

    fn visit(who: &str, statuses: &[u16]) -> Visit {
        let call = |status: &u16| Call {
            caller: HOME,
            request: String::new(),
            answer: Answer { status: StatusCode::from_u16(*status).unwrap(), retry_after: None },
            remaining: None,
        };
        Visit { who: who.to_owned(), calls: statuses.iter().map(call).collect() }
    }

    fn sentence(first: &[u16], other: &[u16]) -> String {
        explain(&Scene {
            attribute: String::new(),
            noun: "login",
            pace: "within a minute",
            capacity: 2,
            visits: vec![visit("ann", first), visit("bob", other)],
        })
    }

    #[test]
    fn a_run_that_is_alone_uses_the_whole_limit() {
        assert_eq!(
            sentence(&[200, 200, 429], &[200]),
            "The third login of ann within a minute was refused; bob has its own limit, and passed."
        );
    }

    #[test]
    fn a_run_that_is_not_alone_says_so() {
        let others = "because calls of other processes count too";
        assert_eq!(
            sentence(&[429, 429, 429], &[429]),
            format!(
                "The first login of ann was refused already, {others}; bob has its own limit, which is used up by now."
            )
        );
        assert_eq!(
            sentence(&[200, 429, 200], &[200]),
            format!(
                "The second login of ann was refused already, {others}; bob has its own limit, and passed."
            )
        );
    }

    #[test]
    fn nothing_is_made_up() {
        assert_eq!(
            sentence(&[200, 200, 200], &[200]),
            "All 3 logins of ann passed; bob has its own limit, and passed."
        );
        assert_eq!(sentence(&[200, 503, 429], &[503]), "2 of the logins could not be decided.");
    }
}
