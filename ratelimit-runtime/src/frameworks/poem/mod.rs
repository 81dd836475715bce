//! poem: its requests and responses, the layer as a middleware, and bodies that hold.

mod layer;
mod request;
mod response;
