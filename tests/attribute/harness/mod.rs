//! Helpers that the tests of the attribute share. This folder contains no tests.

mod calls;
mod functions;
mod remote_store;

pub(crate) use calls::{
    Failed, PEER, Runs, at_once, caught, keys_of, limiter, passes_once, reported, scoped, scoped_with, soon,
    unavailable, unidentified,
};
pub(crate) use functions::{counted, limited};
pub(crate) use remote_store::RemoteStore;
