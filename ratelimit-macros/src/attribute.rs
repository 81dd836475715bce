//! Expands an attribute: writes the limited function or block.

use crate::completion::hints;
use crate::expand;
use crate::item::Item;
use crate::model::Model;
use proc_macro2::TokenStream;
use quote::ToTokens;
use ratelimit_syntax::annotated::{Annotated, Read, read};

/// If there are errors, returns the errors and the unchanged item.
pub(crate) fn attribute(arguments: TokenStream, annotated: TokenStream) -> TokenStream {
    let Read { attributes, annotated: item, models, errors } = read(arguments, annotated.clone());
    let Some(item) = item else {
        return errors.beside(hints(&attributes), annotated);
    };
    if !errors.is_empty() {
        return errors.beside(hints(&attributes), written(item, Item::into_token_stream));
    }
    let mut models = models.into_iter();
    written(item, |item| limited(models.next(), item))
}

/// Writes a function limited by its model. A function without a model is written unchanged.
fn limited(model: Option<Model>, item: Item) -> TokenStream {
    match model {
        Some(model) => expand::expand(&model, item),
        None => item.into_token_stream(),
    }
}

/// Writes the annotated item: `function` writes the annotated function, or each function that the annotated block limits.
fn written(annotated: Annotated, mut function: impl FnMut(Item) -> TokenStream) -> TokenStream {
    match annotated {
        Annotated::Function(item) => function(*item),
        Annotated::Block(block) => block.into_tokens(|item| match item.block {
            Some(_) => function(item),
            None => item.into_token_stream(),
        }),
    }
}
