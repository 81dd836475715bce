//! Tests that the futures of limited functions stay `Send`, and that they borrow no longer than the futures of plain
//! functions.

use crate::harness::{PEER, Runs, scoped};
use axum::extract::ConnectInfo;
use ratelimit::{Rejection, rate_limit};
use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::Mutex;

fn send<T: Send>(value: T) -> T {
    value
}

/// A type that is `Send` but not `Sync`, so that a reference to it is not `Send`.
struct Counted(Cell<u32>);

impl Counted {
    fn next(&self) -> u32 {
        self.0.replace(self.0.get() + 1)
    }
}

#[rate_limit(by = counted.0.get(), key = "{counted.next()}", cost = counted.next(), count = counted.next() + 5)]
async fn borrows_what_is_not_sync(counted: Counted) -> Result<u32, Rejection> {
    tokio::task::yield_now().await;
    Ok(counted.next())
}

#[rate_limit(by = "ip")]
async fn looks_at_all_arguments(
    counted: Counted,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Counted(cell): Counted,
) -> Result<u32, Rejection> {
    tokio::task::yield_now().await;
    assert!(peer.ip().is_loopback());
    Ok(counted.next() + cell.into_inner())
}

#[rate_limit(by = names.lock().unwrap().len(), key = "{names.lock().unwrap().capacity()}")]
async fn locks(names: &Mutex<Vec<String>>) -> Result<usize, Rejection> {
    tokio::task::yield_now().await;
    Ok(names.lock().unwrap().len())
}

#[rate_limit(on_limit = |_| assert_eq!(shared.0.into_inner(), 1))]
async fn fallback_takes_an_argument(shared: Counted) {
    tokio::task::yield_now().await;
    shared.next();
}

#[rate_limit]
async fn opaque(runs: &Runs) -> impl Send + use<'_> {
    runs.add()
}

#[tokio::test]
async fn futures_are_send() {
    let counted = || Counted(Cell::new(1));
    scoped(async {
        assert_eq!(send(borrows_what_is_not_sync(counted())).await.unwrap(), 4);
        send(looks_at_all_arguments(counted(), ConnectInfo(PEER), counted())).await.unwrap();
        send(fallback_takes_an_argument(counted())).await;
        assert!(send(opaque(&Runs::default())).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn locks_are_released_before_the_body() {
    let names = Mutex::new(vec![String::new()]);
    assert_eq!(scoped(send(locks(&names))).await.unwrap(), 1);
}
