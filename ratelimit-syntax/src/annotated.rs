//! Reads the topmost attribute with its function or block. The compiler passes the arguments of this attribute separately. The
//! attributes below it are still on the function or block.

use crate::args::Arguments;
use crate::check;
use crate::errors::Errors;
use crate::impl_block::ImplBlock;
use crate::item::Item;
use crate::model::Model;
use crate::stack;
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};

/// The items that can have the attribute.
pub enum Annotated {
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

/// An attribute with its function or block, and its mistakes.
pub struct Read {
    /// The attributes: first the topmost one, then those below it on the function or block.
    pub attributes: Vec<Arguments>,
    /// The function or block without its `rate_limit` attributes. `None` if it cannot be parsed.
    pub annotated: Option<Annotated>,
    /// One model for each limited function, in the order of the functions. The models are meaningless if there are errors.
    pub models: Vec<Model>,
    pub errors: Errors,
}

/// Reads an attribute with these arguments, and the function or block below it.
pub fn read(arguments: TokenStream, annotated: TokenStream) -> Read {
    let mut errors = Errors::default();
    let first = Arguments::parse(arguments, &mut errors);
    match syn::parse2(annotated) {
        Ok(Annotated::Function(item)) => of_function(first, item, errors),
        Ok(Annotated::Block(block)) => of_block(first, block, errors),
        Err(error) => {
            errors.add(error);
            Read { attributes: vec![first], annotated: None, models: Vec::new(), errors }
        }
    }
}

fn of_function(first: Arguments, mut item: Box<Item>, mut errors: Errors) -> Read {
    item.check(&mut errors);
    let others = stack::collect(&first, &mut item.attributes, &item.body, &mut errors);
    check_skips(&first, &others, &mut errors);
    let models = vec![check::check(&first, &others, &item, &mut errors)];
    Read { attributes: all(first, others), annotated: Some(Annotated::Function(item)), models, errors }
}

fn of_block(first: Arguments, mut block: ImplBlock, mut errors: Errors) -> Read {
    let others = block.collect(&first, &mut errors);
    check_skips(&first, &others, &mut errors);
    let models = block.models(&first, &others, &mut errors);
    Read { attributes: all(first, others), annotated: Some(Annotated::Block(block)), models, errors }
}

fn check_skips(first: &Arguments, others: &[Arguments], errors: &mut Errors) {
    for arguments in std::iter::once(first).chain(others) {
        arguments.check_skip(errors);
    }
}

fn all(first: Arguments, others: Vec<Arguments>) -> Vec<Arguments> {
    std::iter::once(first).chain(others).collect()
}
