//! The whole way of an attribute, from tokens to tokens.

use crate::args::Arguments;
use crate::errors::Errors;
use crate::hints::hints;
use crate::item::Item;
use crate::{check, expand, stack};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// Where something is wrong, the errors come beside the function as it was, so
/// that nothing else breaks.
pub(crate) fn attribute(arguments: TokenStream, annotated: TokenStream) -> TokenStream {
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
