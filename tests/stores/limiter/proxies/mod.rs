//! Trusted proxies: which address is the client's, whatever a client writes into headers.

mod bad_input;
mod http_types;
mod matrix;
mod random;
mod replaced;
mod sent;
mod settings;
mod warning;

use sent::{Sent, limiter, peer};
