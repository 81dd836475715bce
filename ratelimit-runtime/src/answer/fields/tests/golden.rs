//! Tests the fields of draft 11 byte for byte: the examples of the guide, and one example for each rule.

use super::*;
use crate::context::RequestContext;
use crate::key::Name;
use crate::limit::Calendar;

const BURST: Limit = Limit::counter(10, ONE_SECOND);
const DAILY: Limit = Limit::counter(5000, DAY);

/// Asserts both fields of a response.
fn assert_fields(status: u16, decisions: &[RecordedDecision], policy: &str, state: &str) {
    let expected = format!("ratelimit-policy: {policy}\nratelimit: {state}\n");
    assert_eq!(lines(RateLimitHeaders::Draft11, status, decisions), expected);
}

/// Asserts the fields of an admitted call with one limit.
fn assert_admitted(decision: &RecordedDecision, policy: &str, state: &str) {
    assert_fields(200, std::slice::from_ref(decision), policy, state);
}

#[test]
fn the_first_call_of_a_stack() {
    assert_fields(
        200,
        &[admitted("search/1s", BURST, 9, ONE_SECOND), admitted("search/1d", DAILY, 4999, DAY)],
        r#""search/1s";q=10;w=1, "search/1d";q=5000;w=86400"#,
        r#""search/1s";r=9;t=1, "search/1d";r=4999;t=86400"#,
    );
}

