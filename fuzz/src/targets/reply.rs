//! Fuzz target `reply`: reads the reply of a server to `decide`. The client must refuse the reply, or make decisions that the
//! limits allow.

use ratelimit::__testing::read_reply;
use ratelimit::Limit;
use ratelimit::store::Mode;
use std::time::Duration;

const LIMITS: [Limit; 4] = [
    Limit::counter(10, Duration::from_secs(60)),
    Limit::token_bucket(3, Duration::from_millis(1)).burst(7),
    Limit::leaky_bucket(1, Duration::from_secs(86_400)).wait(Duration::from_secs(5)),
    Limit::concurrency(100, Duration::from_secs(30)),
];

/// Reads one input. The first byte sets the number of expected decisions, the mode, and whether the reply consists of whole
/// numbers.
pub(super) fn run(input: &[u8]) {
    let [first, reply @ ..] = input else { return };
    let mode = [Mode::Peek, Mode::Check, Mode::Charge][usize::from(first >> 2) % 3];
    let limits = &LIMITS[..=usize::from(first % 4)];
    let reply = if *first >= 128 { whole_numbers(reply) } else { reply.to_vec() };
    let Some(decisions) = read_reply(&reply, mode, limits) else { return };
    assert!(decisions.len() == limits.len(), "{reply:?} has {} decisions", decisions.len());
    for (decision, limit) in decisions.iter().zip(limits) {
        assert!(decision.remaining() <= limit.capacity(), "{reply:?}: {decision:?}");
        assert!(decision.delay() <= limit.longest_wait(), "{reply:?}: {decision:?}");
        assert!(decision.stamp() == 0 || mode == Mode::Charge, "{reply:?}: {decision:?}");
        assert!(!decision.is_allowed() || decision.retry_after().is_none(), "{reply:?}: {decision:?}");
        assert!(decision.retry_after() != Some(Duration::ZERO), "{reply:?}: {decision:?}");
    }
}

/// Turns each eight bytes into a double that is a whole number, mostly a small one, because most random doubles are not whole
/// numbers.
#[expect(clippy::cast_precision_loss, reason = "at most 2^53")]
fn whole_numbers(bytes: &[u8]) -> Vec<u8> {
    let (numbers, _) = bytes.as_chunks::<8>();
    let whole = |bytes: &[u8; 8]| (i64::from_le_bytes(*bytes) >> 10 >> (bytes[0] % 53)) as f64;
    numbers.iter().flat_map(|bytes| whole(bytes).to_le_bytes()).collect()
}
