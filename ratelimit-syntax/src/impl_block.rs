//! Parses an annotated `impl` block, and finds the methods that it limits: each async method without its own attribute.

use crate::args::Arguments;
use crate::async_trait::is_word;
use crate::errors::Errors;
use crate::item::{self, Item};
use crate::model::Model;
use crate::neighbors::may_read_names;
use crate::{check, stack};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Generics, Token};

/// An `impl` block with its functions.
pub struct ImplBlock {
    pub attributes: Vec<Attribute>,
    /// The tokens from `impl` to the braces.
    header: TokenStream,
    generics: Vec<Ident>,
    body: Group,
    items: Vec<BlockItem>,
}

enum BlockItem {
    Function(Box<Item>),
    /// A constant, type, macro call, or function without a body.
    Other(TokenStream),
    /// A function whose signature cannot be read, and the error.
    Unread(TokenStream, syn::Error),
}

impl Parse for ImplBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let mut header: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
        let body = match header.pop() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group,
            _ => return Err(input.error("`#[rate_limit]` cannot read this signature: complete it")),
        };
        let header: TokenStream = header.into_iter().collect();
        let generics = generics.parse2(header.clone()).unwrap_or_default();
        let generics = item::names(&generics).cloned().collect();
        let items = items.parse2(body.stream())?;
        Ok(Self { attributes, header, generics, body, items })
    }
}

fn generics(input: ParseStream<'_>) -> syn::Result<Generics> {
    input.parse::<Option<Token![unsafe]>>()?;
    input.parse::<Token![impl]>()?;
    let generics = input.parse()?;
    input.parse::<TokenStream>()?;
    Ok(generics)
}

