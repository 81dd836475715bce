//! Recognizes functions that return a future without being async, and finds the async block in them.

use crate::async_trait::{is_word, replace};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeParamBound};

/// The future that a function returns without being `async`.
pub struct ReturnedFuture {
    /// The type of the future's result, if the return type names it.
    pub output: Option<Type>,
    pub boxed: bool,
    /// The `async move` block at the end of the body.
    pub block: Option<AsyncBlock>,
}

impl ReturnedFuture {
    /// Recognizes a function that returns a future: its return type is a future, or its body ends with an async block. `None` for
    /// any other function.
    pub fn find(returned: &Type, body: &Group) -> Option<Self> {
        let block = AsyncBlock::find(body);
        let output = output(returned);
        let boxed = !matches!(returned, Type::ImplTrait(_));
        (output.is_some() || block.is_some()).then_some(Self { output, boxed, block })
    }
}

/// The type of a future's result. `None` if the return type is not a future.
pub fn output(returned: &Type) -> Option<Type> {
    output_mut(&mut returned.clone()).cloned()
}

/// Finds the type of a future's result, to replace it. `None` if the return type is not a future. A future is `impl Future<..>`,
/// `Pin<Box<dyn Future<..>>>`, `BoxFuture` or `LocalBoxFuture`.
pub fn output_mut(returned: &mut Type) -> Option<&mut Type> {
    match returned {
        Type::Paren(inner) => output_mut(&mut inner.elem),
        Type::Group(inner) => output_mut(&mut inner.elem),
        Type::ImplTrait(opaque) => of_bounds(opaque.bounds.iter_mut()),
        Type::TraitObject(object) => of_bounds(object.bounds.iter_mut()),
        Type::Path(path) => {
            let last = path.path.segments.last_mut()?;
            let name = last.ident.to_string();
            let mut types = arguments(last).filter_map(|argument| match argument {
                GenericArgument::Type(found) => Some(found),
                _ => None,
            });
            match name.as_str() {
                "Pin" | "Box" => output_mut(types.next()?),
                "BoxFuture" | "LocalBoxFuture" => types.last(),
                _ => None,
            }
        }
        _ => None,
    }
}

fn of_bounds<'b>(bounds: impl Iterator<Item = &'b mut TypeParamBound>) -> Option<&'b mut Type> {
    let mut named = bounds.filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last_mut(),
        _ => None,
    });
    let future = named.find(|last| last.ident == "Future")?;
    arguments(future).find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(&mut output.ty),
        _ => None,
    })
}

fn arguments(segment: &mut PathSegment) -> impl Iterator<Item = &mut GenericArgument> {
    let arguments = match &mut segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter_mut()),
        _ => None,
    };
    arguments.into_iter().flatten()
}

/// An `async move` block that is the value of the body. The decision is made in this block, after the code in front of it has
/// run.
pub struct AsyncBlock {
    path: Vec<usize>,
    pub content: Group,
}

impl AsyncBlock {
    fn find(body: &Group) -> Option<Self> {
        let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
        let mut path = Vec::new();
        let (content, front) = at_the_end(&tokens, &mut path)?;
        // A body that can return early may never reach the block.
        (!returns(&tokens[..front])).then_some(Self { path, content })
    }

    /// Rebuilds the body with new content in the block.
    pub fn rebuild(&self, body: &Group, content: &TokenStream) -> Group {
        replace(body, &self.path, content)
    }
}

/// Finds the block at the end of `tokens`, and adds its position to `path`. Returns the block, and the number of tokens before
/// the expression that contains it.
fn at_the_end(tokens: &[TokenTree], path: &mut Vec<usize>) -> Option<(Group, usize)> {
    let tokens = without_boxing_method(tokens);
    let (last, before) = tokens.split_last()?;
    let TokenTree::Group(group) = last else { return None };
    let end = before.len();
    if group.delimiter() == Delimiter::Brace {
        let is_async = end >= 2 && is_word(&before[end - 2], "async") && is_word(&before[end - 1], "move");
        path.push(end);
        return is_async.then(|| (group.clone(), end - 2));
    }
    let is_pin = end >= 4 && is_word(&before[end - 4], "Box") && is_word(&before[end - 1], "pin");
    if group.delimiter() != Delimiter::Parenthesis || !is_pin {
        return None;
    }
    path.push(end);
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    let (content, front) = at_the_end(&inside, path)?;
    (front == 0).then_some((content, end - 4))
}

/// Removes `.boxed()` from `async move { .. }.boxed()`.
fn without_boxing_method(tokens: &[TokenTree]) -> &[TokenTree] {
    match tokens {
        [before @ .., TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(none)]
            if dot.as_char() == '.'
                && (method == "boxed" || method == "boxed_local")
                && none.stream().is_empty() =>
        {
            before
        }
        _ => tokens,
    }
}

fn returns(tokens: &[TokenTree]) -> bool {
    tokens.iter().any(|token| match token {
        TokenTree::Group(group) => returns(&group.stream().into_iter().collect::<Vec<_>>()),
        token => is_word(token, "return"),
    })
}

/// Says what to write for a function that no caller awaits, as far as the attribute can see.
pub(crate) fn not_awaited(returned: Option<&Type>) -> &'static str {
    let last = returned.and_then(last_segment);
    let of_result = last.filter(|last| last.ident == "Result").and_then(|last| match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(first) => last_segment(first),
            _ => None,
        },
        _ => None,
    });
    if of_result.is_some_and(|first| first.ident == "Request") {
        return "`#[rate_limit]` awaits a decision before the body runs, and an interceptor cannot await: put the limit into the layer of the server, as in `RateLimitLayer::new().limit(\"calls\", LIMIT, By::ip())`";
    }
    if last.is_some_and(|last| last.ident.to_string().contains("Future")) {
        return "`#[rate_limit]` awaits a decision before the body runs, and does not find the future in this body: end the body with an `async move` block, as in `Box::pin(async move { .. })`, and write no `return` before it";
    }
    "`#[rate_limit]` awaits a decision before the body runs: make this an `async fn`, or let it return `impl Future` or a boxed future"
}

fn last_segment(found: &Type) -> Option<&PathSegment> {
    match found {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}
