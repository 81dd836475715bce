//! The public conformance suite: both stores pass it, and stores with one mistake each fail with the sentence that names it.

mod both_stores;
mod planted;
