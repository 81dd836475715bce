//! The `#[rate_limit]` attribute. This crate is an implementation detail of `ratelimit-runtime`. Depend on that crate, which
//! re-exports the attribute with everything that the expanded code needs.

mod attribute;
mod completion;
mod expand;

use attribute::attribute;
use ratelimit_syntax::{args, async_trait, body, future, item, model, neighbors, table, upgrade};

/// Limits an async function, or the async methods of an `impl` block. Use this attribute through `ratelimit-runtime`, which
/// re-exports it and documents its arguments.
#[proc_macro_attribute]
pub fn rate_limit(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    attribute(arguments.into(), item.into()).into()
}
