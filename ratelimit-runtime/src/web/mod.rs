//! Web frameworks: find client addresses, headers and users in their requests, and convert rejections into responses.

#[cfg(feature = "actix-web")]
mod actix;
#[cfg(feature = "axum")]
mod axum;
#[cfg(feature = "_http")]
pub(crate) mod http;
#[cfg(feature = "poem")]
mod poem;
#[cfg(feature = "rocket")]
pub(crate) mod rocket;
#[cfg(feature = "salvo")]
mod salvo;
#[cfg(feature = "tonic")]
mod tonic;
