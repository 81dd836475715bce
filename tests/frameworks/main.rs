//! Tests of each web framework: annotated handlers behind a real server, asked by a real client on loopback.

mod axum;
mod behind_nginx;
mod handlers;
mod harness;
mod layer;
mod salvo;
mod streams;
