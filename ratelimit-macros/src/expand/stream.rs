//! Writes a warning if a limit ends before the stream that the function returns.

use super::nameable::is_nameable;
use crate::future::output;
use crate::item::Item;
use crate::model::{Afterwards, Algorithm, Limit, Member, Model, Until, Verdict};
use crate::upgrade::upgrade;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type, parse_quote};

/// Writes calls that do nothing, but are deprecated if the return type is a stream or an argument opens a socket.
pub(super) fn ends_too_early(model: &Model, item: &Item) -> TokenStream {
    let (at, runtime) = (Span::mixed_site(), &model.runtime);
    let mut warnings = TokenStream::new();
    if let Some(upgrade) = upgrade(item)
        && model.members.iter().any(holds_a_permit)
    {
        let method = Ident::new("limit_without_socket", upgrade.span());
        warnings.extend(quote_spanned!(at=> #runtime::__private::Upgrade::#method();));
    }
    if let Some(returned) = item.return_type()
        && model.members.iter().any(|member| holds_a_permit(member) || settles(member))
    {
        let mut returned = output(returned).unwrap_or_else(|| returned.clone());
        // A span of the user, so that the compiler shows the warning.
        let method = Ident::new("limit_without_stream", returned.span());
        erase_events(&mut returned);
        if may_be_a_stream(&returned) && is_nameable(&returned) {
            warnings.extend(quote_spanned! {at=>
                {
                    #[allow(unused_imports)]
                    use #runtime::__private::{NoStream as _, OfStream as _};
                    (&&#runtime::__private::ReturnOf::<#returned>::new()).#method();
                }
            });
        }
    }
    warnings
}

fn holds_a_permit(member: &Member) -> bool {
    let permits = matches!(&member.limit, Limit::Numbers(numbers) if matches!(numbers.algorithm, Algorithm::Concurrency));
    permits && is_unsaid(member)
}

fn settles(member: &Member) -> bool {
    matches!(member.afterwards, Some(Afterwards { verdict: Verdict::Settle, .. })) && is_unsaid(member)
}

fn is_unsaid(member: &Member) -> bool {
    member.until == Until::Return { said: false }
}

/// Whether a word of the type says that it may be a stream. The compiler then finds out whether it is.
fn may_be_a_stream(tokens: impl ToTokens) -> bool {
    tokens.to_token_stream().into_iter().any(|token| match token {
        TokenTree::Group(group) => may_be_a_stream(group.stream()),
        TokenTree::Ident(word) => {
            let word = word.to_string();
            ["Sse", "Stream", "Response"].iter().any(|part| word.contains(part))
        }
        _ => false,
    })
}

/// Replaces the `impl Stream` of `Sse<impl Stream>`, which cannot be written again, by a type that can.
fn erase_events(returned: &mut Type) {
    match returned {
        Type::Group(group) => erase_events(&mut group.elem),
        Type::Paren(paren) => erase_events(&mut paren.elem),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(erase_events),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last_mut() else { return };
            let is_sse = last.ident == "Sse";
            let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return };
            for argument in &mut arguments.args {
                match argument {
                    GenericArgument::Type(events) if is_sse => *events = parse_quote!(()),
                    GenericArgument::Type(inner) => erase_events(inner),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
