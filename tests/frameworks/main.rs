//! Tests of each web framework: annotated handlers behind a real server, asked by a real client on loopback.

mod streams;
