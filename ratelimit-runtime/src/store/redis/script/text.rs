//! The texts of the scripts, and the digests by which a server knows them.

use std::sync::Arc;

/// Joins `head.lua`, the algorithms as functions of the table `modules`, and a main script into one text.
macro_rules! script {
    ($main:literal) => {
        concat!(
            include_str!("../../../../lua/head.lua"),
            "modules.bucket = function(...)\n",
            include_str!("../../../../lua/bucket.lua"),
            "end\nmodules.counter = function(...)\n",
            include_str!("../../../../lua/counter.lua"),
            "end\nmodules.token_bucket = function(...)\n",
            include_str!("../../../../lua/token_bucket.lua"),
            "end\nmodules.leaky_bucket = function(...)\n",
            include_str!("../../../../lua/leaky_bucket.lua"),
            "end\nmodules.sliding_window = function(...)\n",
            include_str!("../../../../lua/sliding_window.lua"),
            "end\nmodules.sliding_log = function(...)\n",
            include_str!("../../../../lua/sliding_log.lua"),
            "end\nmodules.concurrency = function(...)\n",
            include_str!("../../../../lua/concurrency.lua"),
            "end\nmodules.token_bucket_interval = modules.token_bucket\n",
            "modules.leaky_bucket_queue = modules.leaky_bucket\n",
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
