//! Mistakes in blocks.

use super::mistakes;
use super::wrong::{Wrong, ms};
use ratelimit::Decision;
use ratelimit::store::{Adjustment, Change, Mode};
use std::time::Duration;

/// The time in ms for which a refused call is blocked, if it is a step of the limit that has just begun.
fn begun_step(decision: &Decision, steps: &[Duration]) -> Option<u64> {
    decision.retry_after().filter(|wait| !decision.is_allowed() && steps.contains(wait)).map(ms)
}

/// Decides calls with steps that never fall: the steps that are shorter than an earlier block are left out.
fn steps_that_never_fall(
    wrong: &Wrong,
    mode: Mode,
    mut asked: Vec<super::wrong::Asked>,
) -> ratelimit::store::Reply<ratelimit::store::Decisions> {
    for it in &mut asked {
        let longest = wrong.known.lock().unwrap().get(&it.key).copied().unwrap_or(0);
        let steps: Vec<Duration> = it.steps().into_iter().filter(|step| ms(*step) >= longest).collect();
        it.limit = if steps.is_empty() { it.limit } else { it.limit.block(&steps) };
    }
    let decided = wrong.decide_asked(mode, &asked);
    for (it, decision) in asked.iter().zip(decided.ready_value().unwrap().iter()) {
        if mode != Mode::Peek
            && let Some(step) = begun_step(decision, &it.steps())
        {
            wrong.known.lock().unwrap().insert(it.key.clone(), step);
        }
    }
    decided
}

/// Makes an adjustment and, if it is a block, blocks for another time.
fn block_for(wrong: &Wrong, it: &Adjustment, time: impl Fn(u64) -> u64) -> u32 {
    match it.change() {
        Change::Block(ms) => {
            let changed = Adjustment::new(it.key().clone(), *it.limit(), 0, Change::Block(time(ms)));
            wrong.adjust_one(&changed)
        }
        _ => wrong.adjust_one(it),
    }
}

