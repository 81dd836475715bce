//! Support for salvo: requests and responses, the layer as a handler, and bodies that hold permits and charges.

mod layer;
mod request;
mod response;
