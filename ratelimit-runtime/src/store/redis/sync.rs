//! What the gate and its seats are built of. Their test puts other ones here, which try every order of events.

pub(super) use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
