//! Tests of estimates: what is learned, hostile numbers, and calls that end in unusual ways.

mod charges;
mod numbers;
