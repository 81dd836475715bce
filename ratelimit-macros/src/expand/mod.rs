//! Expands checked attributes: puts a guard in front of the untouched body.
//!
//! The variables of generated code begin with `__`, which the samples in comments omit. Frameworks make a unit struct of each
//! handler, and in its scope a variable of the same name would be a pattern that matches the struct.

mod address;
mod afterwards;
mod answer;
mod arguments;
mod call;
mod callers;
mod future;
mod guard;
mod key_part;
mod limit;
mod nameable;
mod probe;
mod refusal;
mod spans;
mod stream;
mod target;
#[cfg(test)]
mod tests;
mod units;
mod until;
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
// Output:
//     async fn login(user: User) -> Result<Session, ApiError> {
//         let check = { static __SITE: Site = ..; let mut call = Call::new(&__SITE); ..; Call::start(&mut call) };
//         if let Err(rejection) = check.await { return <Result<Session, ApiError> as FromRejection>::from_rejection(rejection); }
//         { body }
//     }
pub(crate) fn expand(model: &Model, mut item: Item) -> TokenStream {
    match std::mem::take(&mut item.form) {
        Form::Plain | Form::Async => expand_async(model, item),
        Form::AsyncTrait(body) => expand_async_trait(model, item, &body),
        Form::Future(future) => future::expand(model, item, &future),
    }
}

fn expand_async(model: &Model, mut item: Item) -> TokenStream {
    let Probes { front, client } = probe::of_arguments(model, &mut item);
    let returned = item.return_type().cloned();
    let (inner_attributes, body) = split_inner_attributes(&item.body);
    let targets = until::targets(model, &mut item, returned.as_ref());
    let afterwards = afterwards::afterwards(model, returned.as_ref(), item.span(), &targets);
    until::rewrite(model, &mut item.signature.output);
    let (reject, body) = if refusal::is_widened(model, returned.as_ref()) {
        refusal::widen(&mut item, &model.runtime);
        refusal::widened(&body, returned.as_ref(), item.span(), &afterwards, &targets)
    } else {
        let reject = refusal::reject(model, item.return_type(), item.span(), &Named::exclusive(&item));
        let of_body = until::type_of_body(model, returned.as_ref());
        (reject, as_a_tail(&body, of_body.as_ref(), item.span(), &afterwards, &targets))
    };
    let guard = guard(model, &item, &client, &reject);
    let mut guarded = Group::new(Delimiter::Brace, quote!(#inner_attributes #front #guard #body));
    guarded.set_span(item.body.span());
    item.body = guarded;
    item.into_token_stream()
}

// Input:
//     fn login<'a>(&'a self, ..) -> Pin<Box<dyn Future<Output = R> + 'a>> { Box::pin(async move { ..; let __ret: R = { body }; __ret }) }
// Output:
//     the same, with the guard in front of `body`
fn expand_async_trait(model: &Model, mut item: Item, boxed: &AsyncTraitBody) -> TokenStream {
    let Some(user) = boxed.user_body() else {
        return item.into_token_stream();
    };
    let (inner_attributes, body) = split_inner_attributes(&user);
    // `#[async_trait]` writes a unit with a span of its own.
    let returned = item.return_type().and_then(output).filter(|returned| !target::is_unit(Some(returned)));
    let Probes { front, client } = probe::of_names(model, &Named::all(&item));
    let reject = refusal::reject(model, returned.as_ref(), item.span(), &Named::exclusive(&item));
    let guard = rename_self(guard(model, &item, &client, &reject));
    let targets = until::targets(model, &mut item, returned.as_ref());
    let afterwards = rename_self(afterwards::afterwards(model, returned.as_ref(), item.span(), &targets));
    let of_body = until::type_of_body(model, returned.as_ref());
    let body = as_a_tail(&body, of_body.as_ref(), item.span(), &afterwards, &targets);
    item.body = boxed.rebuild(&item.body, front, &quote!(#inner_attributes #guard #body));
    item.into_token_stream()
}

/// Writes the body as the end of the function, followed by the verdicts about its result.
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
    let result = afterwards::result(&body, &refusal::nameable(returned, function), lent);
    quote_spanned!(Span::mixed_site()=> #result #afterwards __result)
}

/// Writes the body as the last expression of another block. The compiler would warn about braces around a single
/// expression, unless they have an attribute; this lint is about manifests and does nothing here. Every body gets it,
/// because editors compare the positions of tokens in two expansions.
fn as_a_block(body: &Group) -> TokenStream {
    let attribute = quote_spanned!(Span::mixed_site()=> #[allow(clippy::cargo_common_metadata)]);
    quote!(#attribute #body)
}

fn names_of(pattern: &Pat) -> Vec<&Ident> {
    let mut names = Vec::new();
    bound_names(pattern, &mut names);
    names
}
