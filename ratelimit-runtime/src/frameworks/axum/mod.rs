//! axum: its extractors, responses, and bodies that hold. axum uses the layer of tower.

mod body;
mod request;
mod response;

pub(super) use request::peer;
