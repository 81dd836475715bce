//! axum: its extractors, responses, and bodies that hold. Its layer is that of tower.

mod body;
mod request;
mod response;

pub(super) use request::peer;
