//! Writes the limited calls, each with its limit, its key and its units.

use super::spans::{borrowed, ends, units};
use super::{limit, probe};
use crate::item::Item;
use crate::model::{Identity, KnownAt, Learned, Limit, Member, Model, Runtime, Shadow};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Expr;

/// The parts of the code of a call.
struct Call {
    declared: Option<TokenStream>,
    new: TokenStream,
    /// Code that decides without a variable `call`, if the call has no statements.
    of_site: Option<TokenStream>,
    /// Statements that complete the variable `call`.
    statements: TokenStream,
}

/// Writes the calls of all limits, and the start of their decision if `start` is given. Without `start`, the calls wait until the
/// future of the function is polled.
pub(super) fn calls(model: &Model, item: &Item, client: &TokenStream, start: Option<&Ident>) -> TokenStream {
    let at = Span::mixed_site();
    let traits = traits(model);
    let limiter = model.limiter.as_ref().map(borrowed);
    if let [member] = model.members.as_slice() {
        let call = call(model, member, limiter.as_ref(), item, client, start.is_none(), true);
        let runtime = &model.runtime;
        if start.is_some() {
            return call.started(model, traits.as_ref());
        }
        let call = call.made(traits.as_ref());
        return quote_spanned!(at=> #runtime::__private::Later::of([#call]));
    }
    let (Some(value), Some(limiter)) = (&model.limiter, limiter) else {
        let stack = stack(model, None, item, client, start);
        return quote_spanned!(at=> { #traits #stack });
    };
    // A `match` evaluates the limiter only once, and keeps its temporaries alive.
    let name = Ident::new("__limiter", ends(value).0).into_token_stream();
    let stack = stack(model, Some(&name), item, client, start);
    quote_spanned!(at=> { #traits match #limiter { #name => #stack } })
}

fn stack(
    model: &Model,
    limiter: Option<&TokenStream>,
    item: &Item,
    client: &TokenStream,
    start: Option<&Ident>,
) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    let calls = model
        .members
        .iter()
        .map(|member| call(model, member, limiter, item, client, start.is_none(), false).made(None));
    let Some(start) = start else {
        return quote_spanned!(at=> #runtime::__private::Later::of([#(#calls),*]));
    };
    let calls = quote_spanned!(at=> #runtime::__private::Calls::of([#(#calls),*]));
    quote_spanned!(at=> #runtime::__private::Calls::#start(#calls))
}

/// Writes the call of one limit. If `limiter` is given, that limiter decides the call. If `waits`, the call waits until the future
/// of the function is polled.
fn call(
    model: &Model,
    member: &Member,
    limiter: Option<&TokenStream>,
    item: &Item,
    client: &TokenStream,
    waits: bool,
    is_alone: bool,
) -> Call {
    let runtime = &model.runtime;
    let (declared, site) = limit::site(runtime, member, item);
    let new = match (limiter, waits) {
        (Some(limiter), false) => quote!(by_limiter(#site, #limiter)),
        (Some(limiter), true) => quote!(later_by(#site, #limiter)),
        (None, false) => quote!(new(#site)),
        (None, true) => quote!(later(#site)),
    };
    let new = quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::#new);
    let of_site = (limiter.is_none() && declared.is_some() && !model.keeps_admission()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #runtime::__private::Check::of_site(#site)
        }
    });
    let is_alone = is_alone
        && of_site.is_some()
        && matches!(member.shadow, Shadow::Never)
        && member.fair.is_empty()
        && member.limit.known() != KnownAt::Call;
    let alone = is_alone
        .then(|| quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::alone(&mut __call, #site);));
    Call { declared, new, of_site, statements: statements(model, member, item, client, alone) }
}

impl Call {
    /// Writes a block that starts the decision.
    fn started(self, model: &Model, traits: Option<&TokenStream>) -> TokenStream {
        let (at, Self { declared, new, of_site, statements }) = (Span::mixed_site(), self);
        let start = |call: &TokenStream| start(model, call);
        if statements.is_empty() {
            let check = of_site.unwrap_or_else(|| start(&new));
            return quote_spanned!(at=> { #declared #check });
        }
        let check = start(&quote_spanned!(at=> __call));
        quote_spanned!(at=> { #traits #declared let mut __call = #new; #statements #check })
    }

    /// Writes an expression whose value is the call.
    fn made(self, traits: Option<&TokenStream>) -> TokenStream {
        let Self { declared, new, statements, .. } = self;
        if statements.is_empty() {
            return quote_spanned!(Span::mixed_site()=> { #declared #new });
        }
        quote_spanned!(Span::mixed_site()=> { #traits #declared let mut __call = #new; #statements __call })
    }
}

/// Writes the start of the decision about a call. If the function holds no permit or charge, the call is decided in place.
fn start(model: &Model, call: &TokenStream) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    if model.keeps_admission() {
        quote_spanned!(at=> #runtime::__private::Call::admit(#call))
    } else {
        quote_spanned!(at=> #runtime::__private::Call::start(&mut #call))
    }
}

/// Writes the statements of a call. The statements call methods by path, because a trait of the user could have methods of the
/// same names.
fn statements(
    model: &Model,
    member: &Member,
    item: &Item,
    client: &TokenStream,
    alone: Option<TokenStream>,
) -> TokenStream {
    let runtime = &model.runtime;
    let limit = (member.limit.known() == KnownAt::Call).then(|| {
        let setter = if let Limit::Value(_) = member.limit { "limit_or_none" } else { "limit" };
        let (setter, limit) =
            (Ident::new(setter, Span::mixed_site()), limit::per_call(runtime, &member.limit));
        quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::#setter(&mut __call, #limit);)
    });
    let identities = member.identities().iter().map(|identity| match identity {
        Identity::Part(part, _) => probe::written(model, part, client),
        Identity::Value(value) => key_value(runtime, value, "identity"),
    });
    let placeholders = member.key.iter().flat_map(|key| &key.placeholders);
    let parts = placeholders.map(|placeholder| key_value(runtime, &placeholder.value, "part"));
    let fair = member.fair.iter().map(|value| key_value(runtime, value, "fair"));
    let shadow = match &member.shadow {
        Shadow::Never => None,
        Shadow::Always => {
            Some(quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::shadow(&mut __call);))
        }
        Shadow::If(shadow) => {
            let name = limit::shadow_name(member, item);
            Some(quote_spanned! {Span::mixed_site()=>
                #runtime::__private::Call::shadow_if(&mut __call, #shadow, #name);
            })
        }
    };
    let numbers = [("cost", &member.cost), ("keep", &member.keep)].into_iter().filter_map(|(setter, value)| {
        let value = value.as_ref()?;
        let at = Span::mixed_site();
        if let Some(learned) = Learned::of(value).filter(|_| setter == "cost") {
            return Some(learned_cost(runtime, &learned));
        }
        if let Expr::Lit(_) = value {
            let setter = Ident::new(setter, at);
            return Some(quote_spanned!(at=> #runtime::__private::Call::#setter(&mut __call, #value);));
        }
        let units = units(runtime, value, &value.to_token_stream());
        Some(if setter == "keep" {
            quote_spanned!(at=> #runtime::__private::Call::keep(&mut __call, #units);)
        } else {
            quote_spanned! {at=>
                {
                    static __ZERO_COSTS: #runtime::__private::ZeroCosts = #runtime::__private::ZeroCosts::new();
                    #runtime::__private::Call::computed_cost(&mut __call, #units, &__ZERO_COSTS);
                }
            }
        })
    });
    let of_type = (member.key.is_none() && item.has_type()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #runtime::__private::Call::of_type(&mut __call, ::core::any::type_name::<Self>());
        }
    });
    let pauses = member
        .pause_if
        .is_some()
        .then(|| quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::pauses(&mut __call);));
    // `shadow` comes before the parts of the key, because it may change the name, and the key begins with the name.
    let statements =
        quote!(#limit #shadow #(#identities)* #of_type #(#parts)* #(#fair)* #(#numbers)* #pauses);
    let is_plain = statements.is_empty() && member.skip_if.is_none() && model.on_error.is_none();
    let alone = alone.filter(|_| !is_plain);
    let statements = skipped(model, member, quote!(#alone #statements));
    let on_error = model.on_error.map(|on_error| {
        let on_error = Ident::new(on_error.name(), Span::mixed_site());
        quote_spanned! {Span::mixed_site()=>
            #runtime::__private::Call::on_error(&mut __call, #runtime::OnError::#on_error);
        }
    });
    quote!(#on_error #statements)
}

/// Puts the statements into an `if`, so that they do not run for a call that `skip_if` exempts.
fn skipped(model: &Model, member: &Member, statements: TokenStream) -> TokenStream {
    let Some(skip_if) = &member.skip_if else { return statements };
    let runtime = &model.runtime;
    quote_spanned! {Span::mixed_site()=>
        if !#runtime::__private::Call::skips(&mut __call, #skip_if) {
            #statements
        }
    }
}

/// Writes the estimate that a call is charged. The estimator is a static of this limit.
fn learned_cost(runtime: &Runtime, Learned { ceiling, class }: &Learned<'_>) -> TokenStream {
    let (at, units) = (Span::mixed_site(), units(runtime, ceiling, &ceiling.to_token_stream()));
    let class = class.map_or_else(
        || quote_spanned!(at=> #runtime::__private::NO_CLASS),
        |class| {
            let ((first, last), value) = (ends(class), borrowed(class));
            let there = runtime.at(first);
            let argument = quote_spanned!(last=> (#value));
            quote_spanned!(first=> #there::__private::class_of #argument)
        },
    );
    quote_spanned! {at=>
        {
            static __ESTIMATOR: #runtime::learn::Estimator = #runtime::learn::Estimator::new();
            #runtime::__private::Call::learned_cost(&mut __call, &__ESTIMATOR, #class, #units);
        }
    }
}

/// Writes one value into the key, with a `writer` of `Call`. All tokens have spans of the value, so that the compiler's
/// caret is under it.
fn key_value(runtime: &Runtime, value: &Expr, writer: &str) -> TokenStream {
    let (first, last) = ends(value);
    let value = borrowed(value);
    let writer = format_ident!("{writer}");
    let there = runtime.at(first);
    let wrapped = quote_spanned!(first=> (&&&&#there::__private::KeyPart(#value)));
    let probed = quote_spanned!(last=> #wrapped.__ratelimit_key_part());
    let writer = quote_spanned!(Span::mixed_site()=> &mut #runtime::__private::Call::#writer(&mut __call));
    let arguments = quote_spanned!(last=> (#probed, #writer));
    quote_spanned!(first=> #there::__private::Way::write #arguments;)
}

/// Imports the traits that choose how to write a value into the key. `None` if no key contains a value.
fn traits(model: &Model) -> Option<TokenStream> {
    let runtime = &model.runtime;
    let writes = model.members.iter().any(|member| {
        let placeholders = member.key.as_ref().is_some_and(|key| !key.placeholders.is_empty());
        placeholders
            || !member.fair.is_empty()
            || member.identities().iter().any(|identity| matches!(identity, Identity::Value(_)))
    });
    writes.then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[allow(unused_imports)]
            use #runtime::__private::ProbeKeyPart as _;
        }
    })
}
