//! TODO

mod debug_output;
mod echoing_servers;
