//! Model checks with loom: parts of the Redis client in every order of events.

mod queue;
mod slow_calls;
