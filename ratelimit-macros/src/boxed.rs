//! Methods that `#[async_trait]` has already turned into `Box::pin(async move { .. })`.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::{GenericArgument, PathArguments, Type, TypeParamBound};

/// The parts of such a body.
pub(crate) struct Boxed {
    tokens: Vec<TokenTree>,
    arguments: Group,
    block: Group,
    /// The position in `block` of what the user has written.
    user: usize,
}

impl Boxed {
    /// Recognises the body of a function that is not async itself.
    pub(crate) fn find(body: &Group) -> Option<Self> {
        let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
        let [
            ..,
            TokenTree::Ident(boxed),
            TokenTree::Punct(_),
            TokenTree::Punct(_),
            TokenTree::Ident(pin),
            TokenTree::Group(arguments),
        ] = tokens.as_slice()
        else {
            return None;
        };
        if boxed != "Box" || pin != "pin" {
            return None;
        }
        let future: Vec<TokenTree> = arguments.stream().into_iter().collect();
        let [
            TokenTree::Ident(asynchronous),
            TokenTree::Ident(moving),
            TokenTree::Group(block),
        ] = future.as_slice()
        else {
            return None;
        };
        if asynchronous != "async" || moving != "move" {
            return None;
        }
        let (arguments, block) = (arguments.clone(), block.clone());
        let user = user_block(&block)?;
        Some(Self {
            tokens,
            arguments,
            block,
            user,
        })
    }

    /// What the user has written.
    pub(crate) fn user_body(&self) -> Option<Group> {
        match self.block.stream().into_iter().nth(self.user) {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        }
    }

    /// The function's body, with something in front of all, and the user's part replaced.
    pub(crate) fn rebuild(mut self, first: TokenStream, user: TokenStream) -> Group {
        let mut inner: Vec<TokenTree> = self.block.stream().into_iter().collect();
        inner[self.user] = regroup(Delimiter::Brace, user, &inner[self.user].clone()).into();
        let inner = first.into_iter().chain(inner).collect();
        let block = regroup(Delimiter::Brace, inner, &self.block.clone().into());
        let mut future: Vec<TokenTree> = self.arguments.stream().into_iter().collect();
        if let Some(last) = future.last_mut() {
            *last = block.into();
        }
        let arguments = regroup(
            Delimiter::Parenthesis,
            future.into_iter().collect(),
            &self.arguments.clone().into(),
        );
        if let Some(last) = self.tokens.last_mut() {
            *last = arguments.into();
        }
        Group::new(Delimiter::Brace, self.tokens.into_iter().collect())
    }
}

/// `let __ret: R = { .. };` or `let _: () = { .. };`: the block that is assigned there.
fn user_block(block: &Group) -> Option<usize> {
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let is = |at: usize, words: &[&str]| match tokens.get(at) {
        Some(TokenTree::Ident(word)) => words.iter().any(|expected| word == expected),
        _ => false,
    };
    let start = (0..tokens.len())
        .rev()
        .find(|at| is(*at, &["let"]) && is(at + 1, &["__ret", "_"]))?;
    (start..tokens.len()).find(|at| {
        let assigned =
            matches!(&tokens[at.saturating_sub(1)], TokenTree::Punct(punct) if punct.as_char() == '=');
        assigned && matches!(&tokens[*at], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    })
}

fn regroup(delimiter: Delimiter, stream: TokenStream, like: &TokenTree) -> Group {
    let mut group = Group::new(delimiter, stream);
    group.set_span(like.span());
    group
}

/// The `T` of `Pin<Box<dyn Future<Output = T> + ..>>`.
pub(crate) fn output(boxed: &Type) -> Option<Type> {
    let Type::Path(path) = boxed else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(Type::TraitObject(object)) => object.bounds.iter().find_map(|bound| {
            let TypeParamBound::Trait(bound) = bound else {
                return None;
            };
            let PathArguments::AngleBracketed(arguments) = &bound.path.segments.last()?.arguments else {
                return None;
            };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::AssocType(output) if output.ident == "Output" => Some(output.ty.clone()),
                _ => None,
            })
        }),
        GenericArgument::Type(inner) => output(inner),
        _ => None,
    }
}

/// Inside such a block the receiver is called `__self`.
pub(crate) fn rename_self(tokens: TokenStream) -> TokenStream {
    let renamed = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "self" => Ident::new("__self", ident.span()).into(),
        TokenTree::Group(group) => regroup(
            group.delimiter(),
            rename_self(group.stream()),
            &group.clone().into(),
        )
        .into(),
        other => other,
    });
    renamed.collect()
}
