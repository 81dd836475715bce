//! Expands an attribute: parses its arguments, checks them, and writes the limited function.

use crate::args::Arguments;
use crate::completion::hints;
use crate::errors::Errors;
use crate::impl_block::ImplBlock;
use crate::item::Item;
use crate::{check, expand, stack};
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};

/// Returns the limited function or block. After an error, returns the errors and the item as it was.
pub(crate) fn attribute(arguments: TokenStream, annotated: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = Arguments::parse(arguments, &mut errors);
    match syn::parse2(annotated.clone()) {
        Ok(Annotated::Function(item)) => limited(&arguments, *item, errors),
        Ok(Annotated::Block(block)) => block.limited(&arguments, errors),
        Err(error) => {
            errors.add(error);
            errors.beside(hints(std::iter::once(&arguments)), annotated)
        }
    }
}

/// The items that can have the attribute.
enum Annotated {
    Function(Box<Item>),
    Block(ImplBlock),
}

impl Parse for Annotated {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if ImplBlock::is_next(input) {
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
    errors.beside(hints(std::iter::once(first).chain(&others)), item)
}