fn items(input: ParseStream<'_>) -> syn::Result<Vec<BlockItem>> {
    let attributes = input.call(Attribute::parse_inner)?;
    let mut items = vec![BlockItem::Other(quote!(#(#attributes)*))];
    while !input.is_empty() {
        let ahead = input.fork();
        items.push(match Item::parse(&ahead) {
            Ok(item) => {
                input.advance_to(&ahead);
                BlockItem::Function(Box::new(item))
            }
            Err(error) => no_function(input, error)?,
        });
    }
    Ok(items)
}

/// Reads an item that is not a function with a body, or a function that cannot be read. The item ends with a semicolon, or with
/// the braces of a function or macro call.
fn no_function(input: ParseStream<'_>, error: syn::Error) -> syn::Result<BlockItem> {
    let (mut tokens, mut is_function, mut is_macro) = (TokenStream::new(), false, false);
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        tokens.extend([token.clone()]);
        match token {
            TokenTree::Ident(word) => is_function |= word == "fn",
            TokenTree::Punct(sign) if sign.as_char() == ';' => return Ok(BlockItem::Other(tokens)),
            TokenTree::Punct(sign) => is_macro = sign.as_char() == '!',
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                if is_function {
                    return Ok(BlockItem::Unread(tokens, error));
                }
                if is_macro {
                    break;
                }
            }
            _ => {}
        }
    }
    Ok(BlockItem::Other(tokens))
}

impl ImplBlock {
    pub fn is_next(input: ParseStream<'_>) -> bool {
        let ahead = input.fork();
        let _ = ahead.call(Attribute::parse_outer);
        ahead.peek(Token![impl]) || ahead.peek(Token![unsafe]) && ahead.peek2(Token![impl])
    }

    /// Removes the `rate_limit` attributes below the topmost one from the block, and returns their arguments.
    pub(crate) fn collect(&mut self, first: &Arguments, errors: &mut Errors) -> Vec<Arguments> {
        stack::collect(first, &mut self.attributes, &self.body, errors)
    }

    /// Marks the methods that the block limits, and checks the attributes of the block for each of them. Returns one model for
    /// each limited method.
    pub(crate) fn models(
        &mut self,
        first: &Arguments,
        others: &[Arguments],
        errors: &mut Errors,
    ) -> Vec<Model> {
        if let Some(given) = first.get("fallible").filter(|_| self.implements_a_trait()) {
            errors.on(&given.name, check::FALLIBLE_OF_A_TRAIT);
        }
        self.choose(first, errors);
        let uses_self = first.use_self() || others.iter().any(Arguments::use_self);
        let models = self.limited().map(|item| {
            let mut of_method = Errors::default();
            let model = check::check(first, others, item, &mut of_method);
            if uses_self && item.signature.receiver().is_none() {
                let name = &item.signature.ident;
                errors.on(name, format_args!("the attribute of the block uses `self`, and `{name}` has none: exempt it with `#[rate_limit(skip)]`, or give it an attribute of its own"));
                return model;
            }
            // An error of the attribute is reported once, not for each method.
            errors.add_new(of_method);
            model
        });
        models.collect()
    }

    /// The methods that the block limits.
    pub fn limited(&self) -> impl Iterator<Item = &Item> {
        self.functions().filter(|item| item.block.is_some())
    }

    /// Marks the methods that the block limits: async methods without their own attribute.
    fn choose(&mut self, first: &Arguments, errors: &mut Errors) {
        let (mut awaited, mut limited) = (0, 0);
        let named = may_read_names(&self.attributes);
        for block_item in &mut self.items {
            match block_item {
                BlockItem::Function(item) => {
                    let has_its_own = has_its_own(first, item, errors);
                    let awaits = item.awaits();
                    item.named_by_block = named;
                    item.block = (awaits && !has_its_own).then(|| self.generics.clone());
                    awaited += usize::from(awaits);
                    limited += usize::from(item.block.is_some());
                }
                BlockItem::Unread(_, error) => errors.add(error.clone()),
                BlockItem::Other(_) => {}
            }
        }
        let has_unread = self.items.iter().any(|block_item| matches!(block_item, BlockItem::Unread(..)));
        if awaited == 0 && !has_unread {
            errors.at(
                Span::call_site(),
                "this block has no async method to limit: make one an `async fn`, or remove the attribute",
            );
        } else if limited == 0 && !has_unread {
            errors.at(
                Span::call_site(),
                "every async method of this block has an attribute of its own: remove this one",
            );
        }
    }

    /// Whether the block is `impl Trait for Type`. The `for` of a `for<'a>` does not count.
    fn implements_a_trait(&self) -> bool {
        let mut tokens = self.header.clone().into_iter().peekable();
        while let Some(token) = tokens.next() {
            let lifetimes = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '<');
            if is_word(&token, "for") && !lifetimes {
                return true;
            }
        }
        false
    }

    fn functions(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter_map(|block_item| match block_item {
            BlockItem::Function(item) => Some(&**item),
            _ => None,
        })
    }

    /// Writes the block. `function` writes each of its functions.
    pub fn into_tokens(self, mut function: impl FnMut(Item) -> TokenStream) -> TokenStream {
        let Self { attributes, header, body, items, .. } = self;
        let items = items.into_iter().map(|block_item| match block_item {
            BlockItem::Function(item) => function(*item),
            BlockItem::Other(tokens) | BlockItem::Unread(tokens, _) => tokens,
        });
        let mut block = Group::new(Delimiter::Brace, items.collect());
        block.set_span(body.span());
        quote!(#(#attributes)* #header #block)
    }
}

/// Whether a method has its own attribute, which replaces the attributes of the block. Removes `#[rate_limit(skip)]`.
fn has_its_own(first: &Arguments, item: &mut Item, errors: &mut Errors) -> bool {
    let (mut others, mut found) = (item.attributes.clone(), Errors::default());
    let limits = stack::take(first, &mut others);
    let limits: Vec<_> = limits.into_iter().map(|limit| Arguments::of(limit, &mut found)).collect();
    if limits.iter().any(|arguments| arguments.skip.is_some()) {
        item.attributes = others;
        errors.add_new(found);
        for arguments in &limits {
            arguments.check_skipped(errors);
        }
    }
    !limits.is_empty()
}
