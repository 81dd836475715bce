//! Answers to refused requests.

/// The form of the answers to refused requests.
#[derive(Clone, Debug, Default)]
pub struct Answers {}
