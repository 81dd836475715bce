//! From a checked attribute and its function to code: a guard in front of the untouched body.

use crate::boxed::{self, Boxed};
use crate::item::{Item, bound_names, split_inner_attributes};
use crate::model::{Algorithm, By, Limit, Model, Number, Time};
use proc_macro2::{Group, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{FnArg, Pat, ReturnType, Token, Type, parse_quote, parse_quote_spanned};

// Input:
//     async fn login(user: User) -> Result<Session, ApiError> { body }
// Output:
//     async fn login(user: User) -> Result<Session, ApiError> {
//         static SITE: Site = ..;
//         let check = { let mut call = Call::new(&SITE); ..; call.start() };
//         if let Err(rejection) = check.await { return reject::<Result<Session, ApiError>>(rejection); }
//         { body }
//     }
pub(crate) fn expand(model: &Model, mut item: Item) -> TokenStream {
    if let Some(boxed) = Boxed::find(&item.body).filter(|_| item.signature.asyncness.is_none()) {
        return expand_boxed(model, item, boxed);
    }
    let probed = if matches!(model.by, By::Ip(_)) {
        name_arguments(&mut item)
    } else {
        Probed::default()
    };
    let returned = item.return_type().cloned();
    let (inner_attributes, body) = split_inner_attributes(&item.body);
    let opaque = matches!(returned, Some(Type::ImplTrait(_))) && model.on_limit.is_none();
    if opaque {
        widen(&mut item, &model.runtime.to_token_stream());
    }
    let site = site(model, &item);
    let probe = probe(model, &probed.names);
    let rebind = probed.rebind;
    let reject = if opaque {
        quote_spanned!(Span::mixed_site()=> ::core::result::Result::Err(rejection))
    } else {
        reject(model, returned.as_ref(), item.span())
    };
    let guard = guard(model, &reject);
    let body = if opaque {
        quote!(::core::result::Result::Ok(async move #body.await))
    } else {
        body.to_token_stream()
    };
    item.body = braces(
        &item.body,
        quote!(#inner_attributes #site #probe #rebind #guard #body),
    );
    item.into_token_stream()
}

// Input:
//     fn login<'a>(&'a self, ..) -> Pin<Box<dyn Future<Output = R> + 'a>> { Box::pin(async move { ..; let __ret: R = { body }; __ret }) }
// Output:
//     the same, with the guard in front of `body`
fn expand_boxed(model: &Model, mut item: Item, boxed: Boxed) -> TokenStream {
    let Some(user) = boxed.user_body() else {
        return item.into_token_stream();
    };
    let (inner_attributes, body) = split_inner_attributes(&user);
    let names: Vec<Ident> = item.arguments().flat_map(names_of).cloned().collect();
    let returned = item.return_type().and_then(boxed::output);
    let site = site(model, &item);
    let probe = probe(model, &names);
    let guard = boxed::rename_self(guard(model, &reject(model, returned.as_ref(), item.span())));
    item.body = boxed.rebuild(quote!(#site #probe), quote!(#inner_attributes #guard #body));
    item.into_token_stream()
}

/// `static SITE`: everything about the attribute that is known at compile time.
fn site(model: &Model, item: &Item) -> TokenStream {
    let runtime = &model.runtime;
    let name = match &model.key {
        Some(key) => key.text.to_token_stream(),
        None => {
            let function = item.signature.ident.to_string();
            quote!(::core::concat!(::core::module_path!(), "::", #function))
        }
    };
    let value = if model.limit.is_const() {
        let limit = constant_limit(runtime, &model.limit);
        quote!(#runtime::__private::Site::new(#name, #limit))
    } else {
        quote!(#runtime::__private::Site::per_call(#name))
    };
    quote_spanned!(Span::mixed_site()=> static SITE: #runtime::__private::Site = #value;)
}

fn constant_limit(runtime: &impl ToTokens, limit: &Limit) -> TokenStream {
    let count = constant_number(runtime, "count", &limit.count);
    let time = time(runtime, &limit.time);
    match &limit.algorithm {
        Algorithm::Counter => quote!(#runtime::Limit::counter(#count, #time)),
        Algorithm::TokenBucket { burst, interval } => {
            let burst = burst.as_ref().map(|burst| {
                let burst = constant_number(runtime, "burst", burst);
                quote!(.burst(#burst))
            });
            let refill = interval.then(|| quote!(.refill(#runtime::Refill::Interval)));
            quote!(#runtime::Limit::token_bucket(#count, #time)#refill #burst)
        }
    }
}

fn constant_number(runtime: &impl ToTokens, name: &str, number: &Number) -> TokenStream {
    match number {
        Number::Literal(number, span) => literal(*number, *span),
        Number::Const(path) | Number::Dynamic(path) => {
            let checked = format_ident!("{name}");
            quote!(#runtime::__private::limit::#checked(#path))
        }
    }
}

fn literal(number: u32, span: Span) -> TokenStream {
    let mut literal = proc_macro2::Literal::u32_unsuffixed(number);
    literal.set_span(span);
    literal.to_token_stream()
}

fn number(number: &Number) -> TokenStream {
    match number {
        Number::Literal(number, span) => literal(*number, *span),
        Number::Const(value) | Number::Dynamic(value) => value.to_token_stream(),
    }
}

fn time(runtime: &impl ToTokens, time: &Time) -> TokenStream {
    match time {
        Time::Millis(ms) if ms % 1000 == 0 => {
            let seconds = proc_macro2::Literal::u64_unsuffixed(ms / 1000);
            quote!(#runtime::__private::limit::Duration::from_secs(#seconds))
        }
        Time::Millis(ms) => {
            let ms = proc_macro2::Literal::u64_unsuffixed(*ms);
            quote!(#runtime::__private::limit::Duration::from_millis(#ms))
        }
        Time::Const(value) | Time::Dynamic(value) => value.to_token_stream(),
    }
}

/// The limit of one call, from values that are known only now.
fn limit_per_call(runtime: &impl ToTokens, limit: &Limit) -> TokenStream {
    let count = number(&limit.count);
    let time = time(runtime, &limit.time);
    match &limit.algorithm {
        Algorithm::Counter => quote!(#runtime::__private::limit::counter(#count, #time)),
        Algorithm::TokenBucket { burst, interval } => {
            let burst = match burst {
                Some(burst) => {
                    let burst = number(burst);
                    quote!(::core::option::Option::Some(#burst))
                }
                None => quote!(::core::option::Option::None),
            };
            let refill = if *interval {
                quote!(Interval)
            } else {
                quote!(Greedy)
            };
            quote!(#runtime::__private::limit::token_bucket(#count, #time, #burst, #runtime::Refill::#refill))
        }
    }
}

/// Decides, and returns early from the function if the call is refused. All that it borrows is given back before the
/// await: the decision owns what it needs.
fn guard(model: &Model, reject: &TokenStream) -> TokenStream {
    let runtime = &model.runtime;
    let call = match &model.limiter {
        Some(limiter) => quote!(by_limiter(&SITE, &#limiter)),
        None => quote!(new(&SITE)),
    };
    let limit = (!model.limit.is_const()).then(|| {
        let limit = limit_per_call(runtime, &model.limit);
        quote_spanned!(Span::mixed_site()=> call.limit(#limit);)
    });
    let identity = match &model.by {
        By::Global => None,
        By::Ip(_) => Some(quote_spanned!(Span::mixed_site()=> call.ip(ip);)),
        By::Values(values) => Some(
            values
                .iter()
                .map(|value| element(value, &format_ident!("identity")))
                .collect(),
        ),
    };
    let parts = model
        .key
        .iter()
        .flat_map(|key| &key.holes)
        .map(|hole| element(hole, &format_ident!("part")));
    let elements: TokenStream = identity.into_iter().chain(parts).collect();
    let cost = model
        .cost
        .as_ref()
        .map(|cost| quote_spanned!(Span::mixed_site()=> call.cost(#cost);));
    let traits = (!elements.is_empty() && !matches!((&model.by, &model.key), (By::Ip(_), None))).then(|| {
        quote_spanned!(Span::mixed_site()=>
            #[allow(unused_imports)]
            use #runtime::__private::{Element, WriteDisplay as _, WriteIdentity as _, WriteNothing as _};
        )
    });
    let statements = quote!(#limit #elements #cost);
    let mutable = (!statements.is_empty()).then(<Token![mut]>::default);
    quote_spanned! {Span::mixed_site()=>
        let check = {
            #traits
            let #mutable call = #runtime::__private::Call::#call;
            #statements
            call.start()
        };
        if let ::core::result::Result::Err(rejection) = check.await {
            return #reject;
        }
    }
}

/// Writes one value into the key.
fn element(value: &impl ToTokens, method: &Ident) -> TokenStream {
    let tokens = value.to_token_stream();
    let span = tokens
        .clone()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    let at = Span::mixed_site().located_at(span);
    quote_spanned!(at=> (&&Element(&#tokens)).__ratelimit_write(&mut call.#method());)
}

/// What a refused call returns.
fn reject(model: &Model, returned: Option<&Type>, function: Span) -> TokenStream {
    let runtime = &model.runtime;
    if let Some(on_limit) = &model.on_limit {
        return quote_spanned!(Span::mixed_site()=> #runtime::__private::on_limit(#on_limit, rejection));
    }
    let mut returned = returned
        .cloned()
        .unwrap_or_else(|| parse_quote_spanned!(function=> ()));
    EraseOpaque.visit_type_mut(&mut returned);
    quote_spanned!(Span::mixed_site()=> #runtime::__private::reject::<#returned>(rejection))
}

/// `impl Trait` cannot be named in a path; inference finds it.
struct EraseOpaque;

impl VisitMut for EraseOpaque {
    fn visit_type_mut(&mut self, node: &mut Type) {
        if matches!(node, Type::ImplTrait(_)) {
            *node = parse_quote!(_);
        } else {
            syn::visit_mut::visit_type_mut(self, node);
        }
    }
}

/// `-> impl Trait` becomes `-> Result<impl Trait, Rejection>`: an opaque type cannot be made of a rejection.
fn widen(item: &mut Item, runtime: &TokenStream) {
    if let ReturnType::Type(_, output) = &mut item.signature.output {
        let opaque = output.clone();
        **output = parse_quote!(::core::result::Result<#opaque, #runtime::Rejection>);
    }
}

/// Looks for the client's address among the arguments, by their types.
fn probe(model: &Model, names: &[Ident]) -> TokenStream {
    let By::Ip(span) = model.by else {
        return TokenStream::new();
    };
    let runtime = &model.runtime;
    let at = Span::mixed_site().located_at(span);
    let found = names.iter().fold(
        quote_spanned!(at=> #runtime::__private::NoAddress),
        |found, name| quote_spanned!(at=> Merge::merge(#found, (&&&Argument(&#name)).__ratelimit_probe_ip())),
    );
    quote_spanned! {at=>
        let ip = {
            #[allow(unused_imports)]
            use #runtime::__private::{Argument, Merge, ProbeAddress as _, ProbeClientIp as _, ProbeOther as _};
            #runtime::__private::address(#found)
        };
    }
}

/// How the arguments can be named for the probe.
#[derive(Default)]
struct Probed {
    names: Vec<Ident>,
    /// Binds the patterns of arguments that had to be given a name.
    rebind: TokenStream,
}

/// Gives a name to arguments that are patterns. Plain names stay: frameworks and other attributes read them. So do
/// patterns whose names another attribute mentions; of those the parts are probed.
fn name_arguments(item: &mut Item) -> Probed {
    let mentioned: String = item
        .attributes
        .iter()
        .map(|attribute| attribute.to_token_stream().to_string())
        .collect();
    let mentioned: Vec<&str> = mentioned
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let mut probed = Probed::default();
    for (i, argument) in item.signature.inputs.iter_mut().enumerate() {
        let FnArg::Typed(argument) = argument else {
            continue;
        };
        let names: Vec<Ident> = names_of(&argument.pat).into_iter().cloned().collect();
        let plain = matches!(&*argument.pat, Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none());
        if plain
            || names
                .iter()
                .any(|name| mentioned.contains(&name.to_string().as_str()))
        {
            probed.names.extend(names);
            continue;
        }
        let name = format_ident!("argument{i}", span = Span::mixed_site());
        let pattern = std::mem::replace(&mut *argument.pat, parse_quote!(#name));
        if !matches!(pattern, Pat::Wild(_)) {
            probed
                .rebind
                .extend(quote_spanned!(Span::mixed_site()=> let #pattern = #name;));
        }
        probed.names.push(name);
    }
    probed
}

fn names_of(pattern: &Pat) -> Vec<&Ident> {
    let mut names = Vec::new();
    bound_names(pattern, &mut names);
    names
}

fn braces(like: &Group, tokens: TokenStream) -> Group {
    let mut group = Group::new(proc_macro2::Delimiter::Brace, tokens);
    group.set_span(like.span());
    group
}
