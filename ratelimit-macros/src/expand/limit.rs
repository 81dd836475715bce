//! Writes the name and the numbers of a limit: in a static if they are constant, otherwise at each call.

use super::spans::ends;
use crate::item::Item;
use crate::model::{
    Algorithm, KnownAt, Lease, Limit, LimitNumbers, Member, Number, Refill, Runtime, Shadow, Time,
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, LitStr};

/// Writes a static with everything that is known before the call, and a reference to the static. A static has no hygiene, so its
/// name must not occur in an expression of the user.
pub(super) fn site(runtime: &Runtime, member: &Member, item: &Item) -> (Option<TokenStream>, TokenStream) {
    let name = match member.shadow {
        Shadow::Always => name(member, item, Member::shadow_name),
        Shadow::Never | Shadow::If(_) => name(member, item, Member::refusing_name),
    };
    let known = member.limit.known();
    let site = match &member.limit {
        Limit::Numbers(numbers) if known != KnownAt::Call => {
            let limit = Writer { runtime, constant: true }.limit(numbers);
            quote!(#runtime::__private::Site::new(#name, #limit))
        }
        _ => quote!(#runtime::__private::Site::per_call(#name)),
    };
    // The runtime treats a name with `::` as the path of a function. If the user wrote such a name as the `key`, the site says
    // so.
    let looks_like_a_path = member.key_text().is_some_and(|key| key.contains("::"));
    let site = if looks_like_a_path { quote!(#site.written()) } else { site };
    let at = Span::mixed_site();
    // Functions inside of functions may have the same path, so the type `__Here` tells them apart. A method does not need this
    // type, because its key contains the type of `self`.
    let (here, site) = if member.key.is_none() && !item.has_type() {
        (quote_spanned!(at=> enum __Here {}), quote!(#site.in_function(::core::any::type_name::<__Here>)))
    } else {
        (TokenStream::new(), site)
    };
    let site = if member.key.is_none() && item.has_type() { quote!(#site.in_type()) } else { site };
    if known == KnownAt::Instantiation {
        // A static cannot contain a generic value.
        return (None, quote_spanned!(at=> const { #here &#site }));
    }
    let (cell, site) = if known == KnownAt::Call {
        (TokenStream::new(), site)
    } else {
        let cell = quote!(static __KNOWN: #runtime::__private::Known = #runtime::__private::Known::new(););
        (cell, quote!(#site.knows(&__KNOWN)))
    };
    let declared = quote_spanned!(at=> #cell #here static __SITE: #runtime::__private::Site = #site;);
    (Some(declared), quote_spanned!(at=> &__SITE))
}

/// Writes the name of a shadow limit.
pub(super) fn shadow_name(member: &Member, item: &Item) -> TokenStream {
    name(member, item, Member::shadow_name)
}

fn name(member: &Member, item: &Item, with: fn(&Member, &str) -> String) -> TokenStream {
    if let Some(key) = &member.key {
        return LitStr::new(&with(member, &key.text.value()), key.text.span()).into_token_stream();
    }
    let function = with(member, &item.signature.ident.unraw().to_string());
    quote!(::core::concat!(::core::module_path!(), "::", #function))
}

/// Writes a limit that is made at each call.
pub(super) fn per_call(runtime: &Runtime, limit: &Limit) -> TokenStream {
    match limit {
        Limit::Value(value) => {
            let (first, last) = ends(value);
            let (there, argument) = (runtime.at(first), quote_spanned!(last=> (#value)));
            quote_spanned!(first=> #there::__private::limit::value #argument)
        }
        Limit::Numbers(numbers) => Writer { runtime, constant: false }.limit(numbers),
    }
}

/// Writes the calls that make a limit. Each call has the spans of its value, so that the compiler's caret is under the value.
struct Writer<'w> {
    runtime: &'w Runtime,
    /// If true, the code calls the functions that panic at compile time. If false, it calls the functions that return an error.
    constant: bool,
}

impl Writer<'_> {
    fn limit(&self, numbers: &LimitNumbers) -> TokenStream {
        let (count, time) = (self.checked("count", &numbers.count), self.time(numbers));
        let constructor = match numbers.time {
            Time::Calendar(..) => "calendar",
            Time::Millis(..) | Time::Value(..) => numbers.algorithm.as_str(),
        };
        let constructor = if self.constant { constructor.to_owned() } else { format!("try_{constructor}") };
        let mut limit = self.of_limit(number_ends(&numbers.count), &constructor, &quote!(#count, #time));
        let mut with = |ends, function: &str, value: TokenStream| {
            let arguments = quote!(#limit #value);
            limit = if self.constant {
                self.of_limit(ends, function, &arguments)
            } else {
                self.private(ends, &format!("with_{function}"), &arguments)
            };
        };
        if let Some(zone) = &numbers.zone {
            with(literal_ends(zone.span()), "zone", quote!(, #zone));
        }
        let runtime = self.runtime;
        if let Refill::Interval = numbers.refill {
            with(literal_ends(Span::mixed_site()), "refill", quote!(, #runtime::Refill::Interval));
        }
        if let Some(burst) = &numbers.burst {
            let value = self.checked("burst", burst);
            with(number_ends(burst), "burst", quote!(, #value));
        }
        if let Some(borrow) = &numbers.borrow {
            let value = number(borrow);
            with(number_ends(borrow), "borrow", quote!(, #value));
        }
        if let Some(wait) = &numbers.wait {
            let value = time_value(wait);
            with(time_ends(wait), "wait", quote!(, #value));
        }
        match &numbers.lease {
            Some(Lease::Most(units)) => {
                let value = number(units);
                with(number_ends(units), "lease", quote!(, #value));
            }
            Some(Lease::Auto(word)) => with(literal_ends(*word), "lease_auto", TokenStream::new()),
            None => {}
        }
        if let [first, ..] = &*numbers.block {
            let steps = numbers.block.iter().map(time_value);
            with(time_ends(first), "block", quote!(, &[#(#steps),*]));
        }
        limit
    }

    /// Writes a call of a function of `Limit`.
    fn of_limit(&self, (first, last): (Span, Span), function: &str, arguments: &TokenStream) -> TokenStream {
        let (runtime, function) = (self.runtime.at(first), Ident::new(function, first));
        let arguments = quote_spanned!(last=> (#arguments));
        quote_spanned!(first=> #runtime::Limit::#function #arguments)
    }

    /// Writes a call of a function of `__private::limit`.
    fn private(&self, (first, last): (Span, Span), function: &str, arguments: &TokenStream) -> TokenStream {
        let (runtime, function) = (self.runtime.at(first), Ident::new(function, first));
        let arguments = quote_spanned!(last=> (#arguments));
        quote_spanned!(first=> #runtime::__private::limit::#function #arguments)
    }

    /// Writes a number. If the number is a constant, the code also calls the check that has the name of its argument.
    fn checked(&self, name: &str, value: &Number) -> TokenStream {
        match value {
            Number::Value(value, _) if self.constant => self.check(name, value),
            _ => number(value),
        }
    }

    /// Writes the time. A constant is checked in a separate limit, so that the compiler's caret is under it.
    fn time(&self, numbers: &LimitNumbers) -> TokenStream {
        match (&numbers.time, numbers.algorithm) {
            (Time::Value(value, _), Algorithm::Concurrency) if self.constant => {
                let limit = self.of_limit(ends(value), "concurrency", &quote!(1, #value));
                quote!(#limit.time())
            }
            (Time::Value(value, _), _) if self.constant => self.check("time", value),
            (Time::Calendar(calendar, span), _) => {
                let (runtime, variant) = (self.runtime, Ident::new(&format!("{calendar:?}"), *span));
                quote!(#runtime::per::Calendar::#variant)
            }
            (time, _) => time_value(time),
        }
    }

    fn check(&self, name: &str, value: &Expr) -> TokenStream {
        self.private(ends(value), name, &value.to_token_stream())
    }
}

/// The spans of a literal, with the hygiene of the macro.
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
        Time::Millis(_, span) | Time::Calendar(_, span) => literal_ends(*span),
        Time::Value(value, _) => ends(value),
    }
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
        // Only a `time` can be a calendar window, and `Writer::time` writes that window with other code, so this arm never runs.
        Time::Calendar(calendar, span) => {
            (quote!(from_millis), literal(Literal::u64_unsuffixed(calendar.longest_ms()), *span))
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
