//! Runs a call from its start to its end. Attributes, layers and methods pass each call to [`attempt`](mod@attempt).
//!
//! If the units of a call are never returned, the call is decided at once or waits for one reply. Any other call is a [`Stack`]
//! that [`claim`](mod@claim) decides. Such a call has [`Holdings`] until it ends.

mod acquire;
mod at_once;
mod attempt;
mod block;
mod changes;
mod charge;
mod check;
mod checking;
mod claim;
mod holdings;
mod member;
mod now;
mod pause;
mod permit;
mod record;
mod shadow;

pub(crate) use attempt::{Pending, failed, limited, passed, shadow_failed};
pub use charge::Charge;
pub use checking::Admitted;
pub(crate) use holdings::Holdings;
pub(crate) use member::{Member, Stack, join};
pub use permit::Permit;
