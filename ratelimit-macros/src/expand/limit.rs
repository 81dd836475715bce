//! The name and the numbers of a limit: in a static where they are known, else at each call.

use super::spans::{ends, located};
use crate::item::Item;
use crate::model::{Algorithm, Known, Lease, Limit, Member, Number, Parts, Refill, Time};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, Path};

/// Everything about the attribute that is known before the call: its declaration, and a reference to it. A static has
/// no hygiene, so its name is one that no expression of the user's has.
pub(super) fn site(runtime: &Path, member: &Member, item: &Item) -> (Option<TokenStream>, TokenStream) {
    let name = if let Some(key) = &member.key {
        key.text.to_token_stream()
    } else {
        let function = item.signature.ident.unraw().to_string();
        quote!(::core::concat!(::core::module_path!(), "::", #function))
    };
    let known = member.limit.known();
    let site = match &member.limit {
        Limit::Parts(parts) if known != Known::PerCall => {
            let limit = constant(runtime, parts);
            quote!(#runtime::__private::Site::new(#name, #limit))
        }
        _ => quote!(#runtime::__private::Site::per_call(#name)),
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
fn constant(runtime: &Path, parts: &Parts) -> TokenStream {
    let count = checked(runtime, "count", &parts.count);
    let time = constant_time(runtime, parts);
    let limit = call(runtime, number_ends(&parts.count), parts.algorithm.as_str(), &quote!(#count, #time));
    let limit = match parts.refill {
        Refill::Interval => quote!(#limit.refill(#runtime::Refill::Interval)),
        Refill::Greedy => limit,
    };
    let limit = match &parts.burst {
        Some(burst) => {
            let capacity = checked(runtime, "burst", burst);
            call(runtime, number_ends(burst), "burst", &quote!(#limit, #capacity))
        }
        None => limit,
    };
    let limit = match &parts.borrow {
        Some(borrow) => {
            let most = number(borrow);
            call(runtime, number_ends(borrow), "borrow", &quote!(#limit, #most))
        }
        None => limit,
    };
    let limit = match &parts.wait {
        Some(wait) => {
            let longest = time_value(wait);
            call(runtime, time_ends(wait), "wait", &quote!(#limit, #longest))
        }
        None => limit,
    };
    match &parts.lease {
        Some(Lease::Most(most)) => {
            let units = number(most);
            call(runtime, number_ends(most), "lease", &quote!(#limit, #units))
        }
        Some(Lease::Auto(word)) => call(runtime, literal_ends(*word), "lease_auto", &limit),
        None => limit,
    }
}

/// The time of a constant limit. A constant that is wrong is found by a limit of its own.
fn constant_time(runtime: &Path, parts: &Parts) -> TokenStream {
    match (&parts.time, &parts.algorithm) {
        (Time::Value(value, _), Algorithm::Concurrency) => {
            let limit = call(runtime, ends(value), "concurrency", &quote!(1, #value));
            quote!(#limit.time())
        }
        (Time::Value(value, _), _) => check(runtime, "time", value),
        (time @ Time::Millis(..), _) => time_value(time),
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

/// The place of a literal, with none of its names.
fn literal_ends(span: Span) -> (Span, Span) {
    let at = Span::mixed_site().located_at(span);
    (at, at)
}

fn number_ends(number: &Number) -> (Span, Span) {
    match number {
        Number::Literal(_, span) => literal_ends(*span),
        Number::Value(value, _) => ends(value),
    }
}

fn time_ends(time: &Time) -> (Span, Span) {
    match time {
        Time::Millis(_, span) => literal_ends(*span),
        Time::Value(value, _) => ends(value),
    }
}

/// The limit of one call, from values that are known only now.
pub(super) fn per_call(runtime: &Path, limit: &Limit) -> TokenStream {
    let parts = match limit {
        Limit::Value(value) => {
            let (first, last) = ends(value);
            let (there, argument) = (located(runtime, first), quote_spanned!(last=> (#value)));
            return quote_spanned!(first=> #there::__private::limit::value #argument);
        }
        Limit::Parts(parts) => parts,
    };
    let limit = |function: &str, arguments: TokenStream| {
        let function = Ident::new(function, Span::mixed_site());
        quote!(#runtime::__private::limit::#function(#arguments))
    };
    let (count, time) = (number(&parts.count), time_value(&parts.time));
    let mut made = limit(parts.algorithm.as_str(), quote!(#count, #time));
    let mut with = |function: &str, value: TokenStream| made = limit(function, quote!(#made, #value));
    if let Refill::Interval = parts.refill {
        with("with_refill", quote!(#runtime::Refill::Interval));
    }
    if let Some(burst) = &parts.burst {
        with("with_burst", number(burst));
    }
    if let Some(borrow) = &parts.borrow {
        with("with_borrow", number(borrow));
    }
    if let Some(wait) = &parts.wait {
        with("with_wait", time_value(wait));
    }
    match &parts.lease {
        Some(Lease::Most(most)) => with("with_lease", number(most)),
        Some(Lease::Auto(_)) => made = limit("with_lease_auto", made),
        None => {}
    }
    made
}

fn number(number: &Number) -> TokenStream {
    match number {
        Number::Literal(number, span) => literal(Literal::u32_unsuffixed(*number), *span),
        Number::Value(value, _) => value.to_token_stream(),
    }
}

fn time_value(time: &Time) -> TokenStream {
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
