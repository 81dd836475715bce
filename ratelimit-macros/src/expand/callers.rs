//! Finds out whether a function serves clients, by its attributes, its arguments and its return type. The name of a type decides
//! only if it cannot mean anything else. For all other types, the compiler decides.

use super::spans::is_nameable;
use crate::future::output;
use crate::item::{Item, names};
use crate::model::Model;
use crate::neighbors::make_an_endpoint;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{FnArg, GenericArgument, PathArguments, PathSegment, Type, TypeParamBound};

/// Writes one expression for each kind of callers that the function may have. The warnings are methods of these kinds.
pub(super) fn callers(model: &Model, item: &Item) -> Vec<TokenStream> {
    let writer = Writer { model, item };
    let returned = item.return_type().map(|returned| output(returned).unwrap_or_else(|| returned.clone()));
    let returned = returned.as_ref().map(content);
    if make_an_endpoint(&item.attributes) || returned.is_some_and(is_opaque_response) {
        return vec![writer.clients()];
    }
    let arguments = item.signature.inputs.iter().filter_map(|argument| match argument {
        // An argument with an attribute may be removed by `cfg`, so it does not count.
        FnArg::Typed(argument) if argument.attrs.is_empty() => writer.of_argument(content(&argument.ty)),
        _ => None,
    });
    arguments.chain(returned.and_then(|returned| writer.of_response(returned))).collect()
}

/// Types of the standard library and of HTTP that frameworks can extract or send. Plain functions also take and return these
/// types, so they do not show that a function serves clients.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64", "Arc", "Body", "Box", "ByteString", "Bytes", "BytesMut", "Cow", "Duration", "Extensions", "File",
    "Infallible", "IpAddr", "Method", "Rc", "SocketAddr", "StatusCode", "String", "Uri", "Value", "Vec", "Version",
];

/// Names of extractors in all frameworks. Without a type argument, these words mean something else.
const EXTRACTORS: &[&str] = &["Cookie", "Header", "Path", "PathParam", "Query"];

/// The traits of responses.
const RESPONSES: &[&str] = &["IntoResponse", "Reply", "Responder", "Scribe", "Writer"];

struct Writer<'w> {
    model: &'w Model,
    item: &'w Item,
}

impl Writer<'_> {
    fn clients(&self) -> TokenStream {
        let runtime = &self.model.runtime;
        quote_spanned!(Span::mixed_site()=> #runtime::__private::OfClients)
    }

    fn of_argument(&self, of: &Type) -> Option<TokenStream> {
        match of {
            // A reference is extracted only by frameworks that have a trait for it. The probe for this trait is enough, so it
            // need not be deep.
            Type::Reference(reference) if may_be_known(&reference.elem) => {
                Some(self.probed("ArgumentOf", of, false))
            }
            Type::Path(path) => {
                let last = path.path.segments.last()?;
                if first_type(last).is_some() && is_word(last, EXTRACTORS) {
                    return Some(self.clients());
                }
                may_be_known(of).then(|| self.probed("ArgumentOf", of, !self.is_generic(of)))
            }
            _ => None,
        }
    }

    fn of_response(&self, of: &Type) -> Option<TokenStream> {
        let may_be_response = match of {
            Type::Tuple(tuple) => tuple.elems.iter().any(may_be_known) && is_nameable(of),
            _ => may_be_known(of),
        };
        (may_be_response && !self.is_generic(of)).then(|| self.probed("ReturnOf", of, true))
    }

    /// Writes a probe. If `deeply` is true, the probe also looks for the traits of frameworks, whose bounds may contain
    /// lifetimes.
    fn probed(&self, wrapper: &str, of: &Type, deeply: bool) -> TokenStream {
        let (at, runtime) = (Span::mixed_site(), &self.model.runtime);
        let wrapper = Ident::new(wrapper, at);
        let depth = if deeply { quote!(&&&&&&&&&&&&) } else { quote!(&&&) };
        quote_spanned!(at=> (#depth #runtime::__private::#wrapper::<#of>::new()).__ratelimit_callers())
    }

    /// Whether a type depends on a generic parameter of the function, or of the block around it, which the attribute cannot see.
    fn is_generic(&self, of: impl ToTokens) -> bool {
        let parameter = |word: &str| {
            let of_block = || self.item.block.iter().flatten().any(|name| name == word);
            word.len() == 1
                || word == "Self"
                || names(&self.item.signature.generics).any(|name| name == word)
                || of_block()
        };
        let mut lifetime = false;
        of.to_token_stream().into_iter().any(|token| match token {
            TokenTree::Group(group) => self.is_generic(group.stream()),
            TokenTree::Ident(word) => {
                let word = word.to_string();
                if std::mem::take(&mut lifetime) { word != "static" } else { parameter(&word) }
            }
            TokenTree::Punct(sign) => {
                lifetime = sign.as_char() == '\'';
                false
            }
            TokenTree::Literal(_) => false,
        })
    }
}

/// The type in a `Result` or an `Option`, or the type itself.
fn content(of: &Type) -> &Type {
    match of {
        Type::Group(inner) => content(&inner.elem),
        Type::Paren(inner) => content(&inner.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return of };
            let wraps = last.ident == "Option" || last.ident.to_string().ends_with("Result");
            first_type(last).filter(|_| wraps).map_or(of, content)
        }
        _ => of,
    }
}

fn first_type(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(first)) => Some(first),
        _ => None,
    }
}

/// Whether a type is `impl IntoResponse`, or the same trait of another framework.
fn is_opaque_response(of: &Type) -> bool {
    let Type::ImplTrait(opaque) = of else { return false };
    opaque.bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| is_word(last, RESPONSES))
        }
        _ => false,
    })
}

/// Whether a type may be an extractor or a response, and its tokens can be written a second time.
fn may_be_known(of: &Type) -> bool {
    match of {
        Type::Reference(reference) => may_be_known(&reference.elem),
        Type::Path(path) => {
            let plain = path.path.segments.last().is_some_and(|last| is_word(last, PLAIN));
            !plain && is_nameable(of)
        }
        _ => false,
    }
}

fn is_word(segment: &PathSegment, words: &[&str]) -> bool {
    words.iter().any(|word| segment.ident == word)
}
