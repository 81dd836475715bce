//! Tests every shape of function with every set of arguments of the attribute: alone, below and above another attribute, and
//! under `#[async_trait]`. Each combination compiles, admits one call, and refuses the next one before its body.

mod function;

use crate::harness::{PEER, Runs, scoped};
use async_trait::async_trait;
use function::{call, function};
use ratelimit::{Limit, Rejection, rate_limit};
use std::fmt::Display;
use std::future::{Future, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use support::MINUTE;
use tracing::instrument;

const ID: u32 = 3;
const LIMIT: Limit = Limit::sliding_log(1, MINUTE);

type Outcome = Pin<Box<dyn Future<Output = Result<(), Rejection>>>>;

/// One cell of the matrix: its position, the code that calls its function, and the name of the limit that refuses the second
/// call.
struct Cell {
    place: &'static str,
    call: fn(&'static Runs) -> Outcome,
    limit: &'static str,
}

/// The body of each function.
#[expect(clippy::unnecessary_wraps, reason = "the functions return what it returns")]
fn run(id: u32, peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> {
    assert_eq!((id, peer), (ID, PEER));
    Ok(runs.add())
}

/// `$id` and `$peer` are parameters because of macro hygiene: `shape!` names the arguments of the functions, and an `id` that
/// this macro writes would be a different name.
macro_rules! arguments {
    ($kind:ident $above:tt $below:tt $id:ident $peer:ident $template:literal) => {
        cells! { $kind $above $below $id $peer
            bare "cell" [#[rate_limit(count = 1)]]
            by "cell" [#[rate_limit(count = 1, by = ($id, "ip"))]]
            key "matrix:{id}" [#[rate_limit(count = 1, key = $template)]]
            per_call "cell" [#[rate_limit(count = $id, cost = $id, algorithm = "token_bucket")]]
            limit "cell" [#[rate_limit(limit = LIMIT)]]
            refund_if "cell" [#[rate_limit(count = 1, refund_if = |result| drop_it(result))]]
            wait "cell" [#[rate_limit(count = 1, wait = "1s", by = $peer)]]
            stack "second" [#[rate_limit(count = 2)] #[rate_limit(count = 1, key = "second", time = "1h")]]
        }
    };
}

/// The condition of `refund_if`, which is never true.
fn drop_it<T>(_: &T) -> bool {
    false
}

macro_rules! cells {
    ($kind:ident $above:tt $below:tt $id:ident $peer:ident $($name:ident $limit:literal [$($attribute:tt)*])*) => {
        $(mod $name {
            use super::super::super::*;
            function! { $kind $above [$($attribute)*] $below $id $peer }
        })*

        pub(super) const CELLS: &[super::super::Cell] = &[$(super::super::Cell {
            place: concat!(module_path!(), "::", stringify!($name)),
            call: $name::call,
            limit: $limit,
        }),*];
    };
}

macro_rules! shape {
    ($shape:ident: $($variant:ident $kind:ident $above:tt $below:tt)*) => {
        mod $shape {
            $(mod $variant {
                arguments! { $kind $above $below id peer "matrix:{id}" }
            })*
            pub(super) const VARIANTS: &[&[super::Cell]] = &[$($variant::CELLS),*];
        }
    };
}

macro_rules! shapes {
    ($($kind:ident $(and $in_async_trait:ident)?;)*) => {
        $(shape! { $kind:
            plain $kind [] []
            under_instrument $kind [#[instrument(skip_all)]] []
            above_instrument $kind [] [#[instrument(skip_all)]]
            $(in_async_trait $in_async_trait [] [])?
        })*
    };
}

shapes! {
    free;
    associated and async_trait_associated;
    by_reference and async_trait_by_reference;
    by_mutable_reference and async_trait_by_mutable_reference;
    by_value and async_trait_by_value;
    by_arc and async_trait_by_arc;
    generic and async_trait_generic;
    of_a_trait and async_trait_of_a_trait;
    opaque;
    future;
    boxed;
}

shape! { of_a_block:
    plain of_a_block [] []
    above_instrument of_a_block [] [#[instrument(skip_all)]]
    in_async_trait async_trait_of_a_block [] []
}

const SHAPES: [&[&[Cell]]; 12] = [
    free::VARIANTS,
    associated::VARIANTS,
    by_reference::VARIANTS,
    by_mutable_reference::VARIANTS,
    by_value::VARIANTS,
    by_arc::VARIANTS,
    generic::VARIANTS,
    of_a_trait::VARIANTS,
    opaque::VARIANTS,
    future::VARIANTS,
    boxed::VARIANTS,
    of_a_block::VARIANTS,
];

/// The number of combinations that do not exist. `#[async_trait]` does not apply to free functions, leaves functions that
/// return futures unchanged, and accepts no `impl Trait`. For an `impl` block, there is no cell with `#[instrument]` above
/// the limit: the limit is above the block, and `#[instrument]` is on a method.
const MISSING: usize = (4 + 1) * 8;

#[tokio::test]
async fn each_cell_lets_one_call_pass() {
    let cells: Vec<&Cell> = SHAPES.iter().flat_map(|shape| shape.iter().copied().flatten()).collect();
    assert_eq!(cells.len(), 12 * 8 * 4 - MISSING);
    for Cell { place, call, limit } in cells {
        let runs: &'static Runs = Box::leak(Box::default());
        scoped(async {
            assert!(call(runs).await.is_ok(), "{place}: the first call passes");
            assert_eq!(runs.count(), 1, "{place}: its body runs");
            let rejection = call(runs).await.unwrap_err();
            assert!(rejection.name().ends_with(limit), "{place}: {rejection:?}");
            assert_eq!(runs.count(), 1, "{place}: the body of a refused call does not run");
        })
        .await;
    }
}
