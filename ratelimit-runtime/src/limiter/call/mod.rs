//! Runs a call from its start to its end. Attributes, layers and methods pass it to [`attempt`](mod@attempt).
//!
//! A call whose units are never returned is decided at once, or waits for one reply. Any other call is a [`Stack`] that
//! [`claim`](mod@claim) decides, and holds [`Holdings`] until it ends.

mod acquire;
mod attempt;
mod block;
mod charge;
mod check;
mod claim;
mod holdings;
mod member;
mod pause;
mod permit;
mod record;
mod shadow;

pub(crate) use attempt::{Pending, failed, shadow_failed};
pub use charge::Charge;
pub use check::Admitted;
pub(crate) use holdings::Holdings;
pub(crate) use member::{Member, Stack, join};
pub use permit::Permit;
