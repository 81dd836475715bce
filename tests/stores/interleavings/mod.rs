//! Model tests with loom: parts of the Redis client in every order of events.

mod call_deadlines;
mod call_queue;
mod calls;
mod slow_server;

/// The imports of the included parts. They replace the primitives of the standard library with those of loom, and requests and
/// replies with numbers.
mod parts {
    pub(super) use loom::sync::atomic::AtomicBool;
    pub(super) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;

    pub(super) type Mode = ();
    pub(super) type Request = u32;
    pub(super) type Reply = u32;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the request of the store is larger")]
    pub(super) const fn units(_: &Request) -> u32 {
        0
    }
}

#[path = "../../../ratelimit-runtime/src/store/redis/waiting/queue.rs"]
mod queue;

#[expect(dead_code, reason = "the tests do not read the mode, and give no waker before a call is shared")]
#[path = "../../../ratelimit-runtime/src/store/redis/waiting/call.rs"]
mod call;
