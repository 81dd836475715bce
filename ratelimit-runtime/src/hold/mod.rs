//! Permits and charges that last as long as a response: until its body ends, fails, or is dropped.

mod held;
mod hold_body;
mod holding;
#[cfg(any(feature = "_http", feature = "actix-web"))]
mod pieces;
mod sent;

#[cfg(feature = "actix-web")]
mod actix;
#[cfg(feature = "axum")]
mod axum;
#[cfg(feature = "_http")]
mod held_body;
#[cfg(feature = "poem")]
mod poem;
#[cfg(feature = "rocket")]
mod rocket;
#[cfg(feature = "salvo")]
mod salvo;
#[cfg(feature = "tonic")]
mod tonic;

pub use held::Held;
pub(crate) use held::Settle;
#[cfg(feature = "_http")]
pub use held_body::HeldBody;
pub use hold_body::HoldBody;
pub use holding::Holding;
pub use sent::Sent;
