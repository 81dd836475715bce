//! Expands checked attributes: puts a guard in front of the untouched body.
//!
//! The variables of generated code begin with `__`, which the samples in comments leave out. They have this prefix because some
//! frameworks make a unit struct of each handler, with the name of the handler. Where that struct is in scope, a variable of the
//! same name would be a pattern that matches the struct.

mod afterwards;
mod answer;
mod arguments;
mod call;
mod callers;
mod future;
mod guard;
mod limit;
mod output;
mod probe;
mod refusal;
mod spans;
mod target;
#[cfg(test)]
mod tests;
mod warn;

use crate::async_trait::{AsyncTraitBody, rename_self};
use crate::body::split_inner_attributes;
use crate::future::output;
use crate::item::{Form, Item, bound_names};
use crate::model::Model;
use arguments::Named;
use guard::guard;
use probe::Probes;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Pat, Type};

// Input:
//     async fn login(user: User) -> Result<Session, ApiError> { body }
// Output (simplified: with `Check::pending`, a call that is admitted at once is not awaited):
pub(crate) fn expand(model: &Model, mut item: Item) -> TokenStream {
    let form = std::mem::take(&mut item.form);
    let probes = probe::of_arguments(model, &mut item, matches!(form, Form::AsyncTrait(_)));
    match form {
        Form::Plain | Form::Async => expand_async(model, item, &probes),
        Form::AsyncTrait(body) => expand_async_trait(model, item, &probes, &body),
        Form::Future(future) => future::expand(model, item, &probes, &future),
    }
}

fn expand_async(model: &Model, mut item: Item, probes: &Probes) -> TokenStream {
    let Probes { front, client } = probes;
    let returned = item.return_type().cloned();
    let (inner_attributes, body) = split_inner_attributes(&item.body);
    let (reject, body) = ending(model, &mut item, returned.as_ref(), &body, Place::Function);
    let guard = guard(model, &item, client, &reject);
    let mut guarded = Group::new(Delimiter::Brace, quote!(#inner_attributes #front #guard #body));
    guarded.set_span(item.body.span());
    item.body = guarded;
    item.into_token_stream()
}

// Input:
//     fn login<'a>(&'a self, ..) -> Pin<Box<dyn Future<Output = R> + 'a>> { Box::pin(async move { ..; let __ret: R = { body }; __ret }) }
// Output:
//     the same, with the guard in front of `body`
fn expand_async_trait(model: &Model, mut item: Item, probes: &Probes, boxed: &AsyncTraitBody) -> TokenStream {
    let Probes { front, client } = probes;
    let Some(user) = boxed.user_body() else {
        return item.into_token_stream();
    };
    let (inner_attributes, body) = split_inner_attributes(&user);
    // A `()` is left out, because `#[async_trait]` writes it with another span.
    let returned = item.return_type().and_then(output).filter(|returned| !target::is_unit(Some(returned)));
    let (reject, body) = ending(model, &mut item, returned.as_ref(), &body, Place::Boxed);
    let guard = rename_self(guard(model, &item, client, &reject));
    item.body = boxed.rebuild(&item.body, front.clone(), &quote!(#inner_attributes #guard #body));
    item.into_token_stream()
}

/// The place of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In an async function.
    Function,
    /// In the block that `#[async_trait]` has boxed, with other names for `self`.
    Boxed,
    /// In a future that the function returns. Code in front of the future may have moved the arguments.
    Future,
}

/// Writes the value that a refused call returns, and the body with the code that follows it. Rewrites the return type if the
/// function returns another type than the user wrote.
fn ending(
    model: &Model,
    item: &mut Item,
    returned: Option<&Type>,
    body: &Group,
    place: Place,
) -> (TokenStream, TokenStream) {
    let has_arguments = place != Place::Future;
    let targets = if has_arguments { afterwards::targets(model, item, returned) } else { Vec::new() };
    let afterwards = afterwards::afterwards(model, returned, item.span(), &targets);
    let (afterwards, written) = match place {
        Place::Function => {
            output::rewrite(model, &mut item.signature.output);
            (afterwards, item.return_type().cloned())
        }
        Place::Boxed => (rename_self(afterwards), returned.cloned()),
        Place::Future => (
            afterwards,
            output::rewrite_future(model, &mut item.signature.output).or_else(|| returned.cloned()),
        ),
    };
    if place != Place::Boxed && output::is_widened(model, returned) {
        output::widen(item, &model.runtime);
        return refusal::widened(body, returned, item.span(), &afterwards, &targets);
    }
    let exclusive = if has_arguments { Named::exclusive(item) } else { Vec::new() };
    let reject = refusal::reject(model, written.as_ref(), item, &exclusive);
    let of_body = output::type_of_body(model, returned);
    (reject, as_a_tail(body, of_body.as_ref(), item.span(), &afterwards, &targets))
}

/// Writes the body at the end of the function, followed by the verdicts about its result.
fn as_a_tail(
    body: &Group,
    returned: Option<&Type>,
    function: Span,
    afterwards: &TokenStream,
    lent: &[Named],
) -> TokenStream {
    let body = as_a_block(body);
    if afterwards.is_empty() {
        return body;
    }
    let result = afterwards::result(&body, &output::nameable(returned, function), lent);
    quote_spanned!(Span::mixed_site()=> #result #afterwards __result)
}

/// Writes the body as the last expression of another block. The compiler would warn about braces around a single expression, but
/// does not if the braces have an attribute. The lint of this attribute is about manifests, so it has no effect here. Every body
/// gets the attribute, because editors compare the positions of tokens in two expansions.
fn as_a_block(body: &Group) -> TokenStream {
    let attribute = quote_spanned!(Span::mixed_site()=> #[allow(clippy::cargo_common_metadata)]);
    quote!(#attribute #body)
}

fn names_of(pattern: &Pat) -> Vec<&Ident> {
    let mut names = Vec::new();
    bound_names(pattern, &mut names);
    names
}
