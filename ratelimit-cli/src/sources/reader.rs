//! Reads one file: finds the annotated functions and blocks, and the modules in other files.

use super::attributes::variants;
use super::conditions::{is_never, needs_test, of_item};
use super::depth::is_too_deep;
use super::describe::text;
use super::found::{Found, Scope};
use super::imports::Imports;
use super::modules::{Inline, Submodule, paths};
use crate::manifest::{Kind, Problem};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::HashSet;
use syn::ext::IdentExt as _;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, ImplItemFn, Item, ItemFn, ItemImpl, ItemMacro, ItemMod, ItemTrait, Signature,
    TraitItemFn,
};

/// The message of `proc-macro2` about a text that cannot be split into tokens, and a better message.
const TOKENS: &str = "cannot parse string into token stream";
const UNCLOSED: &str = "a bracket or a quote is not closed, or a token is invalid; `cargo check` shows where";

/// The place of a file.
pub(super) struct Context<'c> {
    pub(super) package: &'c str,
    pub(super) target: String,
    pub(super) file: String,
    /// The crates that cannot re-export the attribute.
    pub(super) foreign: &'c HashSet<String>,
    pub(super) scope: Scope,
}

pub(super) struct Reader<'r> {
    pub(super) context: Context<'r>,
    pub(super) imports: Imports<'r>,
    /// The path of the module, from the name of the crate.
    pub(super) modules: Vec<String>,
    /// The modules with braces in this file.
    around: Vec<Inline>,
    /// The types, traits and functions around the item, inside of its module.
    pub(super) scopes: Vec<String>,
    pub(super) conditions: Vec<String>,
    /// Whether the block around the method has the attribute.
    pub(super) in_block: bool,
    submodules: Vec<Submodule>,
    pub(super) found: &'r mut Found,
}

impl<'r> Reader<'r> {
    /// Reads the text of a file, and returns the modules in other files.
    pub(super) fn read(
        source: &str,
        context: Context<'r>,
        modules: Vec<String>,
        conditions: &[String],
        found: &'r mut Found,
    ) -> Vec<Submodule> {
        // If the text cannot be split into tokens, `parse_file` reports it.
        if source.parse().is_ok_and(is_too_deep) {
            found.too_deep.get_or_insert(context.file);
            return Vec::new();
        }
        let file = match syn::parse_file(source) {
            Ok(file) => file,
            Err(error) => {
                let why = error.to_string();
                let why = if why == TOKENS { UNCLOSED } else { &why };
                let line = Some(error.span().start().line);
                let message = format!("cannot parse this file, so its limits are missing: {why}");
                found.problems.push(Problem { kind: Kind::Source, file: context.file, line, message });
                return Vec::new();
            }
        };
        let mut reader = Reader {
            imports: Imports::of(&file, context.foreign),
            context,
            modules,
            around: Vec::new(),
            scopes: Vec::new(),
            conditions: conditions.to_vec(),
            in_block: false,
            submodules: Vec::new(),
            found,
        };
        reader.under(&file.attrs, |reader| visit::visit_file(reader, &file));
        reader.submodules
    }

    /// Skips an item whose `cfg` is never true, or which is outside of the scope. Reads any other item under its conditions.
    fn under(&mut self, attributes: &[Attribute], read: impl FnOnce(&mut Self)) {
        let conditions = of_item(attributes);
        let unwanted = |condition: &String| {
            is_never(condition) || self.context.scope == Scope::Shipped && needs_test(condition)
        };
        if conditions.iter().any(unwanted) {
            return;
        }
        let before = self.conditions.len();
        self.conditions.extend(conditions);
        read(self);
        self.conditions.truncate(before);
    }

    /// Reads the content of an item with a name.
    fn inside(&mut self, name: String, read: impl FnOnce(&mut Self)) {
        self.scopes.push(name);
        let in_block = std::mem::replace(&mut self.in_block, false);
        read(self);
        self.in_block = in_block;
        self.scopes.pop();
    }

    /// Reads the limits of a function, and the items in its body. `item` writes the function with the given attributes and
    /// signature.
    fn function(
        &mut self,
        attributes: &[Attribute],
        signature: &Signature,
        body: Option<&Block>,
        item: impl Fn(Vec<Attribute>, Signature) -> TokenStream,
    ) {
        self.under(attributes, |reader| {
            reader.limits(attributes, Some(signature), |attributes, other| {
                item(attributes, other.unwrap_or_else(|| signature.clone()))
            });
            let name = signature.ident.unraw().to_string();
            reader.inside(name, |reader| body.into_iter().for_each(|body| reader.visit_block(body)));
        });
    }

    fn declare(&mut self, item: &ItemMod) {
        let (paths, may_have_default) = paths(&item.attrs);
        let name = item.ident.unraw().to_string();
        self.submodules.push(Submodule {
            path: self.modules.iter().cloned().chain([name.clone()]).collect(),
            around: self.around.clone(),
            name,
            paths,
            may_have_default,
            conditions: self.conditions.clone(),
            included: false,
        });
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        // The attribute reports an error on these items.
        let attributes = match item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !attributes.is_empty() {
            self.limits(attributes, None, |_, _| item.to_token_stream());
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.under(&item.attrs, |reader| {
            let Some((_, items)) = &item.content else { return reader.declare(item) };
            let name = item.ident.unraw().to_string();
            let path = paths(&item.attrs).0.into_iter().next();
            reader.modules.push(name.clone());
            reader.around.push(Inline { name, path });
            let scopes = std::mem::take(&mut reader.scopes);
            for item in items {
                reader.visit_item(item);
            }
            reader.scopes = scopes;
            reader.around.pop();
            reader.modules.pop();
        });
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.attrs, &item.sig, Some(&item.block), |attrs, sig| {
            ItemFn { attrs, sig, ..item.clone() }.to_token_stream()
        });
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        self.under(&item.attrs, |reader| {
            reader.inside(text(&item.self_ty), |reader| {
                reader.limits(&item.attrs, None, |attrs, _| {
                    ItemImpl { attrs, ..item.clone() }.to_token_stream()
                });
                let limited = !variants(&item.attrs, &reader.imports, reader.context.scope).is_empty();
                reader.in_block = limited;
                item.items.iter().for_each(|item| reader.visit_impl_item(item));
            });
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.attrs, &item.sig, Some(&item.block), |attrs, sig| {
            ImplItemFn { attrs, sig, ..item.clone() }.to_token_stream()
        });
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.under(&item.attrs, |reader| {
            let name = item.ident.unraw().to_string();
            reader.inside(name, |reader| item.items.iter().for_each(|item| reader.visit_trait_item(item)));
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.function(&item.attrs, &item.sig, item.default.as_ref(), |attrs, sig| {
            TraitItemFn { attrs, sig, ..item.clone() }.to_token_stream()
        });
    }

    /// Reads the file of an `include!("file.rs")`. The content of other macro calls is unknown.
    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        let Ok(file) = item.mac.parse_body::<syn::LitStr>() else { return };
        if item.mac.path.is_ident("include") {
            self.under(&item.attrs, |reader| {
                reader.submodules.push(Submodule {
                    path: reader.modules.clone(),
                    around: Vec::new(),
                    name: file.value(),
                    paths: Vec::new(),
                    may_have_default: false,
                    conditions: reader.conditions.clone(),
                    included: true,
                });
            });
        }
    }
}
