//! Tests of the public conformance suite. Both stores pass it. A store with one mistake fails with the sentence that names the
//! mistake.

mod both_stores;
mod planted;
