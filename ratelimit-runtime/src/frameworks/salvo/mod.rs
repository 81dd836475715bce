//! salvo: its requests and responses, the layer as a handler, and bodies that hold.

mod layer;
mod request;
mod response;
