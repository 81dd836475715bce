//! Lets other tasks run while a task calls a limit that refuses at once.

use std::task::{Context, Poll};
use tokio::task::coop::poll_proceed;

/// Takes a part of the time that tokio gives to the current task. Pending once in about a hundred calls of one poll, so that a
/// loop over a limit that refuses, or that cannot be decided, does not starve the other tasks of its thread. Always ready outside of tokio.
pub(crate) fn poll_yield(context: &mut Context<'_>) -> Poll<()> {
    poll_proceed(context).map(|progress| progress.made_progress())
}
