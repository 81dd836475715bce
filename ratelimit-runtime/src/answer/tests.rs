//! Tests the answers to all rejections, in all forms, byte for byte.

use super::*;
use crate::answer::Answers;
use crate::context::{RecordedDecision, RequestContext};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::Name;
use crate::limit::Limit;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const LIMIT: Limit = Limit::counter(5, MINUTE);

fn limited(name: &'static str, wait: Option<Duration>) -> Rejection {
    Rejection::limited(Name::of_site(name), Decision::refuse(&LIMIT, 0, wait, MINUTE))
}

fn unidentified() -> Rejection {
    Rejection::undecided(Name::written("login"), Error::new(ErrorKind::NoIdentity, "no header x"))
}

fn unavailable() -> Rejection {
    Rejection::undecided(
        Name::written("login"),
        Error::new(ErrorKind::Configuration, "redis.internal is away"),
    )
}

fn refused(name: &'static str) -> RecordedDecision {
    let decision = Decision::refuse(&LIMIT, 0, Some(MINUTE), MINUTE);
    RecordedDecision { name: Name::of_site(name).into(), limit: LIMIT, cost: 1, decision, key: 0 }
}

fn admitted(name: &'static str) -> RecordedDecision {
    RecordedDecision { decision: Decision::allow(&LIMIT, 4, MINUTE), ..refused(name) }
}

fn answer(rejection: &Rejection, form: Answers, decisions: Vec<RecordedDecision>) -> Answer {
    let context = RequestContext::new().with_answers(form);
    context.record(decisions);
    rejection.answer_in(Some(&context))
}

fn no_permit() -> Rejection {
    let minute = Duration::from_secs(60);
    let decision = Decision::refuse(&Limit::concurrency(5, minute), 0, Some(minute), minute);
    Rejection::limited(Name::written("exports"), decision)
}

fn problem(rejection: &Rejection, decisions: Vec<RecordedDecision>) -> (u16, Option<u64>, String) {
    let answer = answer(rejection, Answers::problem_json(), decisions);
    assert_eq!(answer.content_type, "application/problem+json");
    let _: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    (answer.status, answer.retry_after, String::from_utf8(answer.body).expect("UTF-8"))
}

/// Returns the problem details of an exceeded limit. `rest` follows the status.
fn exceeded(rest: &str) -> String {
    format!(
        r#"{{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded","status":429{rest}}}"#
    )
}

#[test]
fn text() {
    for (rejection, status, retry_after, body) in [
        (
            limited("login", Some(Duration::from_millis(41_001))),
            429,
            Some(42),
            "too many requests: try again in 42 seconds",
        ),
        (
            limited("login", Some(Duration::from_millis(1))),
            429,
            Some(1),
            "too many requests: try again in 1 second",
        ),
        (
            limited("login", Some(Duration::from_secs(50 * 3600))),
            429,
            Some(180_000),
            "too many requests: try again in 3 days",
        ),
        (limited("login", None), 429, None, "this request is larger than its rate limit allows"),
        (no_permit(), 429, None, "too many requests at the same time: try again later"),
        (unidentified(), 400, None, "this request does not say who calls"),
        (unavailable(), 503, Some(1), "temporarily unavailable: try again in 1 second"),
    ] {
        let expected = Answer {
            status,
            retry_after,
            content_type: "text/plain; charset=utf-8".into(),
            body: body.as_bytes().to_vec(),
        };
        assert_eq!(rejection.status(), status);
        assert_eq!(rejection.answer(), expected, "the default");
        assert_eq!(answer(&rejection, Answers::text(), Vec::new()), expected);
    }
}

