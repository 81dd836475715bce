//! Support for rocket: requests and responses, a guard with the headers of a request, the layer as a fairing, and bodies that
//! hold permits and charges.

mod body;
mod layer;
mod passage;
mod request;
mod response;

pub use request::RequestHead;
