//! Reads one file: finds the annotated functions and blocks, and the modules in other files.

use super::attributes::{LimitAttribute, Variant, condition, skips, variants};
use super::conditions::{expanded, is_never, needs_test, of_item};
use super::describe::describe;
use super::imports::Imports;
use super::modules::{Inline, Submodule};
use super::text::text;
use super::{Found, Scope};
use crate::manifest::{Entry, Kind, Problem};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use ratelimit_syntax::annotated::{self, Annotated, Read};
use ratelimit_syntax::stack::NOT_RECOGNIZED;
use std::collections::HashSet;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ImplItemFn, Item, ItemFn, ItemImpl, ItemMacro, ItemMod, ItemTrait, Lit, Meta,
    ReturnType, Signature, TraitItemFn,
};

/// Where a file belongs.
pub(super) struct Context<'c> {
    pub(super) package: &'c str,
    pub(super) target: String,
    pub(super) file: String,
    /// The crates that cannot have the attribute.
    pub(super) foreign: &'c HashSet<String>,
    pub(super) scope: Scope,
}

pub(super) struct Reader<'r> {
    context: Context<'r>,
    imports: Imports<'r>,
    /// The path of the module, from the name of the crate.
    modules: Vec<String>,
    /// The modules with braces in this file.
    around: Vec<Inline>,
    /// The types, traits and functions around the item, inside of its module.
    scopes: Vec<String>,
    conditions: Vec<String>,
    /// Whether the block around the method has the attribute.
    in_block: bool,
    submodules: Vec<Submodule>,
    found: &'r mut Found,
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
        let file = match syn::parse_file(source) {
            Ok(file) => file,
            Err(error) => {
                let message = format!("cannot parse this file, so its limits are missing: {error}");
                let line = Some(error.span().start().line);
                found.problems.push(Problem { kind: Kind::Source, file: Some(context.file), line, message });
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

    /// Reads an item under its conditions, unless it never exists or is not asked for.
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

    /// Reads the limits of an item. `item` writes it with other attributes, and with another signature.
    fn limits(
        &mut self,
        attributes: &[Attribute],
        signature: Option<&Signature>,
        item: impl Fn(Vec<Attribute>, Option<Signature>) -> TokenStream,
    ) {
        if self.in_block && skips(attributes, &self.imports) {
            return;
        }
        let mut listed = HashSet::new();
        for variant in variants(attributes, &self.imports, self.context.scope) {
            let Variant { arguments, others, may_be_rewritten, limits } = variant;
            let mut read = annotated::read(arguments.clone(), item(others.clone(), None));
            if may_be_rewritten && !read.errors.is_empty() {
                let rewritten = annotated::read(arguments, item(others, signature.map(rewritten)));
                if rewritten.errors.is_empty() {
                    read = rewritten;
                }
            }
            if self.report(&read, &limits) {
                continue;
            }
            let new: Vec<bool> = limits.iter().map(|limit| listed.insert(limit.at)).collect();
            match &read.annotated {
                Some(Annotated::Function(item)) => {
                    self.list(&read, &item.signature.ident, 0, &limits, &new, None);
                }
                Some(Annotated::Block(block)) => {
                    for (at, item) in block.limited().enumerate() {
                        let name = &item.signature.ident;
                        self.list(&read, name, at, &limits, &new, Some(name.span().start().line));
                    }
                }
                None => {}
            }
        }
    }

    /// Adds the limits of one function. The limits of a block are listed at the `line` of each method.
    fn list(
        &mut self,
        read: &Read,
        function: &Ident,
        at: usize,
        limits: &[LimitAttribute],
        new: &[bool],
        line: Option<usize>,
    ) {
        let Some(model) = read.models.get(at) else { return };
        let function = function.unraw().to_string();
        let path = format!("{}::{function}", self.modules.join("::"));
        for ((member, limit), _) in model.members.iter().zip(limits).zip(new).filter(|(_, new)| **new) {
            let entry = Entry {
                package: self.context.package.to_owned(),
                target: self.context.target.clone(),
                function: self.path(&function),
                file: self.context.file.clone(),
                line: Some(line.unwrap_or(limit.line)),
                cfg: condition(&self.conditions, limit.condition.as_ref()),
                ..describe(model, member, &path)
            };
            self.found.entries.push(entry);
        }
    }

    /// Reports the errors of an attribute. Returns whether there are any.
    fn report(&mut self, read: &Read, limits: &[LimitAttribute]) -> bool {
        let line = limits.first().map(|limit| limit.line);
        let mut problems: Vec<(Option<usize>, String)> = Vec::new();
        for error in read.errors.iter().flat_map(Clone::clone) {
            problems.push((line_of(error.span()).or(line), error.to_string()));
        }
        let remaining = match &read.annotated {
            Some(Annotated::Function(item)) => &item.attributes[..],
            Some(Annotated::Block(block)) => &block.attributes,
            None => &[],
        };
        for attribute in remaining.iter().filter(|attribute| self.imports.are_for(attribute.path())) {
            problems.push((line_of(attribute.path().span()), NOT_RECOGNIZED.to_owned()));
        }
        let found = !problems.is_empty();
        for (line, message) in problems {
            let file = Some(self.context.file.clone());
            let problem = Problem { kind: Kind::Attribute, file, line, message };
            if !self.found.problems.contains(&problem) {
                self.found.problems.push(problem);
            }
        }
        found
    }

    fn path(&self, function: &str) -> String {
        let around = self.modules.iter().chain(&self.scopes).map(String::as_str);
        around.chain([function]).collect::<Vec<_>>().join("::")
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
        // These items cannot have the attribute, which says so.
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
        self.under(&item.attrs, |reader| {
            reader.limits(&item.attrs, Some(&item.sig), |attrs, sig| {
                let sig = sig.unwrap_or_else(|| item.sig.clone());
                ItemFn { attrs, sig, ..item.clone() }.to_token_stream()
            });
            let name = item.sig.ident.unraw().to_string();
            reader.inside(name, |reader| reader.visit_block(&item.block));
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
        self.under(&item.attrs, |reader| {
            reader.limits(&item.attrs, Some(&item.sig), |attrs, sig| {
                let sig = sig.unwrap_or_else(|| item.sig.clone());
                ImplItemFn { attrs, sig, ..item.clone() }.to_token_stream()
            });
            let name = item.sig.ident.unraw().to_string();
            reader.inside(name, |reader| reader.visit_block(&item.block));
        });
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.under(&item.attrs, |reader| {
            let name = item.ident.unraw().to_string();
            reader.inside(name, |reader| item.items.iter().for_each(|item| reader.visit_trait_item(item)));
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.under(&item.attrs, |reader| {
            reader.limits(&item.attrs, Some(&item.sig), |attrs, sig| {
                let sig = sig.unwrap_or_else(|| item.sig.clone());
                TraitItemFn { attrs, sig, ..item.clone() }.to_token_stream()
            });
            let name = item.sig.ident.unraw().to_string();
            reader.inside(name, |reader| item.default.iter().for_each(|body| reader.visit_block(body)));
        });
    }

    /// The content of a macro call is unknown, except that of `include!("file.rs")`.
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

/// A signature that fits all arguments of a limit. An attribute above may write the real one, which nobody else knows.
fn rewritten(signature: &Signature) -> Signature {
    let mut signature = signature.clone();
    signature.asyncness.get_or_insert_default();
    signature.constness = None;
    signature.output = ReturnType::Default;
    signature
}

/// The line of a span, unless it is none of the file.
fn line_of(span: Span) -> Option<usize> {
    let range = span.byte_range();
    (range.end > 0).then(|| span.start().line)
}

/// The values of `#[path = ".."]`, and whether the default path may apply as well.
fn paths(attributes: &[Attribute]) -> (Vec<String>, bool) {
    let (mut paths, mut has_default) = (Vec::new(), true);
    for found in expanded(attributes) {
        let Meta::NameValue(value) = &found.attribute.meta else { continue };
        if let (true, Expr::Lit(literal)) = (value.path.is_ident("path"), &value.value)
            && let Lit::Str(path) = &literal.lit
        {
            has_default &= found.condition.is_some();
            paths.push(path.value());
        }
    }
    (paths, has_default)
}
