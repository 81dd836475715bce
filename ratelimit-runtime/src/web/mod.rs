//! Frameworks: where a request carries the client's address, and how a rejection becomes a response.

#[cfg(feature = "axum")]
mod axum;
