//! The texts of the scripts, and the digests by which a server knows them.

use std::sync::Arc;

/// Joins `head.lua`, the algorithms as branches of the function `implement`, and a main script into one text.
macro_rules! script {
    ($main:literal) => {
        concat!(
            include_str!("../../../../lua/head.lua"),
            "local function implement(...)\nlocal name = (...).name\nif name == \"counter\" then\n",
            include_str!("../../../../lua/counter.lua"),
            "elseif name == \"sliding_window\" then\n",
            include_str!("../../../../lua/sliding_window.lua"),
            "elseif name == \"sliding_log\" then\n",
            include_str!("../../../../lua/sliding_log.lua"),
            "elseif name == \"concurrency\" then\n",
            include_str!("../../../../lua/concurrency.lua"),
            "elseif name == \"token_bucket\" or name == \"token_bucket_interval\"\n",
            "or name == \"leaky_bucket\" or name == \"leaky_bucket_queue\" then\n",
            include_str!("../../../../lua/token_bucket.lua"),
            "if name == \"leaky_bucket_queue\" then\n",
            include_str!("../../../../lua/leaky_bucket.lua"),
            "end\nelse\nwrong(\"unknown algorithm\")\nend\nend\n",
            include_str!($main),
        )
    };
}

/// The script that decides about any number of requests.
pub(crate) const DECIDE: &str = script!("../../../../lua/decide.lua");
/// The script that returns, takes and renews units.
pub(crate) const ADJUST: &str = script!("../../../../lua/adjust.lua");

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
