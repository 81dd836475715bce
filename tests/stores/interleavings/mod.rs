//! Model checks with loom: parts of the Redis client in every order of events.

mod call_queue;
mod slow_server;
