//! Trusted proxies: the limiter finds the client's address, whatever the client writes into headers.

mod bad_input;
mod http_types;
mod matrix;
mod random;
mod replaced;
mod sent;
mod settings;
mod warning;

use sent::{Sent, limiter, peer};
