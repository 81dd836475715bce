//! Fuzz targets for the code of the attribute macro and for the parser of forwarding headers. Neither is exported, so this crate
//! mounts their source files as modules.

#[path = "../../ratelimit-macros/src/args.rs"]
mod args;
#[path = "../../ratelimit-macros/src/async_trait.rs"]
mod async_trait;
#[path = "../../ratelimit-macros/src/attribute.rs"]
mod attribute;
#[path = "../../ratelimit-macros/src/body.rs"]
mod body;
#[path = "../../ratelimit-macros/src/check/mod.rs"]
mod check;
#[path = "../../ratelimit-macros/src/completion.rs"]
mod completion;
#[path = "../../ratelimit-macros/src/errors.rs"]
mod errors;
#[path = "../../ratelimit-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../ratelimit-runtime/src/proxies/parse/mod.rs"]
mod forwarded;
#[path = "../../ratelimit-macros/src/future.rs"]
mod future;
#[path = "../../ratelimit-macros/src/impl_block.rs"]
mod impl_block;
#[path = "../../ratelimit-macros/src/item.rs"]
mod item;
#[path = "../../ratelimit-macros/src/key.rs"]
mod key;
#[path = "../../ratelimit-macros/src/model/mod.rs"]
mod model;
#[path = "../../ratelimit-macros/src/neighbors.rs"]
mod neighbors;
#[path = "../../ratelimit-macros/src/rate.rs"]
mod rate;
#[allow(dead_code, unreachable_pub, reason = "a link to files of the runtime, which uses more of them")]
#[path = "../../ratelimit-macros/src/rules/mod.rs"]
mod rules;
#[path = "../../ratelimit-macros/src/stack.rs"]
mod stack;
#[path = "../../ratelimit-macros/src/suggest.rs"]
mod suggest;
#[path = "../../ratelimit-macros/src/table.rs"]
mod table;
#[path = "../../ratelimit-macros/src/upgrade.rs"]
mod upgrade;

pub mod generate;
pub mod targets;

use attribute::attribute;
