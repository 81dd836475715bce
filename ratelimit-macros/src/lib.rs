//! The `#[rate_limit]` attribute. An implementation detail of `ratelimit-runtime`: depend on that, which re-exports
//! it with everything that its code needs.

mod args;
mod boxed;
mod check;
mod duration;
mod errors;
mod expand;
mod item;
mod key;
mod model;
mod suggest;

use args::Arguments;
use errors::Errors;
use item::Item;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Limits how often an async function may run.
#[proc_macro_attribute]
pub fn rate_limit(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    attribute(arguments.into(), item.into()).into()
}

/// The whole way, from tokens to tokens. Where something is wrong, the errors come beside the function as it was, so
/// that nothing else breaks.
fn attribute(arguments: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = Arguments::parse(arguments, &mut errors);
    let mut item: Item = match syn::parse2(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            errors.add(error);
            let errors = errors.into_compile_errors();
            return quote!(#errors #tokens);
        }
    };
    item.check(&mut errors);
    let model = check::check(&arguments, &item, &mut errors);
    if errors.is_empty() {
        return expand::expand(&model, item);
    }
    let mut output = errors.into_compile_errors();
    item.to_tokens(&mut output);
    output
}
