//! Writes the name and the numbers of a limit: in a static if they are constant, otherwise at each call.

use super::spans::ends;
use crate::item::Item;
use crate::model::{Calendar, KnownAt, Limit, LimitNumbers, Member, Number, Runtime, Shadow, Value};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::LitStr;
use syn::ext::IdentExt;

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
        let value = |number| numbers.get(number).map(|value| self.value(number, value, numbers));
        let (count, time) = (value(Number::Count), value(Number::Time));
        let at = numbers.get(Number::Count).map_or(literal_ends(Span::mixed_site()), ends_of);
        let constructor = match numbers.get(Number::Time) {
            Some(Value::Word(..)) => "calendar",
            _ => numbers.algorithm.as_str(),
        };
        let constructor = if self.constant { constructor.to_owned() } else { format!("try_{constructor}") };
        let mut limit = self.of_limit(at, &constructor, &quote!(#count, #time));
        let options =
            numbers.given.iter().filter(|(number, _)| !matches!(number, Number::Count | Number::Time));
        let mut options: Vec<_> = options.collect();
        // With `refill`, the limit may take numbers that it does not take without it.
        options.sort_by_key(|(number, _)| *number != Number::Refill);
        for (number, value) in options {
            let (written, at) = (self.value(*number, value, numbers), ends_of(value));
            let (function, arguments) = match (number, value) {
                (Number::Lease, Value::Word(..)) => ("lease_auto", limit),
                _ => (number.as_str(), quote!(#limit, #written)),
            };
            limit = if self.constant {
                self.of_limit(at, function, &arguments)
            } else {
                self.private(at, &format!("with_{function}"), &arguments)
            };
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

    /// Writes the value of a number. If it is a constant, the code also checks it alone, so that the compiler's caret is under it.
    fn value(&self, number: Number, value: &Value, numbers: &LimitNumbers) -> TokenStream {
        let runtime = self.runtime;
        match (value, number) {
            (Value::Written(value, _), Number::Time)
                if self.constant && numbers.algorithm.is_concurrency() =>
            {
                let limit = self.of_limit(ends(value), "concurrency", &quote!(1, #value));
                quote!(#limit.time())
            }
            (Value::Written(value, _), Number::Count | Number::Burst | Number::Time) if self.constant => {
                self.private(ends(value), number.as_str(), &value.to_token_stream())
            }
            (Value::Written(value, _), _) => value.to_token_stream(),
            (Value::Units(units, span), _) => literal(Literal::u32_unsuffixed(*units), *span),
            (Value::Millis(ms, span), _) => {
                let (method, time) =
                    if ms % 1000 == 0 { ("from_secs", ms / 1000) } else { ("from_millis", *ms) };
                let method = Ident::new(method, Span::call_site());
                let time = literal(Literal::u64_unsuffixed(time), *span);
                quote!(::core::time::Duration::#method(#time))
            }
            (Value::Steps(steps), _) => {
                let steps = steps.iter().map(|step| self.value(number, step, numbers));
                quote!(&[#(#steps),*])
            }
            (Value::Word(word, span), Number::Time) => {
                let variant = Calendar::named(word).map(|window| Ident::new(&format!("{window:?}"), *span));
                quote!(#runtime::per::Calendar::#variant)
            }
            (Value::Word(..), Number::Refill) => quote!(#runtime::Refill::Interval),
            (Value::Word(word, span), _) => LitStr::new(word, *span).to_token_stream(),
        }
    }
}

/// The spans of a literal, with the hygiene of the macro.
fn literal_ends(span: Span) -> (Span, Span) {
    let at = Span::mixed_site().located_at(span);
    (at, at)
}

fn ends_of(value: &Value) -> (Span, Span) {
    match value {
        Value::Written(value, _) => ends(value),
        Value::Steps(steps) => steps.first().map_or(literal_ends(Span::mixed_site()), ends_of),
        _ => literal_ends(value.span()),
    }
}

fn literal(mut literal: Literal, span: Span) -> TokenStream {
    literal.set_span(span);
    literal.to_token_stream()
}