#[test]
fn a_call_that_has_waited_for_its_turn() {
    let turn = Duration::from_secs(9);
    let decision = Decision::allow(&BURST, 0, Duration::from_secs(20)).in_turn(turn, 1);
    assert_admitted(&recorded("mail", BURST, decision), r#""mail";q=10;w=1"#, r#""mail";r=0;t=11"#);
}

#[test]
fn the_eleventh_call_of_a_stack_within_the_second() {
    let wait = Some(Duration::from_millis(600));
    assert_fields(
        429,
        &[refused("search/1s", BURST, 0, wait), admitted("search/1d", DAILY, 4990, DAY)],
        r#""search/1s";q=10;w=1, "search/1d";q=5000;w=86400"#,
        r#""search/1s";r=0;t=1"#,
    );
}

#[test]
fn the_last_call_of_the_day() {
    let wait = Some(Duration::from_secs(36_000));
    assert_fields(
        429,
        &[admitted("search/1s", BURST, 9, ONE_SECOND), refused("search/1d", DAILY, 0, wait)],
        r#""search/1s";q=10;w=1, "search/1d";q=5000;w=86400"#,
        r#""search/1d";r=0;t=36000"#,
    );
}

#[test]
fn both_limits_of_a_stack_refuse() {
    let waits = [Duration::from_millis(1), Duration::from_millis(35_999_001)].map(Some);
    assert_fields(
        429,
        &[refused("search/1s", BURST, 0, waits[0]), refused("search/1d", DAILY, 0, waits[1])],
        r#""search/1s";q=10;w=1, "search/1d";q=5000;w=86400"#,
        r#""search/1s";r=0;t=1, "search/1d";r=0;t=36000"#,
    );
}

#[test]
fn a_call_that_never_passes_has_no_time() {
    let limit = Limit::counter(5, Duration::from_secs(60));
    let never = [refused("x", limit, 5, None)];
    assert_fields(429, &never, r#""x";q=5;w=60"#, r#""x";r=5"#);
}

#[test]
fn a_refused_call_has_its_wait_and_what_is_left() {
    let decision =
        [RecordedDecision { cost: 8, ..refused("x", BURST, 3, Some(Duration::from_millis(1001))) }];
    assert_fields(429, &decision, r#""x";q=10;w=1"#, r#""x";r=3;t=2"#);
}

#[test]
fn a_window_is_whole_seconds_or_left_out() {
    for (ms, window) in [(500, ""), (1000, ";w=1"), (1001, ""), (1500, ""), (90_000, ";w=90")] {
        let limit = Limit::counter(10, Duration::from_millis(ms));
        let wanted = format!("\"x\";q=10{window}");
        let seconds = ms.div_ceil(1000);
        let decision = admitted("x", limit, 0, limit.time());
        assert_admitted(&decision, &wanted, &format!("\"x\";r=0;t={seconds}"));
    }
}

#[test]
fn a_blocked_caller_is_told_the_end_of_the_block_rounded_up() {
    let limit = Limit::counter(5, Duration::from_secs(60)).block(&[Duration::from_secs(600)]);
    for (left_ms, seconds) in [(600_000, 600), (599_001, 600), (1, 1)] {
        let blocked = refused("login", limit, 0, Some(Duration::from_millis(left_ms)));
        let state = format!("\"login\";r=0;t={seconds}");
        assert_fields(429, std::slice::from_ref(&blocked), r#""login";q=5;w=60"#, &state);
    }
}

#[test]
fn a_window_of_the_calendar_lasts_until_its_end() {
    for (calendar, seconds) in [(Calendar::Hour, 3600), (Calendar::Day, 86_400), (Calendar::Week, 604_800)] {
        let limit = Limit::calendar(100, calendar).zone("+05:30");
        let policy = format!("\"x\";q=100;w={seconds}");
        // Without a calendar, a window of this length would have a larger `t`: the time in which the limit gains 99 units.
        assert_admitted(&admitted("x", limit, 99, Duration::from_secs(90)), &policy, r#""x";r=99;t=90"#);
    }
    // The length of a month is right even if the end of the month is computed a day too early or too late.
    let month = Limit::calendar(100, Calendar::Month);
    let window = month.window().unwrap();
    for (end, days) in [(5_097_600_000_i64, 28), (2_678_400_000, 31), (68_256_000_000, 29)] {
        for error in [-86_400_000, 0, 86_400_000] {
            assert_eq!(window.length_ms(u64::try_from(end + error).unwrap()), days * 86_400_000);
        }
    }
}

#[test]
fn the_capacity_of_a_bucket_is_written_if_it_is_not_its_count() {
    let bucket = Limit::token_bucket(10, ONE_SECOND);
    let decision = |limit: Limit| admitted("b", limit, 0, ONE_SECOND);
    let state = r#""b";r=0;t=1"#;
    assert_admitted(&decision(bucket), r#""b";q=10;w=1"#, state);
    assert_admitted(&decision(bucket.burst(20)), r#""b";q=10;w=1;rl-burst=20"#, state);
    assert_admitted(&decision(bucket.burst(10)), r#""b";q=10;w=1"#, state);
    assert_admitted(&decision(bucket.burst(5).borrow(2)), r#""b";q=10;w=1;rl-burst=7"#, state);
    let leaky = Limit::leaky_bucket(10, ONE_SECOND).burst(3);
    assert_admitted(&decision(leaky), r#""b";q=10;w=1;rl-burst=3"#, state);
}

#[test]
fn a_concurrency_limit_has_a_unit_and_no_time() {
    let permits = Limit::concurrency(5, Duration::from_secs(30));
    let policy = r#""jobs";q=5;qu="concurrent-requests""#;
    assert_admitted(&admitted("jobs", permits, 4, permits.time()), policy, r#""jobs";r=4"#);
    assert_fields(429, &[refused("jobs", permits, 0, Some(ONE_SECOND))], policy, r#""jobs";r=0"#);
    let two = RecordedDecision { cost: 2, ..admitted("jobs", permits, 3, permits.time()) };
    assert_admitted(&two, r#""jobs";q=5"#, r#""jobs";r=3"#);
}

#[test]
fn a_cost_has_no_unit() {
    let rows = RecordedDecision { cost: 7, ..admitted("rows", DAILY, 4993, DAY) };
    assert_admitted(&rows, r#""rows";q=5000;w=86400"#, r#""rows";r=4993;t=86400"#);
}

#[test]
fn an_effective_window_is_at_least_the_time_that_earns_what_is_left() {
    let bucket = Limit::token_bucket(100, Duration::from_secs(100));
    // 99 of 100 tokens are left, and one more comes back in a second.
    let nearly_full = admitted("b", bucket, 99, ONE_SECOND);
    assert_admitted(&nearly_full, r#""b";q=100;w=100"#, r#""b";r=99;t=99"#);
    let nearly_empty = admitted("b", bucket, 1, Duration::from_millis(98_001));
    assert_admitted(&nearly_empty, r#""b";q=100;w=100"#, r#""b";r=1;t=99"#);
    // This decision is made in the last second of a day.
    let day = admitted("d", Limit::counter(5000, DAY), 1000, ONE_SECOND);
    assert_admitted(&day, r#""d";q=5000;w=86400"#, r#""d";r=1000;t=17280"#);
    let third = admitted("t", Limit::counter(3, ONE_SECOND), 2, Duration::ZERO);
    assert_admitted(&third, r#""t";q=3;w=1"#, r#""t";r=2;t=1"#);
    let nothing = admitted("n", Limit::counter(3, ONE_SECOND), 0, Duration::ZERO);
    assert_admitted(&nothing, r#""n";q=3;w=1"#, r#""n";r=0;t=1"#);
}

#[test]
fn integers_have_at_most_15_digits() {
    let limit = Limit::counter(1, DAY * 366);
    let decision = admitted("x", limit, u32::MAX, DAY);
    assert_admitted(&decision, r#""x";q=1;w=31622400"#, r#""x";r=4294967295;t=999999999999999"#);
}

#[test]
fn names_are_printable() {
    for (name, written) in [
        ("", ""),
        (r#"a "quoted" \ name"#, r#"a \"quoted\" \\ name"#),
        ("prüfung", "pr%C3%BCfung"),
        ("日", "%E6%97%A5"),
        ("a\0b\n\u{7f}", "a%00b%0A%7F"),
        ("100%", "100%25"),
        ("report:{kind}, ~;", "report:{kind}, ~;"),
    ] {
        let decision = admitted(name, BURST, 9, ONE_SECOND);
        assert_admitted(&decision, &format!("\"{written}\";q=10;w=1"), &format!("\"{written}\";r=9;t=1"));
    }
}

#[test]
fn the_name_of_a_function_has_no_modules() {
    let name = |name| LimitName::from(Name::of_site(name));
    let decision = |name: LimitName| recorded(name, BURST, Decision::allow(&BURST, 9, ONE_SECOND));
    let written = LimitName::from(Name::written("api::v1"));
    assert_fields(
        200,
        &[decision(name("shop::api::search")), decision(written), decision(name("shop::api::list/1s"))],
        r#""search";q=10;w=1, "api::v1";q=10;w=1, "list/1s";q=10;w=1"#,
        r#""search";r=9;t=1, "api::v1";r=9;t=1, "list/1s";r=9;t=1"#,
    );
}

#[test]
fn limits_with_one_name_have_their_time_and_then_a_number() {
    let of = |name: &'static str, limit: Limit| {
        recorded(Name::of_site(name), limit, Decision::allow(&limit, 1, ONE_SECOND))
    };
    assert_fields(
        200,
        &[of("search", BURST), of("search", DAILY), of("other", DAILY)],
        r#""search/1s";q=10;w=1, "search/1d";q=5000;w=86400, "other";q=5000;w=86400"#,
        r#""search/1s";r=1;t=1, "search/1d";r=1;t=18, "other";r=1;t=18"#,
    );
    // Four functions have the same name.
    assert_fields(
        200,
        &[of("a::get", BURST), of("b::get", BURST), of("c::get/1s", BURST), of("d::get/1s", BURST)],
        r#""get/1s";q=10;w=1, "get/1s/2";q=10;w=1, "get/1s/3";q=10;w=1, "get/1s/4";q=10;w=1"#,
        r#""get/1s";r=1;t=1, "get/1s/2";r=1;t=1, "get/1s/3";r=1;t=1, "get/1s/4";r=1;t=1"#,
    );
}

#[test]
fn the_last_decision_of_a_limit_counts() {
    let context = RequestContext::new();
    context.record([
        refused("search", BURST, 0, Some(ONE_SECOND)),
        admitted("other", BURST, 1, ONE_SECOND),
        admitted("search", BURST, 4, ONE_SECOND),
        admitted("search", Limit::counter(12, ONE_SECOND), 5, ONE_SECOND), // after an override
    ]);
    assert_fields(
        200,
        &context.decisions(),
        r#""search";q=12;w=1, "other";q=10;w=1"#,
        r#""search";r=5;t=1, "other";r=1;t=1"#,
    );
}

#[test]
fn a_success_despite_a_refusal_names_all_limits() {
    let decisions = [refused("extra", BURST, 0, Some(ONE_SECOND)), admitted("search", BURST, 9, ONE_SECOND)];
    let policy = r#""extra";q=10;w=1, "search";q=10;w=1"#;
    assert_fields(200, &decisions, policy, r#""extra";r=0;t=1, "search";r=9;t=1"#);
    assert_fields(429, &decisions, policy, r#""extra";r=0;t=1"#);
}

#[test]
fn an_error_of_the_application_names_all_limits() {
    let decisions = [admitted("search", BURST, 9, ONE_SECOND)];
    for status in [200, 204, 400, 404, 429, 500, 503] {
        assert_fields(status, &decisions, r#""search";q=10;w=1"#, r#""search";r=9;t=1"#);
    }
}

#[test]
fn redirections_and_requests_without_limits_have_no_fields() {
    let decisions = [admitted("search", BURST, 9, ONE_SECOND)];
    for headers in [
        RateLimitHeaders::Draft11,
        RateLimitHeaders::XRateLimit,
        RateLimitHeaders::XRateLimitEpoch,
        RateLimitHeaders::None,
    ] {
        for status in [300, 301, 304, 307, 399] {
            assert!(!RateLimitHeaders::are_allowed_on(status));
            assert_eq!(lines(headers, status, &decisions), "");
        }
        assert_eq!(lines(headers, 200, &[]), "");
    }
    assert_eq!(lines(RateLimitHeaders::None, 200, &decisions), "");
    assert!([101, 200, 299, 400, 429].into_iter().all(RateLimitHeaders::are_allowed_on));
}
