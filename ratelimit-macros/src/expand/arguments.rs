//! Gives names to the arguments of a function, so that the probes can examine each of them.

use super::names_of;
use crate::item::Item;
use crate::neighbors::may_read_names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Attribute, FnArg, Pat, PatType, Path, Type, parse_quote};

/// A name that an argument binds.
pub(super) struct Named {
    pub(super) name: Ident,
    /// The `cfg` attributes under which the argument exists.
    pub(super) conditions: Vec<Attribute>,
    /// Whether a pattern destructures the argument before the key is written.
    pub(super) taken_apart: bool,
    /// The type of the whole argument, if the name binds only a part of it.
    pub(super) part_of: Option<Type>,
    /// An expression that rebuilds the whole argument from `__part`, if the name binds the only part of the argument.
    pub(super) made_of_part: Option<TokenStream>,
}

impl Named {
    /// All names that the arguments bind.
    pub(super) fn all(item: &Item) -> Vec<Self> {
        let typed = item.signature.inputs.iter().filter_map(|argument| match argument {
            FnArg::Typed(argument) => Some(argument),
            FnArg::Receiver(_) => None,
        });
        typed.flat_map(Self::of).collect()
    }

    /// The arguments with a name and a type `&mut _`.
    pub(super) fn exclusive(item: &Item) -> Vec<Self> {
        let typed = item.signature.inputs.iter().filter_map(|argument| match argument {
            FnArg::Typed(argument) if is_exclusive(&argument.ty) => Some(argument),
            _ => None,
        });
        typed.flat_map(Self::of).filter(|named| !named.taken_apart && named.part_of.is_none()).collect()
    }

    fn of(argument: &PatType) -> impl Iterator<Item = Self> {
        let conditions = conditions(argument);
        let whole = matches!(&*argument.pat, Pat::Ident(pattern) if pattern.subpat.is_none());
        let part_of = (!whole).then(|| (*argument.ty).clone());
        // The parts of a reference are references, from which the argument cannot be rebuilt.
        let is_lent = matches!(&*argument.ty, Type::Reference(_));
        let made_of_part = if is_lent { None } else { made_of_part(&argument.pat) };
        names_of(&argument.pat).into_iter().map(move |name| Self {
            name: name.clone(),
            conditions: conditions.clone(),
            // `#[async_trait]` gives an argument the name `__arg..` if it destructures the argument in the body.
            taken_apart: name.to_string().starts_with("__arg"),
            part_of: part_of.clone(),
            made_of_part: made_of_part.clone(),
        })
    }
}

/// Writes `Wrapper(__part)` for the pattern `Wrapper(name)`. `None` for any other pattern.
fn made_of_part(pattern: &Pat) -> Option<TokenStream> {
    let Pat::TupleStruct(wrapper) = pattern else { return None };
    let (Some(part), 1) = (wrapper.elems.first(), wrapper.elems.len()) else { return None };
    let path = &wrapper.path;
    let part = match part {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            quote_spanned!(Span::mixed_site()=> __part)
        }
        inner => made_of_part(inner)?,
    };
    Some(quote_spanned!(Span::mixed_site()=> #path(#part)))
}

fn is_exclusive(of: &Type) -> bool {
    match of {
        Type::Group(inner) => is_exclusive(&inner.elem),
        Type::Paren(inner) => is_exclusive(&inner.elem),
        Type::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    }
}

fn conditions(argument: &PatType) -> Vec<Attribute> {
    let is_condition = |path: &Path| path.is_ident("cfg") || path.is_ident("cfg_attr");
    argument.attrs.iter().filter(|attribute| is_condition(attribute.path())).cloned().collect()
}

/// The names of the arguments that the probes examine.
#[derive(Default)]
pub(super) struct Probed {
    pub(super) names: Vec<Named>,
    /// Statements that bind the patterns of arguments that got a new name.
    pub(super) rebind: TokenStream,
}

impl Probed {
    /// Gives a name to each argument that is a pattern. Plain names stay, because frameworks and other attributes read them. A
    /// pattern also stays if another attribute may read its names; then the parts of the argument are probed. A `_` stays if a
    /// span records the arguments, because the span would record its new name.
    pub(super) fn name_arguments(item: &mut Item) -> Self {
        let mut probed = Self::default();
        let readers = Readers::of(item);
        for (i, argument) in item.signature.inputs.iter_mut().enumerate() {
            let FnArg::Typed(argument) = argument else {
                continue;
            };
            let names = names_of(&argument.pat);
            let plain = matches!(&*argument.pat, Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none());
            if plain || readers.need(&names) {
                probed.names.extend(Named::of(argument));
                continue;
            }
            let name = format_ident!("__parameter{i}", span = Span::mixed_site());
            let conditions = conditions(argument);
            let pattern = std::mem::replace(&mut *argument.pat, parse_quote!(#name));
            let taken_apart = !matches!(pattern, Pat::Wild(_));
            if taken_apart {
                let rebind = quote_spanned!(Span::mixed_site()=> #(#conditions)* let #pattern = #name;);
                probed.rebind.extend(rebind);
            }
            probed.names.push(Named { name, conditions, taken_apart, part_of: None, made_of_part: None });
        }
        probed
    }
}

/// The names of arguments that other attributes may read.
struct Readers {
    all: bool,
    /// Whether a span records all arguments that have a name, including headers with secrets.
    recorded: bool,
    mentioned: Vec<String>,
}

impl Readers {
    fn of(item: &Item) -> Self {
        let attributes = item.attributes.iter().filter(|attribute| !attribute.path().is_ident("doc"));
        let text: String = attributes.map(|attribute| attribute.to_token_stream().to_string()).collect();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mentioned: Vec<String> = words.map(str::to_owned).collect();
        let has = |expected: &str| mentioned.iter().any(|word| word == expected);
        let recorded = has("instrument") && !has("skip_all");
        Self { all: item.named_by_block || may_read_names(&item.attributes), recorded, mentioned }
    }

    /// Whether a pattern with these names must stay.
    fn need(&self, names: &[&Ident]) -> bool {
        match names {
            [] => self.recorded,
            names => self.all || names.iter().any(|name| self.mentioned.iter().any(|word| *name == word)),
        }
    }
}

/// Writes code that merges the probes of all arguments into one value.
pub(super) fn merged<'n>(
    merge: &Ident,
    start: TokenStream,
    names: impl Iterator<Item = &'n Named>,
    part: impl Fn(&Named) -> Option<TokenStream>,
) -> TokenStream {
    let at = merge.span();
    names.fold(start, |found, named| {
        let conditions = &named.conditions;
        let Some(part) = part(named) else { return found };
        if conditions.is_empty() {
            return quote_spanned!(at=> #merge::merge(#found, #part));
        }
        quote_spanned! {at=> {
            let __found = #found;
            #(#conditions)*
            let __found = #merge::merge(__found, #part);
            __found
        }}
    })
}
