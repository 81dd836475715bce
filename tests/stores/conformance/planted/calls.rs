//! Mistakes in the decisions about calls: numbers, `keep`, stacks, keys and zones.

use super::mistakes;
use super::wrong::{Asked, read_then_write, with_count};
use ratelimit::store::{Change, Mode, Store, StoreKey};
use ratelimit::{Algorithm, Decision, Limit, Refill};
use std::time::Duration;

fn refused(asked: &Asked, decision: &Decision, remaining: u32, retry_after: Option<Duration>) -> Decision {
    Decision::refuse(&asked.limit, remaining, retry_after, decision.reset_after())
}

/// Puts a window of the calendar into the zone with this offset in minutes.
fn zone(asked: &mut Asked, minutes: impl Fn(i16) -> i16) {
    if let Some(of_zone) = asked.limit.zone_minutes() {
        let minutes = minutes(of_zone);
        let sign = if minutes < 0 { '-' } else { '+' };
        let offset = format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
        asked.limit = asked.limit.zone(&offset);
    }
}

mistakes! {
    // Zones
    whole_hours_of_a_zone_are_ignored: Asked(|_, it| zone(it, |minutes| minutes % 60)) => "in the zone +01:00";
    minutes_of_a_zone_are_ignored: Asked(|_, it| zone(it, |minutes| minutes / 60 * 60)) => "in the zone +00:45";
    the_sign_of_a_zone_is_ignored: Asked(|_, it| zone(it, i16::abs)) => "in the zone -00:45";
    zones_west_of_utc_are_utc: Asked(|_, it| zone(it, |minutes| minutes.max(0))) => "in the zone -00:45";
    zones_east_of_utc_are_utc: Asked(|_, it| zone(it, |minutes| minutes.min(0))) => "in the zone +00:45";
    zones_are_turned_around: Asked(|_, it| zone(it, |minutes| -minutes)) => "in the zone +00:45";
    windows_of_the_calendar_end_by_length: Asked(|_, it| {
        if it.limit.calendar_window().is_some() {
            it.limit = Limit::counter(it.limit.count(), it.limit.time());
        }
    }) => "the store ended a window by its length, and not when the calendar begins a new one";
    the_next_window_of_the_calendar_is_moved: Decide(|wrong, mode, asked| {
        for it in asked.iter().filter(|_| mode != Mode::Peek) {
            let Some(rest) = it.limit.until_window_ends(wrong.now()) else { continue };
            let found = wrong.decide_one(Mode::Peek, it);
            if found.is_allowed() && found.reset_after() > rest {
                drop(wrong.correct.reset(&[StoreKey::new(&it.key)]));
                wrong.adjust_one(&it.adjustment(it.limit.count() - found.remaining(), Change::Take));
            }
        }
        wrong.decide_asked(mode, &asked)
    }) => "the store moved the end of the next window of the calendar";

    // `keep`
    keep_is_ignored: Asked(|_, it| it.keep = 0) => "leaves more to others than the limit holds";
    keep_is_ignored_in_a_peek: Asked(|mode, it| if mode == Mode::Peek { it.keep = 0 }) => "that it leaves to others";
    keep_is_ignored_in_mode_charge: Asked(|mode, it| if mode == Mode::Charge { it.keep = 0 })
        => "that it leaves to others";
    keep_is_ignored_in_a_stack: Asked(|_, it| if it.members > 1 { it.keep = 0 }) => "that it leaves to others";
    keep_is_ignored_by_buckets: Asked(|_, it| if it.limit.algorithm() == Algorithm::TokenBucket { it.keep = 0 })
        => "leaves more to others than the limit holds";
    keep_is_charged: Asked(|_, it| {
        it.cost = it.cost.saturating_add(it.keep);
        it.keep = 0;
    }) => "the store charged the units that a call leaves to others";
    keep_wraps_at_32_bits: Asked(|_, it| {
        if it.cost.checked_add(it.keep).is_none() {
            it.keep = 0;
            it.cost = it.cost.min(1);
        }
    }) => "that it leaves to others";

    // Numbers
    one_more_is_admitted: Asked(|_, it| it.limit = with_count(&it.limit, it.limit.count() + u32::from(it.limit.count() < 4)))
        => "the store reported a wrong capacity";
    counts_end_at_2_31: Asked(|_, it| if it.limit.count() > 1 << 31 { it.limit = with_count(&it.limit, (1 << 31) - 1) })
        => "random operations";
    costs_are_rounded_to_24_bits: Asked(|_, it| if it.cost > 1 << 24 { it.cost &= !0xff }) => "random operations";
    costs_end_at_16_bits: Asked(|_, it| it.cost = it.cost.min(65_535)) => "random operations";
    logs_hold_a_thousand_units: Asked(|_, it| {
        if it.limit.algorithm() == Algorithm::SlidingLog {
            it.limit = with_count(&it.limit, it.limit.count().min(1000)).wait(it.limit.longest_wait());
        }
    }) => "random operations";
    borrow_is_ignored: Asked(|_, it| {
        if it.limit.algorithm() == Algorithm::TokenBucket && !it.limit.refills_by_interval() && it.limit.capacity() == 5 {
            it.limit = it.limit.burst(4).borrow(0);
        }
    }) => "the store reported a wrong capacity";
    intervals_are_greedy: Asked(|_, it| if it.limit.refills_by_interval() { it.limit = it.limit.refill(Refill::Greedy) })
        => "random operations";
    a_wait_is_in_seconds: Asked(|_, it| it.limit = it.limit.wait(Duration::from_secs(it.limit.longest_wait().as_secs())))
        => "random operations";
    permit_ids_have_32_bits: Asked(|_, it| it.permit %= 1 << 32) => "random operations";
    times_are_rounded_to_seconds: Decided(|_, it, decision| match decision.retry_after() {
        Some(wait) if !decision.is_allowed() => {
            let rounded = Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
            refused(it, &decision, decision.remaining(), Some(rounded))
        }
        _ => decision,
    }) => "the store would admit a call 1 ms before `retry_after`";
    refusals_report_no_units: Decided(|_, it, decision| {
        if decision.is_allowed() { decision } else { refused(it, &decision, 0, decision.retry_after()) }
    }) => "the store reported a `remaining` of 0";
    impossible_costs_pass_later: Decided(|_, it, decision| {
        let never = !decision.is_allowed() && decision.retry_after().is_none();
        if never && it.limit.count() > 0 { refused(it, &decision, decision.remaining(), Some(it.limit.time())) } else { decision }
    }) => "the store said that a cost above the capacity would pass later";
    a_cost_of_zero_is_refused_when_used_up: Decided(|_, it, decision| {
        let used_up = it.cost == 0 && it.keep == 0 && decision.remaining() == 0;
        if used_up && decision.is_allowed() { refused(it, &decision, 0, Some(decision.reset_after())) } else { decision }
    }) => "the store refused a cost of zero";

    // Calls and stacks
    a_peek_charges: Mode(|mode, _| if mode == Mode::Peek { Mode::Check } else { mode }) => "a peek took units";
    a_peek_of_a_stack_charges: Mode(|mode, all| {
        if mode == Mode::Peek && all.iter().any(|it| it.joins) { Mode::Check } else { mode }
    }) => "random stacks";
    a_stack_is_split: Asked(|_, it| it.joins = false)
        => "the store charged a member of a stack of which another member was refused";
    only_two_members_pass_together: Asked(|_, it| it.joins &= it.member == 0) => "another member was refused";
    members_of_a_stack_do_not_wait: Asked(|_, it| {
        if it.members > 1 && it.limit.algorithm() != Algorithm::LeakyBucket {
            it.limit = it.limit.wait(Duration::ZERO);
        }
    }) => "the store refused a call, although the limit had enough units";
    a_stack_has_one_stamp: Decide(|wrong, mode, asked| {
        let decided = wrong.decide_asked(mode, &asked);
        let decided = decided.ready_value().unwrap();
        let mut first = 0;
        let same = |(it, decision): (&Asked, &Decision)| {
            first = if it.member == 0 { decision.stamp() } else { first };
            if decision.stamp() > 0 { decision.in_turn(decision.delay(), first) } else { *decision }
        };
        ratelimit::store::Reply::ready(Ok(asked.iter().zip(decided.iter()).map(same).collect()))
    }) => "units of a charge";
    reads_and_then_writes: Decide(read_then_write)
        => "the store admitted 24 calls that came together, and the limit holds 3";
    a_stack_has_one_delay: Decide(|wrong, mode, asked| {
        let decided = wrong.decide_asked(mode, &asked);
        let decisions = decided.ready_value().unwrap();
        let same = |(number, it): (usize, &Asked)| {
            let of_stack = &decisions[number - it.member..number - it.member + it.members];
            let longest = of_stack.iter().map(Decision::delay).max().unwrap();
            decisions[number].in_turn(longest, decisions[number].stamp())
        };
        ratelimit::store::Reply::ready(Ok(asked.iter().enumerate().map(same).collect()))
    }) => "the store reported a `delay`";
    a_refused_stack_reports_the_units_after_a_charge: Decide(|wrong, mode, asked| {
        let decided = wrong.decide_asked(mode, &asked);
        let decisions = decided.ready_value().unwrap();
        let shown = |(number, it): (usize, &Asked)| {
            let of_stack = &decisions[number - it.member..number - it.member + it.members];
            let decision = decisions[number];
            if of_stack.iter().all(Decision::is_allowed) || !decision.is_allowed() {
                return decision;
            }
            let left = decision.remaining().saturating_sub(it.cost);
            Decision::allow(&it.limit, left, decision.reset_after()).in_turn(decision.delay(), 0)
        };
        ratelimit::store::Reply::ready(Ok(asked.iter().enumerate().map(shown).collect()))
    }) => "the store reported a `remaining`";
    all_members_cost_the_same: Decide(|wrong, mode, mut asked| {
        for number in 1..asked.len() {
            if asked[number].member > 0 {
                asked[number].cost = asked[number - 1].cost;
            }
        }
        wrong.decide_asked(mode, &asked)
    }) => "random stacks";
    a_batch_does_not_see_its_own_charges: Decide(|wrong, mode, asked| {
        let judged = wrong.decide_asked(Mode::Peek, &asked);
        drop(wrong.decide_asked(mode, &asked));
        judged
    }) => "without the charges of the earlier ones";
    a_batch_keeps_as_its_first_request: Decide(|wrong, mode, mut asked| {
        let keep = asked[0].keep;
        for it in &mut asked {
            it.keep = keep;
        }
        wrong.decide_asked(mode, &asked)
    }) => "random";
    waiting_calls_have_other_ids: Asked(|mode, it| {
        if mode == Mode::Charge && !it.limit.longest_wait().is_zero() { it.permit ^= 1 << 40 }
    }) => "the store refused the permit that was returned to the first waiting call";
    a_check_leaves_a_ticket: Decide(|wrong, mode, asked| {
        let decided = wrong.decide_asked(mode, &asked);
        for (it, decision) in asked.iter().zip(decided.ready_value().unwrap().iter()) {
            if mode == Mode::Check && it.limit.is_concurrency() && !decision.is_allowed() {
                let _ = wrong.decide_one(Mode::Charge, it);
            }
        }
        decided
    }) => "random operations";
    a_stack_leaves_a_ticket: Decide(|wrong, mode, asked| {
        let decided = wrong.decide_asked(mode, &asked);
        for (it, decision) in asked.iter().zip(decided.ready_value().unwrap().iter()) {
            let refused = it.members > 1 && !decision.is_allowed();
            if mode == Mode::Charge && it.limit.is_concurrency() && refused {
                let _ = wrong.decide_one(Mode::Charge, it);
            }
        }
        decided
    }) => "random";
    logs_count_one_unit_for_each_time: Asked(|mode, it| {
        if mode != Mode::Peek && it.limit.algorithm() == Algorithm::SlidingLog { it.cost = it.cost.min(1) }
    }) => "with `sliding_log";
    a_batch_ends_after_a_thousand: Decide(|wrong, mode, asked| {
        let mode_of = |number: usize| if number < 1000 { mode } else { Mode::Peek };
        if asked.len() <= 1000 {
            return wrong.decide_asked(mode, &asked);
        }
        let one = |(number, it): (usize, &Asked)| wrong.decide_one(mode_of(number), it);
        ratelimit::store::Reply::ready(Ok(asked.iter().enumerate().map(one).collect()))
    }) => "a batch of 3000 requests";

    // Limits that change
    each_limit_has_its_state: Asked(|_, it| it.key.extend(it.limit.count().to_string().into_bytes()))
        => "the store forgot units in use when the limit became smaller";
    windows_never_get_shorter: Decide(|wrong, mode, mut asked| {
        for it in asked.iter_mut().filter(|it| it.limit.algorithm() == Algorithm::Counter) {
            if it.limit.calendar_window().is_none() && it.limit.longest_wait().is_zero() && it.steps().is_empty() {
                let time = super::wrong::ms(it.limit.time());
                let longest = *wrong.known.lock().unwrap().entry(it.key.clone()).and_modify(|known| *known = time.max(*known)).or_insert(time);
                it.limit = Limit::try_counter(it.limit.count(), Duration::from_millis(longest)).unwrap_or(it.limit);
            }
        }
        wrong.decide_asked(mode, &asked)
    }) => "the end of a window is further away than the `time` of the last admitted call";

    // Keys and errors
    keys_have_255_bytes: Key(|key| key[..key.len().min(255)].to_vec()) => "with 251 times";
    keys_have_320_bytes: Key(|key| key[..key.len().min(320)].to_vec()) => "with 501 times";
    keys_have_1024_bytes: Key(|key| key[..key.len().min(1024)].to_vec()) => "with 2000 times";
    keys_have_65535_bytes: Key(|key| key[..key.len().min(65_535)].to_vec()) => "with 70000 times";
    only_the_last_64_bytes_count: Key(|key| key[key.len().saturating_sub(64)..].to_vec()) => "does not distinguish";
    keys_are_text: Key(|key| String::from_utf8_lossy(key).into_owned().into_bytes()) => "with \"\\xfe\"";
    keys_end_at_a_zero: Key(|key| [key.split(|byte| *byte == 0).next().unwrap_or(key), b":c1"].concat())
        => "does not distinguish";
    upper_and_lower_case_are_equal: Key(<[u8]>::to_ascii_lowercase)
        => "the store does not distinguish a key with \"a\" from one with \"A\"";
    spaces_are_trimmed: Key(|key| key.iter().copied().filter(|byte| *byte != b' ').collect()) => "with \"a \"";
    mistakes_are_outages: Error(|_, _| ratelimit::Error::new(ratelimit::ErrorKind::Unavailable, "a wrong question"))
        => "the store replied to a wrong question with an error of the kind Unavailable";
    errors_contain_keys: Error(|asked, error| {
        ratelimit::Error::new(error.kind(), format!("wrong: {}", String::from_utf8_lossy(&asked[0].key)))
    }) => "the store replied with an error that contains a key";
}
