//! poem: its requests and responses, the layer as a middleware, and bodies that hold.

mod body;
mod layer;
mod request;
mod response;

pub use layer::RateLimitEndpoint;