mistakes! {
    a_peek_blocks: Then(|wrong, mode, it, decision| {
        let refused = !decision.is_allowed() && decision.retry_after().is_some();
        if mode == Mode::Peek && refused && it.cost > 0 && it.keep == 0 && wrong.closed(it.adjustment(0, Change::Open).key()) == 0 {
            it.block(wrong);
        }
    }) => "random operations";
    a_call_with_keep_blocks: Then(|wrong, mode, it, decision| {
        if mode != Mode::Peek && !decision.is_allowed() && decision.retry_after().is_some() && it.keep > 0 {
            it.block(wrong);
        }
    }) => "random operations";
    an_impossible_cost_blocks: Then(|wrong, mode, it, decision| {
        if mode != Mode::Peek && !decision.is_allowed() && decision.retry_after().is_none() && it.cost > 0 {
            it.block(wrong);
        }
    }) => "random operations";
    a_cost_of_zero_blocks: Then(|wrong, mode, it, decision| {
        if mode != Mode::Peek && !decision.is_allowed() && it.cost == 0 && it.keep == 0 {
            it.block(wrong);
        }
    }) => "random operations";
    a_refusal_of_another_member_blocks: Decide(|wrong, mode, asked| {
        let decided = wrong.decide_asked(mode, &asked);
        let decisions = decided.ready_value().unwrap();
        for (number, it) in asked.iter().enumerate().filter(|_| mode != Mode::Peek) {
            let first = number - it.member;
            let stack = &decisions[first..first + it.members];
            if decisions[number].is_allowed() && !stack.iter().all(Decision::is_allowed) {
                it.block(wrong);
            }
        }
        decided
    }) => "random stacks";
    mode_charge_does_not_block: Asked(|mode, it| if mode == Mode::Charge { it.limit = it.limit.block(&[]) })
        => "random operations";
    a_member_of_a_stack_does_not_block: Asked(|_, it| if it.members > 1 { it.limit = it.limit.block(&[]) })
        => "random";
    no_limit_blocks: Asked(|_, it| it.limit = it.limit.block(&[]))
        => "the store did not block a refused caller for the step of 5s";
    only_the_first_step_is_used: Asked(|_, it| {
        let steps = it.steps();
        it.limit = it.limit.block(&steps[..steps.len().min(1)]);
    }) => "the store did not block a refused caller for the step of 6s";
    only_three_steps_are_used: Asked(|_, it| {
        let steps = it.steps();
        it.limit = it.limit.block(&steps[..steps.len().min(3)]);
    }) => "the store did not block a refused caller for the step of 8s";
    the_steps_never_start_over: Decide(steps_that_never_fall)
        => "random operations";
    the_last_step_does_not_repeat: Then(|wrong, mode, it, decision| {
        let last = it.limit.blocks().last().map(ms);
        if let Some(step) = last
            && mode != Mode::Peek
            && begun_step(decision, &it.steps()) == last
        {
            wrong.adjust_one(&it.adjustment(0, Change::Open));
            wrong.adjust_one(&it.adjustment(0, Change::Block(step)));
        }
    }) => "the store did not block a refused caller for the step of 8s";
    calls_prolong_a_block: Then(|wrong, mode, it, decision| {
        let blocked = wrong.closed(it.adjustment(0, Change::Open).key()) > 0;
        if mode != Mode::Peek && blocked && begun_step(decision, &it.steps()).is_none() {
            it.block(wrong);
        }
    }) => "the store refused a caller whose block was over";
    a_block_by_hand_keeps_a_later_end: Adjust(|wrong, it| {
        block_for(wrong, it, |ms| ms.max(wrong.closed(it.key()).into()))
    }) => "the store did not refuse a blocked caller until the end of the block";
    a_block_by_hand_keeps_an_earlier_end: Adjust(|wrong, it| {
        let closed = u64::from(wrong.closed(it.key()));
        block_for(wrong, it, |ms| if closed > 0 { ms.min(closed) } else { ms })
    }) => "the store did not refuse a blocked caller until the end of the block";
    a_block_by_hand_is_in_seconds: Adjust(|wrong, it| block_for(wrong, it, |ms| ms.next_multiple_of(1000)))
        => "the key is blocked or paused for another";
    a_block_by_hand_has_32_bits: Adjust(|wrong, it| block_for(wrong, it, |ms| ms.min(u32::MAX.into())))
        => "the store did not refuse a blocked caller until the end of the block";
    a_block_by_hand_starts_the_steps_over: Adjust(|wrong, it| {
        if matches!(it.change(), Change::Block(_)) {
            wrong.adjust_one(&Adjustment::new(it.key().clone(), *it.limit(), 0, Change::Open));
        }
        wrong.adjust_one(it)
    }) => "a block by hand leaves the steps";
    the_end_of_a_block_frees_the_units: Adjust(|wrong, it| {
        let adjusted = wrong.adjust_one(it);
        if it.change() == Change::Open {
            drop(ratelimit::store::Store::reset(&*wrong.correct, &[it.key().clone()]));
        }
        adjusted
    }) => "random operations";
    the_end_of_a_block_is_always_reported: Adjust(|wrong, it| {
        let adjusted = wrong.adjust_one(it);
        if it.change() == Change::Open { 1 } else { adjusted }
    }) => "the store ended a block that there was not";
    a_reset_leaves_the_block: Reset(|wrong, keys| {
        let closed: Vec<u32> = keys.iter().map(|key| wrong.closed(key)).collect();
        let existed = *ratelimit::store::Store::reset(&*wrong.correct, keys).ready_value().unwrap();
        for (key, closed) in keys.iter().zip(closed).filter(|(_, closed)| *closed > 0) {
            const ANY: ratelimit::Limit = ratelimit::Limit::counter(1, Duration::from_secs(1));
            wrong.adjust_one(&Adjustment::new(key.clone(), ANY, 0, Change::Block(closed.into())));
        }
        existed
    }) => "a reset left a block";
    a_shorter_pause_replaces_a_longer_one: Adjust(|wrong, it| match it.change() {
        Change::Pause(_) => {
            wrong.adjust_one(&Adjustment::new(it.key().clone(), *it.limit(), 0, Change::Open));
            wrong.adjust_one(it)
        }
        _ => wrong.adjust_one(it),
    }) => "the store did not report the time until the end of a pause";
    a_pause_is_a_block: Adjust(|wrong, it| match it.change() {
        Change::Pause(ms) => {
            wrong.adjust_one(&Adjustment::new(it.key().clone(), *it.limit(), 0, Change::Block(ms)))
        }
        _ => wrong.adjust_one(it),
    }) => "random operations";
}
