//! The name and the numbers of a limit: in a static where they are known, else at each call.

use super::place::{ends, located};
use crate::item::Item;
use crate::model::{Algorithm, Known, Limit, Model, Number, Time};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, Path};

/// Everything about the attribute that is known before the call: its declaration, and a reference to it. A static has
/// no hygiene, so its name is one that no expression of the user's has.
pub(super) fn site(model: &Model, item: &Item) -> (Option<TokenStream>, TokenStream) {
    let runtime = &model.runtime;
    let name = if let Some(key) = &model.key {
        key.text.to_token_stream()
    } else {
        let function = item.signature.ident.unraw().to_string();
        quote!(::core::concat!(::core::module_path!(), "::", #function))
    };
    let known = model.limit.known();
    let site = if known == Known::PerCall {
        quote!(#runtime::__private::Site::per_call(#name))
    } else {
        let limit = constant(runtime, &model.limit);
        quote!(#runtime::__private::Site::new(#name, #limit))
    };
    let at = Span::mixed_site();
    if known == Known::PerInstance {
        // No static can hold a generic value.
        return (None, quote_spanned!(at=> const { &#site }));
    }
    let declared = quote_spanned!(at=> static __SITE: #runtime::__private::Site = #site;);
    (Some(declared), quote_spanned!(at=> &__SITE))
}

/// A constant that is wrong panics while it is compiled. Its check has its place, for the caret of the compiler.
fn constant(runtime: &Path, limit: &Limit) -> TokenStream {
    let count = checked(runtime, "count", &limit.count);
    let time = match &limit.time {
        Time::Value(value, _) => check(runtime, "time", value),
        Time::Millis(..) => time(&limit.time),
    };
    let Algorithm::TokenBucket { burst, interval } = &limit.algorithm else {
        return quote!(#runtime::Limit::counter(#count, #time));
    };
    let bucket = call(runtime, number_ends(&limit.count), "token_bucket", &quote!(#count, #time));
    let bucket = if *interval { quote!(#bucket.refill(#runtime::Refill::Interval)) } else { bucket };
    match burst {
        None => bucket,
        Some(burst) => {
            let capacity = checked(runtime, "burst", burst);
            call(runtime, number_ends(burst), "burst", &quote!(#bucket, #capacity))
        }
    }
}

/// A call of a function of `Limit` in the place of a value.
fn call(runtime: &Path, (first, last): (Span, Span), function: &str, arguments: &TokenStream) -> TokenStream {
    let runtime = located(runtime, first);
    let function = Ident::new(function, first);
    let arguments = quote_spanned!(last=> (#arguments));
    quote_spanned!(first=> #runtime::Limit::#function #arguments)
}

fn checked(runtime: &Path, name: &str, value: &Number) -> TokenStream {
    match value {
        Number::Literal(..) => number(value),
        Number::Value(value, _) => check(runtime, name, value),
    }
}

fn check(runtime: &Path, name: &str, value: &Expr) -> TokenStream {
    let (first, last) = ends(value);
    let name = Ident::new(name, first);
    let runtime = located(runtime, first);
    let argument = quote_spanned!(last=> (#value));
    quote_spanned!(first=> #runtime::__private::limit::#name #argument)
}

fn number_ends(number: &Number) -> (Span, Span) {
    match number {
        Number::Literal(_, span) => {
            let at = Span::mixed_site().located_at(*span);
            (at, at)
        }
        Number::Value(value, _) => ends(value),
    }
}

/// The limit of one call, from values that are known only now.
pub(super) fn per_call(runtime: &Path, limit: &Limit) -> TokenStream {
    let count = number(&limit.count);
    let time = time(&limit.time);
    match &limit.algorithm {
        Algorithm::Counter => quote!(#runtime::__private::limit::counter(#count, #time)),
        Algorithm::TokenBucket { burst, interval } => {
            let burst = if let Some(burst) = burst.as_ref().map(number) {
                quote!(Some(#burst))
            } else {
                quote!(None)
            };
            let refill = if *interval { quote!(Interval) } else { quote!(Greedy) };
            quote!(#runtime::__private::limit::token_bucket(#count, #time, ::core::option::Option::#burst, #runtime::Refill::#refill))
        }
    }
}

fn number(number: &Number) -> TokenStream {
    match number {
        Number::Literal(number, span) => literal(Literal::u32_unsuffixed(*number), *span),
        Number::Value(value, _) => value.to_token_stream(),
    }
}

fn time(time: &Time) -> TokenStream {
    let (method, literal) = match time {
        Time::Millis(ms, span) if ms % 1000 == 0 => {
            (quote!(from_secs), literal(Literal::u64_unsuffixed(ms / 1000), *span))
        }
        Time::Millis(ms, span) => (quote!(from_millis), literal(Literal::u64_unsuffixed(*ms), *span)),
        Time::Value(value, _) => return value.to_token_stream(),
    };
    quote!(::core::time::Duration::#method(#literal))
}

fn literal(mut literal: Literal, span: Span) -> TokenStream {
    literal.set_span(span);
    literal.to_token_stream()
}
