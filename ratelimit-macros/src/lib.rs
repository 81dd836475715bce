//! The `#[rate_limit]` attribute. It is an implementation detail of `ratelimit-runtime`: depend on that crate, which
//! re-exports the attribute with everything that the expanded code needs.

mod args;
mod async_trait;
mod attribute;
mod body;
mod check;
mod completion;
mod errors;
mod expand;
mod future;
mod impl_block;
mod item;
mod key;
mod model;
mod neighbors;
mod rate;
#[allow(dead_code, unreachable_pub, reason = "a link to files of the runtime, which uses more of them")]
mod rules;
mod stack;
mod suggest;
mod table;
mod upgrade;

use attribute::attribute;

/// Limits an async function. Use this attribute through `ratelimit-runtime`, which re-exports it and documents its
/// arguments.
#[proc_macro_attribute]
pub fn rate_limit(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    attribute(arguments.into(), item.into()).into()
}
