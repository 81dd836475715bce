//! States in spellings that only Lua reads as the same number, or with units that no limit writes. The scripts must treat them
//! as foreign, although Lua could calculate with them.

use crate::harness::{TestAdjustment, TestRequest, Twins, adjust, decide, each, key};
use ratelimit::store::{Change, Mode};
use ratelimit::{Algorithm, Limit};

/// The start in µs.
const START: u64 = 1_763_000_000_000_000;

/// Returns texts that Lua reads as the same number as `state`, and states with the same time whose units no limit writes.
fn spellings(state: &str) -> Vec<String> {
    let Ok(number) = state.parse::<u64>() else { return Vec::new() };
    let power = format!("{}.{}e{}", &state[..1], &state[1..], state.len() - 1);
    let (_, time) = state.split_at(state.len() - 11);
    let minus_one = format!("-{}", 100_000_000_000 - time.parse::<u64>().unwrap());
    let mut spellings = vec![format!("0{state}"), power, format!("0x{number:X}"), minus_one];
    spellings.push(format!("92000000{time}"));
    spellings.extend([".0", "e0", " "].map(|end| format!("{state}{end}")));
    spellings.extend([" ", "+"].map(|start| format!("{start}{state}")));
    spellings
}

/// Whether every script reports states in these spellings and does not change them. Tests times at which the units count, at
/// which they no longer count, and at which a bucket would start again.
pub(crate) async fn spares_spellings(twins: &mut Twins, limit: Limit) -> bool {
    if limit.is_list() {
        return true;
    }
    let name = key(0, &limit);
    twins.clear();
    twins.set_clock(START);
    let all = [TestRequest::new(0, limit, limit.capacity())];
    let Ok(first) = decide(&twins.redis, Mode::Check, &all).await else { return false };
    let Ok(full) = redis::cmd("GET").arg(&name).query::<String>(twins.raw()) else { return false };
    // Lua calculates only with states of the short form.
    if full.len() > 19 {
        return true;
    }
    if full.len() < 12 || full.parse::<u64>().is_err() {
        return false;
    }
    let reset = u64::try_from(first[0].reset_after().as_micros()).unwrap();
    // The second state remains after all units except one were returned. The third state remains after all units were returned.
    let (units, time) = full.split_at(full.len() - 11);
    let tag =
        if limit.algorithm() == Algorithm::TokenBucket { units.parse::<u64>().unwrap() % 34 } else { 0 };
    let states = [full.clone(), format!("{}{time}", tag + 34), format!("{}{time}", tag.max(1))];
    let mut spares = true;
    for state in states {
        for spelling in spellings(&state) {
            for after in [0, 1000, reset / 2, reset + 1_000_000, 3 * reset + 3_000_000] {
                twins.clear();
                twins.set_clock(START + after);
                redis::cmd("SET").arg(&name).arg(&spelling).exec(twins.raw()).unwrap();
                for requests in [vec![TestRequest::new(0, limit, 1)], vec![TestRequest::new(0, limit, 1); 2]]
                {
                    spares &= decide(&twins.redis, Mode::Check, &requests).await.is_err();
                }
                spares &= decide(&twins.redis, Mode::Check, &all).await.is_err();
                let take = TestAdjustment { key: 0, limit, units: 1, change: Change::Take };
                spares &= adjust(&twins.redis, &[take]).await.is_ok_and(|units| units == [0]);
                let found: String = redis::cmd("GET").arg(&name).query(twins.raw()).unwrap();
                if !spares || found != spelling {
                    return false;
                }
            }
        }
    }
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spellings_of_a_state_are_foreign() {
    let mut twins = Twins::start();
    for limit in each(5, support::MINUTE) {
        assert!(spares_spellings(&mut twins, limit).await, "{limit}");
    }
}
