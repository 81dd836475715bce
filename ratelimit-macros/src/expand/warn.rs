//! A warning where all clients of a web service share one limit, and nobody has said that they are to.

use crate::item::Item;
use crate::model::{Algorithm, Limit, Member, Model};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{FnArg, Type};

/// A call that the compiler warns of if one of the arguments is a part of a web request. It does nothing.
pub(super) fn shared_by_all(model: &Model, item: &Item) -> TokenStream {
    if !model.members.iter().all(is_unsaid) {
        return TokenStream::new();
    }
    let runtime = &model.runtime;
    let at = Span::mixed_site();
    // The user's own place, for the warning to be theirs.
    let method = Ident::new("limit_without_identity", item.span());
    let types = item.signature.inputs.iter().filter_map(|argument| match argument {
        // One with an attribute may be configured away.
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
    quote_spanned! {at=>
        {
            #[allow(unused_imports)]
            use #runtime::__private::{NoRequest as _, OfRequest as _, OfUser as _};
            #calls
        }
    }
}

/// Whether a limit is for all callers because nothing else was said. Of permits that is what one wants.
fn is_unsaid(member: &Member) -> bool {
    let permits = match &member.limit {
        Limit::Parts(parts) => matches!(parts.algorithm, Algorithm::Concurrency),
        Limit::Value(_) => true,
    };
    member.by.is_none() && !permits && member.key.as_ref().is_none_or(|key| key.holes.is_empty())
}

/// Types of the standard library, which are no requests.
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

/// Whether the type of an argument may be a request's, and can be written elsewhere.
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

/// Without `impl Trait` and macros in it. Told by the tokens: syn's visitor knows all of the language, and would be
/// compiled for each user.
fn is_nameable(of: impl ToTokens) -> bool {
    of.to_token_stream().into_iter().all(|token| match token {
        TokenTree::Group(group) => is_nameable(group.stream()),
        TokenTree::Ident(word) => word != "impl",
        TokenTree::Punct(sign) => sign.as_char() != '!',
        TokenTree::Literal(_) => true,
    })
}
