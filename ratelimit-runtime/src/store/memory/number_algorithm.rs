//! `NumberAlgorithm`: what the algorithms whose state is a number have in common.

use super::table::Number;
use crate::limit::Limit;

/// A state that an algorithm has read from a number. It judges requests, and charges those that pass.
pub(super) trait NumberAlgorithm<'l>: Sized {
    /// Reads a number that exists. At its very deadline, it still exists, as a key in Redis does.
    fn read(limit: &'l Limit, number: Option<Number>, now: u64) -> Self;

    /// As [`Verdict::wait_ms`]. If `keeps`, the cost includes units that are left to others.
    fn wait_ms(&self, cost: i64, keeps: bool) -> Option<u64>;

    /// As [`Verdict::room`].
    fn room(&self) -> i64;

    /// As [`Verdict::reset_ms`].
    fn reset_ms(&self) -> u64;

    /// Charges a cost that fits after `wait` ms. Returns the new number, which this state then describes.
    fn charge(&mut self, cost: u32, wait: u64) -> Number;
}
