//! Permits and charges that last until the body of a response ends, fails, or is dropped.

// The guard moves what it holds into the body, which ends it once: at its end, or when it is dropped. A response type that
// cannot contain another body is wrapped in `Holding`.

mod held;
#[cfg(feature = "_http")]
pub(crate) mod held_body;
pub(crate) mod held_stream;
pub(crate) mod hold_body;
pub(crate) mod pieces;

pub(crate) use held::Settle;
pub use held::{BodySent, Held};
// A compile error about a missing name quotes this condition, so the condition lists the public features.
#[cfg(any(feature = "axum", feature = "poem", feature = "salvo", feature = "tonic", feature = "tower"))]
pub use held_body::HeldBody;
pub use hold_body::{HoldBody, Holding};
