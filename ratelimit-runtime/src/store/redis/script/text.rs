//! The texts of scripts, and the digests by which a server knows them.

use std::sync::Arc;

/// The text of a script and its SHA-1 digest, which is computed once.
pub(crate) struct Script {
    text: Arc<str>,
    digest: String,
}

impl Script {
    /// Creates a script that consists of `prelude` and `text`.
    pub(crate) fn new(prelude: &str, text: &str) -> Self {
        let text = [prelude, text].concat();
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self { text: text.into(), digest }
    }

    pub(super) fn text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    pub(super) fn digest(&self) -> &str {
        &self.digest
    }
}
