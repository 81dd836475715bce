//! Writes one limited call: its limit, its key and its units.

use super::{key_part, limit, probe, units};
use crate::item::Item;
use crate::model::{Identity, KnownAt, Member, Model, Shadow};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;

/// The code of a call.
pub(super) struct Call {
    declared: Option<TokenStream>,
    new: TokenStream,
    /// The decision in place of `new`, if the call turns out to have no statements.
    of_site: Option<TokenStream>,
    /// Statements that complete the variable `call`.
    statements: TokenStream,
}

/// Writes the call of one limit, decided by this limiter if there is one.
pub(super) fn call(
    model: &Model,
    member: &Member,
    limiter: Option<&TokenStream>,
    item: &Item,
    client: &TokenStream,
) -> Call {
    let runtime = &model.runtime;
    let (declared, site) = limit::site(runtime, member, item);
    let new =
        if let Some(limiter) = limiter { quote!(by_limiter(#site, #limiter)) } else { quote!(new(#site)) };
    let new = quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::#new);
    let of_site = (limiter.is_none() && declared.is_some() && !model.keeps_admission()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            static __REQUEST: #runtime::__private::SiteRequest = #runtime::__private::SiteRequest::new();
            #runtime::__private::Check::of_site(#site, &__REQUEST)
        }
    });
    Call { declared, new, of_site, statements: statements(model, member, item, client) }
}

impl Call {
    /// Writes a block that starts the decision.
    pub(super) fn started(self, model: &Model, traits: Option<&TokenStream>) -> TokenStream {
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
    pub(super) fn made(self, traits: Option<&TokenStream>) -> TokenStream {
        let Self { declared, new, statements, .. } = self;
        if statements.is_empty() {
            return quote_spanned!(Span::mixed_site()=> { #declared #new });
        }
        quote_spanned!(Span::mixed_site()=> { #traits #declared let mut __call = #new; #statements __call })
    }
}

/// Writes the start of the decision about a call. A call that is only checked is decided where it is.
pub(super) fn start(model: &Model, call: &TokenStream) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    if model.keeps_admission() {
        quote_spanned!(at=> #runtime::__private::Call::admit(#call))
    } else {
        quote_spanned!(at=> #runtime::__private::Call::start(&mut #call))
    }
}

/// Writes the statements of a call. They use paths, because a trait of the user could have methods of the same names.
fn statements(model: &Model, member: &Member, item: &Item, client: &TokenStream) -> TokenStream {
    let runtime = &model.runtime;
    let limit = (member.limit.known() == KnownAt::Call).then(|| {
        let limit = limit::per_call(runtime, &member.limit);
        quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::limit(&mut __call, #limit);)
    });
    let identities = member.identities().iter().map(|identity| match identity {
        Identity::Part(part, _) => probe::written(model, part, client),
        Identity::Value(value) => key_part::written(runtime, value, "identity"),
    });
    let placeholders = member.key.iter().flat_map(|key| &key.placeholders);
    let parts = placeholders.map(|placeholder| key_part::written(runtime, &placeholder.value, "part"));
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
    let units = [("cost", &member.cost), ("keep", &member.keep)].into_iter().filter_map(|(setter, value)| {
        let value = value.as_ref()?;
        let setter = Ident::new(setter, Span::mixed_site());
        let units = match value {
            Expr::Lit(_) => value.to_token_stream(),
            _ => units::written(runtime, value, &value.to_token_stream()),
        };
        Some(quote_spanned!(Span::mixed_site()=> #runtime::__private::Call::#setter(&mut __call, #units);))
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
    // Before the parts of the key, because it may change the name in front of them.
    let statements = quote!(#limit #shadow #(#identities)* #of_type #(#parts)* #(#units)* #pauses);
    let statements = skipped(model, member, statements);
    let on_error = model.on_error.map(|on_error| {
        let on_error = Ident::new(on_error.name(), Span::mixed_site());
        quote_spanned! {Span::mixed_site()=>
            #runtime::__private::Call::on_error(&mut __call, #runtime::OnError::#on_error);
        }
    });
    quote!(#on_error #statements)
}

/// Wraps statements that an exempt call does not need.
fn skipped(model: &Model, member: &Member, statements: TokenStream) -> TokenStream {
    let Some(skip_if) = &member.skip_if else { return statements };
    let runtime = &model.runtime;
    quote_spanned! {Span::mixed_site()=>
        if !#runtime::__private::Call::skips(&mut __call, #skip_if) {
            #statements
        }
    }
}
