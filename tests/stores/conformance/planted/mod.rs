//! Stores with one mistake each. For each store, the suite reports a sentence or a rule that names the mistake. The same store
//! without the mistake passes with the same operations, so the failure also shows that a caller sees the mistake.

mod blocks;
mod calls;
mod others;
mod wrong;

use ratelimit::MemoryStore;
use ratelimit::clock::ManualClock;
use ratelimit::testing::conformance::Suite;
use wrong::{Mistake, Wrong};

/// A tenth of the default, so that all these suites together take little time.
const OPERATIONS: usize = 20_000;

/// Runs the suite on a store with a mistake. Asserts that a failure contains this text, and prints the failure.
async fn assert_named(name: &str, mistake: Mistake, text: &str) {
    let clock = ManualClock::new();
    let store = Wrong::new(mistake, clock.clone());
    let report = Suite::new(store, async |time| clock.advance(time)).operations(OPERATIONS).check().await;
    let named = report.failures().iter().find(|failure| failure.to_string().contains(text));
    let named = named.unwrap_or_else(|| panic!("{name}: no failure contains {text:?}: {report}"));
    println!("{name}: {named}");
}

/// Makes a test of each row: the name of a mistake, the mistake, and a text of the failure.
macro_rules! mistakes {
    ($($name:ident: $place:ident($mistake:expr) => $text:literal;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                $crate::conformance::planted::assert_named(
                    stringify!($name),
                    $crate::conformance::planted::wrong::Mistake::$place($mistake),
                    $text,
                )
                .await;
            }
        )*
    };
}

use mistakes;

#[tokio::test]
async fn a_store_without_a_mistake_passes() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    let report = Suite::new(store, async |time| clock.advance(time)).operations(OPERATIONS).check().await;
    assert!(report.is_passed(), "{report}");
}
