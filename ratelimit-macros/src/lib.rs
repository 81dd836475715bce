//! The `#[rate_limit]` attribute. An implementation detail of `ratelimit-runtime`: depend on that, which re-exports
//! it with everything that its code needs.

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
mod rate;
#[allow(dead_code, unreachable_pub, reason = "a link to files of the runtime, which uses more of them")]
mod rules;
mod stack;
mod suggest;
mod table;

use attribute::attribute;

/// This attribute comes from the crate `ratelimit-macros`. Its code refers to `ratelimit-runtime`, which re-exports it
/// and documents its arguments: depend on that one alone.
#[proc_macro_attribute]
pub fn rate_limit(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    attribute(arguments.into(), item.into()).into()
}
