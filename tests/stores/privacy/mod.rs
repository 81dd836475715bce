//! Secrets and user data: no error, event or `Debug` output contains keys, identities, passwords or stored text.

mod debug_output;
mod echoing_servers;
mod public_hashes;
