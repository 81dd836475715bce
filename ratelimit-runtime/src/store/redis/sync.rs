//! What the gate, its seats and the pace are built of. Their tests put other ones here, which try every order of events.

pub(super) use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
