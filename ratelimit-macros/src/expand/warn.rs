//! Writes warnings about handlers of web requests: all clients share a limit although the attribute does not say so, or a
//! refused call looks like another answer.

use super::answer::{Looks, looks};
use super::spans::ends;
use super::stream;
use crate::item::Item;
use crate::model::{Algorithm, Limit, Member, Model};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, Type};

/// Writes all warnings.
pub(super) fn warnings(model: &Model, item: &Item) -> TokenStream {
    let (shared, hidden) = (shared_by_all(model, item), hidden_refusal(model, item));
    let early = stream::ends_too_early(model, item);
    quote!(#shared #hidden #early)
}

fn shared_by_all(model: &Model, item: &Item) -> TokenStream {
    if !model.members.iter().all(is_unsaid) {
        return TokenStream::new();
    }
    let method = Ident::new("limit_without_identity", item.span());
    warning(model, item, &method, "Request")
}

/// Warns about an `on_limit` that hides the refusal from the client.
fn hidden_refusal(model: &Model, item: &Item) -> TokenStream {
    let Some(on_limit) = &model.on_limit else { return TokenStream::new() };
    let Some(looks) = looks(on_limit) else { return TokenStream::new() };
    // The span of a token of the user.
    let span = ends(on_limit).0.resolved_at(Span::call_site());
    let (method, kind) = match looks {
        Looks::Admitted => ("refusal_looks_like_a_success", "Success"),
        Looks::Missing => ("refusal_looks_like_nothing", "Missing"),
    };
    warning(model, item, &Ident::new(method, span), kind)
}

/// Writes calls that do nothing, but are deprecated if an argument is a part of a web request. The method has a span of the
/// user, so that the compiler shows the warning.
fn warning(model: &Model, item: &Item, method: &Ident, kind: &str) -> TokenStream {
    let runtime = &model.runtime;
    let at = Span::mixed_site();
    let types = item.signature.inputs.iter().filter_map(|argument| match argument {
        // An argument with an attribute may be removed by `cfg`.
        FnArg::Typed(argument) if argument.attrs.is_empty() && may_be_of_a_request(&argument.ty) => {
            Some(&*argument.ty)
        }
        _ => None,
    });
    let calls: TokenStream = types
        .map(|of| quote_spanned!(at=> (&&&#runtime::__private::ArgumentOf::<#of>::new()).#method();))
        .collect();
    if calls.is_empty() {
        return calls;
    }
    let name = |of: &str| Ident::new(of, at);
    let [no, of_request, of_user] = match kind {
        "Request" => [name("NoRequest"), name("OfRequest"), name("OfUser")],
        kind => ["No", "RequestSees", "UserSees"].map(|of| name(&format!("{of}{kind}"))),
    };
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{#no as _, #of_request as _, #of_user as _};
            #calls
        }
    }
}

/// Whether a limit is for all callers because it has no `by`. For permits that is usually intended.
fn is_unsaid(member: &Member) -> bool {
    let permits = match &member.limit {
        Limit::Numbers(numbers) => matches!(numbers.algorithm, Algorithm::Concurrency),
        Limit::Value(_) => true,
    };
    member.by.is_none() && !permits && member.key.as_ref().is_none_or(|key| key.placeholders.is_empty())
}

/// Types of the standard library, which are not requests.
const PLAIN: [&str; 22] = [
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "String",
    "Vec",
    "Duration",
    "IpAddr",
    "SocketAddr",
];

/// Whether the type of an argument may be a request, and can be written again.
fn may_be_of_a_request(of: &Type) -> bool {
    match of {
        Type::Reference(reference) => may_be_of_a_request(&reference.elem),
        Type::Path(path) => {
            let plain =
                path.path.segments.last().is_some_and(|last| PLAIN.iter().any(|word| last.ident == word));
            !plain && is_nameable(of)
        }
        _ => false,
    }
}

/// Whether a type contains neither `impl Trait` nor macros. It reads tokens, because syn's visitor would slow down
/// the build of every user.
pub(super) fn is_nameable(of: impl ToTokens) -> bool {
    of.to_token_stream().into_iter().all(|token| match token {
        TokenTree::Group(group) => is_nameable(group.stream()),
        TokenTree::Ident(word) => word != "impl",
        TokenTree::Punct(sign) => sign.as_char() != '!',
        TokenTree::Literal(_) => true,
    })
}
