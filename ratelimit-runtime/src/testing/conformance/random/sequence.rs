//! Makes random calls on a store under test, and compares each outcome with the definitions of the algorithms.

use super::call::{Call, are_determined};
use super::player::{Difference, Player};
use super::shorten::shorten;
use super::world::{Abilities, World};
use crate::error::ErrorKind;
use crate::limit::Limit;
use crate::store::{Adjustment, Change};
use crate::testing::conformance::definitions::Numbers;
use crate::testing::conformance::run::{Run, Setting, Stop};
use std::time::Duration;

pub(in super::super) const RULE: &str = "random operations have the outcome that the algorithm defines";
pub(in super::super) const RULE_OF_STACKS: &str =
    "random stacks have the outcomes that their algorithms define";

/// The most operations of a failure that could not be shortened.
const MOST_SHOWN: usize = 40;
/// The clock does not move further than this by the calls that are repeated to shorten a failure.
const LONGEST: Duration = Duration::from_secs(11 * 366 * 86_400);

/// Makes random operations on limits, and compares their outcomes with the definition. Returns the limit of the operation that
/// differs.
pub(in super::super) async fn check<'s>(
    setting: &'s Setting<'s>,
    limits: &[Numbers],
    operations: usize,
    seed: u64,
) -> (Limit, Result<(), Stop>) {
    let first = limits[0].limit();
    let run = Run::new(setting);
    let has_date = |numbers: &Numbers| numbers.calendar.is_none() || setting.knows_date();
    let all = limits.iter().try_for_each(|numbers| run.needs(&numbers.limit()));
    let known: Vec<Numbers> =
        limits.iter().copied().filter(|it| (setting.supports)(&it.limit()) && has_date(it)).collect();
    if let Err(stop) = run.needs_exact_clock() {
        return (first, Err(stop));
    }
    // A sequence with a single limit has no other limits, and a stack of several limits of a store needs two of them.
    if known.len() < limits.len().min(2) {
        let unknown = || Stop::Skipped("the date of the store's clock is not known".to_owned());
        return (first, Err(all.err().unwrap_or_else(unknown)));
    }
    let mut world = World::new(&known, abilities(setting, &known).await, seed);
    let (mut player, mut past, mut made) = (Player::new(setting), Vec::new(), 0);
    while made < operations {
        let call = player.determined(&world.next());
        past.push(call.clone());
        match player.play(&call).await {
            Ok((steps, outcomes)) => {
                world.note(&steps, &outcomes);
                made += steps.len();
            }
            Err(difference) => {
                let mut run = player.end().await;
                let (difference, operations) = match explain(setting, past).await {
                    Some(shorter) => shorter,
                    None => (difference, run.last_operations(MOST_SHOWN)),
                };
                return (difference.limit, Err(Stop::Failed(difference.sentence, operations)));
            }
        }
    }
    player.end().await;
    (first, Ok(()))
}

/// Finds out what the store supports, by one of the limits that can be blocked.
async fn abilities<'s>(setting: &'s Setting<'s>, limits: &[Numbers]) -> Abilities<'s> {
    let (run, limit) = (Run::new(setting), limits.iter().find(|numbers| numbers.takes_block()));
    let supports = async |change| {
        let Some(limit) = limit.map(Numbers::limit) else { return false };
        let adjusted = run.store().adjust(&[Adjustment::new(run.key("a", &limit), limit, 0, change)]).await;
        !adjusted.is_err_and(|error| error.kind() == ErrorKind::Configuration)
    };
    let (blocks, pauses) = (supports(Change::Open).await, supports(Change::Closed).await);
    Abilities { supports: setting.supports, blocks, pauses }
}

/// Shortens the failing sequence, and makes its operations once more. Returns the difference and the operations. `None` if the
/// difference does not occur again.
async fn explain<'s>(setting: &'s Setting<'s>, past: Vec<Call>) -> Option<(Difference, Vec<String>)> {
    // The calls of one group each are shorter, but some mistakes only show in a call of several groups.
    let split: Vec<Call> = past.iter().flat_map(Call::split).collect();
    for mut calls in [split, past] {
        let fails_at = async |calls: &[Call]| {
            if setting.passed.get() > LONGEST || !are_determined(calls) {
                return None;
            }
            let mut player = Player::new(setting);
            let difference = player.play_all(calls).await;
            player.end().await;
            difference.map(|(at, _)| at)
        };
        if shorten(&mut calls, fails_at).await {
            let mut player = Player::new(setting);
            let difference = player.play_all(&calls).await;
            let mut run = player.end().await;
            return difference.map(|(_, difference)| (difference, run.last_operations(usize::MAX)));
        }
    }
    None
}
