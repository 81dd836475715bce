//! Support for poem: requests and responses, the layer as a middleware, and bodies that hold permits and charges.

mod layer;
mod request;
mod response;
