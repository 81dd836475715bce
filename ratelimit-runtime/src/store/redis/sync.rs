//! What the gate is built of. Its test puts other ones here, which try every order of events.

pub(super) use std::sync::{Arc, Mutex, PoisonError};
