//! Fuzz targets for the code of the attribute macro and for the parser of forwarding headers. Neither is exported, so this crate
//! mounts their source files as modules.

#[path = "../../ratelimit-macros/src/attribute.rs"]
mod attribute;
#[path = "../../ratelimit-macros/src/completion.rs"]
mod completion;
#[path = "../../ratelimit-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../ratelimit-runtime/src/proxies/parse/mod.rs"]
mod forwarded;

pub mod generate;
pub mod targets;

use attribute::attribute;
use ratelimit_syntax::{
    args, async_trait, body, check, errors, future, item, key, model, neighbors, table, upgrade,
};
