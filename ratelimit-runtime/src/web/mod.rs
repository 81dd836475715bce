//! Web frameworks: find client addresses, headers and users in their requests, and convert rejections into responses.

#[cfg(feature = "axum")]
mod axum;
#[cfg(feature = "_http")]
pub(crate) mod http;
#[cfg(feature = "salvo")]
mod salvo;
