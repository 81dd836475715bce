//! Tests of the table of postponed changes: its order, its bound, and what is left of a pause.

use super::{MOST, Table, Waiting};
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Adjustment, Change};
use crate::tasks::Tasks;
use std::time::Duration;
use tokio::time::{Instant, advance};

const MINUTE: Duration = Duration::from_secs(60);
const LIMIT: Limit = Limit::counter(9, MINUTE);

fn waiting(key: &str, change: Change) -> Waiting {
    Waiting::new(Adjustment::new(StoreKey::new(key.as_bytes()), LIMIT, 1, change), Tasks::default().count())
}

fn places(taken: &[(u64, Waiting)]) -> Vec<u64> {
    taken.iter().map(|(place, _)| *place).collect()
}

#[tokio::test(start_paused = true)]
async fn of_two_pauses_the_one_that_ends_later_is_sent_with_what_is_left() {
    let mut table = Table::default();
    for ms in [3000, 9000, 5000] {
        table.add(waiting("partner", Change::Pause(ms)));
    }
    table.add(waiting("other", Change::Pause(4000)));
    advance(Duration::from_millis(2500)).await;
    let taken = table.take(9, Instant::now());
    let left: Vec<Change> = taken.iter().map(|(_, waiting)| waiting.now().change()).collect();
    assert_eq!(left, [Change::Pause(6500), Change::Pause(1500)]);
    // The first pause becomes longer while it is sent, so it is sent again.
    table.add(waiting("partner", Change::Pause(20_000)));
    for (place, waiting) in taken {
        table.sent(place, waiting, false);
    }
    assert_eq!(table.take(9, Instant::now()).len(), 1);
    advance(MINUTE).await;
    assert!(table.take(9, Instant::now()).is_empty() && table.pauses.is_empty(), "the pause is over");
}

#[tokio::test(start_paused = true)]
async fn a_refund_is_taken_once_and_a_failed_one_goes_to_the_end() {
    let mut table = Table::default();
    for stamp in [1, 2, 3] {
        table.add(waiting("key", Change::Give(stamp)));
    }
    let mut first = table.take(1, Instant::now());
    assert_eq!(places(&first), [1]);
    assert_eq!(places(&table.take(1, Instant::now())), [2], "the first one is on its way");
    let (place, refund) = first.remove(0);
    table.sent(place, refund, true);
    assert_eq!(places(&table.take(9, Instant::now())), [3, 4]);
    table.add(waiting("key", Change::Take));
    advance(2 * MINUTE).await;
    assert!(table.take(9, Instant::now()).is_empty(), "all units are free anyway");
}

#[tokio::test(start_paused = true)]
async fn the_table_is_bounded_and_warns_once_for_an_outage() {
    let mut table = Table::default();
    assert!(table.warns() && !table.warns());
    table.add(waiting("first", Change::Pause(9000)));
    for stamp in 0..MOST as u64 {
        table.add(waiting("key", Change::Give(stamp)));
    }
    assert_eq!((table.changes.len(), table.pauses.len()), (MOST, 0));
    table.note_success();
    assert!(!table.warns(), "changes are left");
    drop(table.take(MOST, Instant::now()));
    table.note_success();
    assert!(table.warns(), "another outage");
}
