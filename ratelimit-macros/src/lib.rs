//! The `#[rate_limit]` attribute. An implementation detail of `ratelimit-runtime`: depend on that, which re-exports
//! it with everything that its code needs.

mod args;
mod boxed;
mod check;
mod duration;
mod errors;
mod expand;
mod hints;
mod item;
mod key;
mod model;
mod stack;
mod suggest;

use args::Arguments;
use errors::Errors;
use hints::hints;
use item::Item;
use proc_macro2::TokenStream;
use quote::ToTokens;

/// This attribute comes from the crate `ratelimit-macros`. Its code refers to `ratelimit-runtime`, which re-exports it
/// and documents its arguments: depend on that one alone.
#[proc_macro_attribute]
pub fn rate_limit(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    attribute(arguments.into(), item.into()).into()
}

/// The whole way, from tokens to tokens. Where something is wrong, the errors come beside the function as it was, so
/// that nothing else breaks.
fn attribute(arguments: TokenStream, annotated: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = Arguments::parse(arguments, &mut errors);
    let mut item: Item = match syn::parse2(annotated.clone()) {
        Ok(item) => item,
        Err(error) => {
            errors.add(error);
            return beside(errors, hints(std::iter::once(&arguments)), annotated);
        }
    };
    item.check(&mut errors);
    let others = stack::collect(&arguments, &mut item, &mut errors);
    let model = check::check(&arguments, &others, &item, &mut errors);
    if errors.is_empty() {
        return expand::expand(&model, item);
    }
    let hints = hints(std::iter::once(&arguments).chain(&others));
    beside(errors, hints, item.into_token_stream())
}

fn beside(errors: Errors, hints: TokenStream, item: TokenStream) -> TokenStream {
    let mut output = errors.into_compile_errors();
    output.extend([hints, item]);
    output
}