#[test]
fn problems() {
    let wait = Some(Duration::from_secs(42));
    assert_eq!(
        problem(&limited("search/1s", wait), Vec::new()),
        (429, Some(42), exceeded(r#","violated-policies":["search/1s"]"#))
    );
    let detail = "this request is larger than its rate limit allows";
    assert_eq!(
        problem(&limited("big", None), Vec::new()),
        (429, None, exceeded(&format!(r#","detail":"{detail}","violated-policies":["big"]"#)))
    );
    let detail = "too many requests at the same time: try again later";
    assert_eq!(
        problem(&no_permit(), Vec::new()),
        (429, None, exceeded(&format!(r#","detail":"{detail}","violated-policies":["exports"]"#)))
    );
    let blank = |title: &str, status: u16, detail: &str| {
        format!(r#"{{"type":"about:blank","title":"{title}","status":{status},"detail":"{detail}"}}"#)
    };
    assert_eq!(
        problem(&unidentified(), vec![refused("other")]),
        (400, None, blank("Bad Request", 400, "this request does not say who calls"))
    );
    let detail = "temporarily unavailable: try again in 1 second";
    assert_eq!(
        problem(&unavailable(), vec![refused("other")]),
        (503, Some(1), blank("Service Unavailable", 503, detail))
    );
}

#[test]
fn a_problem_names_all_limits_that_refused_the_request() {
    let rejection = limited("shop::search/1d", Some(MINUTE));
    for (decisions, violated) in [
        (vec![], r#""search/1d""#),
        (vec![admitted("shop::search/1s"), refused("shop::search/1d")], r#""search/1d""#),
        (vec![refused("shop::search/1s"), refused("shop::search/1d")], r#""search/1s","search/1d""#),
        // A method of the limiter has made the rejection, so its decision is not recorded.
        (vec![refused("login")], r#""search/1d","login""#),
        (vec![refused("login"), admitted("login")], r#""search/1d""#),
        // Two functions have the same name, and get different names as in the header fields.
        (vec![refused("a::get"), refused("b::get")], r#""search/1d","get/1m","get/1m/2""#),
    ] {
        let (_, _, body) = problem(&rejection, decisions);
        assert_eq!(body, exceeded(&format!(r#","violated-policies":[{violated}]"#)));
    }
}

#[test]
fn names_are_json_strings() {
    let name = "a \"b\" \\ \n\r\t\0\u{1b}\u{7f}é日\u{2028}\u{10ffff}</script>";
    let (_, _, body) = problem(&limited(name, Some(MINUTE)), vec![refused("prüfung")]);
    let value: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(value["violated-policies"], serde_json::json!([name, "prüfung"]));
    assert!(body.contains(r#"["a \"b\" \\ \n\r\t\u0000\u001b"#), "{body}");
}

#[test]
fn an_application_changes_what_it_wants() {
    let form = Answers::custom(|rejection, answer| {
        answer.set_json(format!(r#"{{"limit":"{}"}}"#, rejection.public_name()));
        if answer.status == 503 {
            (answer.status, answer.retry_after) = (500, None);
        }
    });
    let json = |status, retry_after, name: &str| Answer {
        status,
        retry_after,
        content_type: "application/json".into(),
        body: format!(r#"{{"limit":"{name}"}}"#).into_bytes(),
    };
    let limited = limited("shop::search", Some(MINUTE));
    assert_eq!(answer(&limited, form.clone(), Vec::new()), json(429, Some(60), "search"));
    assert_eq!(answer(&unidentified(), form.clone(), Vec::new()), json(400, None, "login"));
    assert_eq!(answer(&unavailable(), form, Vec::new()), json(500, None, "login"));
    let unchanged = Answers::custom(|_, _| {});
    assert_eq!(answer(&limited, unchanged, Vec::new()), limited.answer());
}

#[test]
fn values_that_no_response_can_have_are_replaced() {
    let rejection = limited("login", Some(MINUTE));
    for (status, sent) in [(0, 429), (101, 429), (199, 429), (200, 200), (599, 599), (600, 429)] {
        let form = Answers::custom(move |_, answer| answer.status = status);
        assert_eq!(answer(&rejection, form, Vec::new()).status, sent);
    }
    for content_type in ["", "text/plain\r\nx-evil: 1", "a\0", "téxt"] {
        let form = Answers::custom(move |_, answer| answer.content_type = content_type.into());
        let answer = answer(&rejection, form, Vec::new());
        assert_eq!(answer.content_type, "application/octet-stream", "{content_type:?}");
        assert_eq!(answer.body, rejection.to_string().as_bytes());
    }
}

#[tokio::test]
async fn the_form_of_the_request_wins() {
    let context = RequestContext::new().with_answers(Answers::problem_json());
    let rejection = limited("login", Some(MINUTE));
    let inside = context.clone().scope(async { rejection.answer() }).await;
    assert_eq!(inside.content_type, "application/problem+json");
    assert_eq!(rejection.answer().content_type, TEXT, "outside of the request");
    let without = RequestContext::new().scope(async { rejection.answer() }).await;
    assert_eq!(without.content_type, TEXT, "the context has no form");
}

#[test]
fn no_answer_says_more_than_a_public_name() {
    let forms = [Answers::text(), Answers::problem_json()];
    for (form, rejection) in forms.iter().flat_map(|form| {
        let rejections = [limited("shop::secret::login", None), unidentified(), unavailable()];
        rejections.map(|rejection| (form, rejection))
    }) {
        let body = answer(&rejection, form.clone(), vec![refused("shop::secret::login")]).body;
        let body = String::from_utf8(body).expect("UTF-8");
        for hidden in ["secret", "::", "header x", "redis.internal"] {
            assert!(!body.contains(hidden), "{form:?} {hidden} {body}");
        }
    }
}

#[cfg(feature = "axum")]
#[test]
fn a_response_to_a_rejection_is_marked() {
    use axum::response::{IntoResponse, Response};
    let rejection = limited("login", Some(MINUTE));
    assert!(rejection.clone().into_response().extensions().get::<Answered>().is_some());
    let response: Response = rejection.into();
    assert!(response.extensions().get::<Answered>().is_some());
}
