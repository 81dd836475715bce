//! The whole way of an attribute, from tokens to tokens.

use crate::args::Arguments;
use crate::block::Block;
use crate::errors::Errors;
use crate::hints::hints;
use crate::item::Item;
use crate::{check, expand, stack};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};

/// Where something is wrong, the errors come beside the function or the block as it was, so that nothing else breaks.
pub(crate) fn attribute(arguments: TokenStream, annotated: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = Arguments::parse(arguments, &mut errors);
    match syn::parse2(annotated.clone()) {
        Ok(Annotated::Function(item)) => limited(&arguments, *item, errors),
        Ok(Annotated::Block(block)) => block.limited(&arguments, errors),
        Err(error) => {
            errors.add(error);
            beside(errors, hints(std::iter::once(&arguments)), annotated)
        }
    }
}

/// What the attribute can stand on.
enum Annotated {
    Function(Box<Item>),
    Block(Block),
}

impl Parse for Annotated {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if Block::is_next(input) {
            input.parse().map(Self::Block)
        } else {
            input.parse().map(|item| Self::Function(Box::new(item)))
        }
    }
}

fn limited(first: &Arguments, mut item: Item, mut errors: Errors) -> TokenStream {
    item.check(&mut errors);
    let others = stack::collect(first, &mut item.attributes, &item.body, &mut errors);
    for arguments in std::iter::once(first).chain(&others) {
        arguments.check_skip(&mut errors);
    }
    let model = check::check(first, &others, &item, &mut errors);
    if errors.is_empty() {
        return expand::expand(&model, item);
    }
    let hints = hints(std::iter::once(first).chain(&others));
    beside(errors, hints, item.into_token_stream())
}

pub(crate) fn beside(errors: Errors, hints: TokenStream, item: TokenStream) -> TokenStream {
    let mut output = errors.into_compile_errors();
    output.extend([hints, item]);
    output
}
