//! Fuzz targets for the code of the attribute, and for all code that reads text from other programs. A procedural macro does not
//! export functions, so this crate mounts its source files as modules.

#[path = "../../ratelimit-macros/src/attribute.rs"]
mod attribute;
#[path = "../../ratelimit-macros/src/completion.rs"]
mod completion;
#[path = "../../ratelimit-macros/src/expand/mod.rs"]
mod expand;

pub mod generate;
pub mod targets;

use attribute::attribute;
use ratelimit_syntax::{
    args, async_trait, body, check, errors, future, item, key, model, neighbors, table, upgrade,
};
