//! Model checks with loom: parts of the Redis client in every order of events.

mod call_deadlines;
mod call_queue;
mod calls;
mod slow_server;

/// What the included parts import instead of the primitives of the standard library.
mod sync {
    pub(super) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;
}

#[path = "../../../ratelimit-runtime/src/store/redis/waiting/deadlines.rs"]
mod deadlines;

#[path = "../../../ratelimit-runtime/src/store/redis/waiting/queue.rs"]
mod queue;

#[expect(dead_code, reason = "the tests do not prepare a call before it is shared")]
#[path = "../../../ratelimit-runtime/src/store/redis/waiting/pending.rs"]
mod pending;
