//! `until = "body_end"`: permits and charges that last as long as the response. Each test runs with the memory store and a
//! private Redis server, over HTTP/1.1 and HTTP/2.

mod by_hand;
mod charges;
mod events;
mod grpc;
mod permits;
mod server;
mod types;
