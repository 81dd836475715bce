//! Tests of adaptive limits: permits, rejections, and the limit on simulated servers.

mod permits;
mod server;
mod simulated;
