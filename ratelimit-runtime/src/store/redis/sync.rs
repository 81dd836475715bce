//! The primitives of the queue, its pending calls and the count of slow calls. Their model tests replace this module by
//! loom's primitives.

pub(super) use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
