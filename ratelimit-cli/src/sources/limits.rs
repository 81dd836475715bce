//! Reads the limits of one function or block. Lists the limits, or reports their errors.

use super::attributes::{LimitAttribute, Variant, condition, skips, variants};
use super::describe::describe;
use super::reader::Reader;
use crate::manifest::{Entry, Handler, Kind, Problem};
use proc_macro2::{Span, TokenStream};
use ratelimit_syntax::annotated::{self, Annotated, Read};
use ratelimit_syntax::item::Item;
use ratelimit_syntax::stack::NOT_RECOGNIZED;
use std::collections::HashSet;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, ReturnType, Signature};

impl Reader<'_> {
    /// Reads the limits of an item. `item` writes the item with the given attributes and the given signature.
    pub(super) fn limits(
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
                    self.list(&read, item, 0, &limits, &new, None);
                }
                Some(Annotated::Block(block)) => {
                    for (at, item) in block.limited().enumerate() {
                        let line = item.signature.ident.span().start().line;
                        self.list(&read, item, at, &limits, &new, Some(line));
                    }
                }
                None => {}
            }
        }
    }

    /// Adds the limits of one function to the list. For the limits of a block, `line` is the line of the method.
    fn list(
        &mut self,
        read: &Read,
        item: &Item,
        at: usize,
        limits: &[LimitAttribute],
        new: &[bool],
        line: Option<usize>,
    ) {
        let Some(model) = read.models.get(at) else { return };
        let function = item.signature.ident.unraw().to_string();
        let path = format!("{}::{function}", self.modules.join("::"));
        for ((member, limit), _) in model.members.iter().zip(limits).zip(new).filter(|(_, new)| **new) {
            let entry = Entry {
                handler: Handler::of(&item.attributes),
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
            let file = self.context.file.clone();
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
}

/// A signature that any attribute accepts. The real signature is unknown, because an attribute above may write it.
fn rewritten(signature: &Signature) -> Signature {
    let mut signature = signature.clone();
    signature.asyncness.get_or_insert_default();
    signature.constness = None;
    signature.output = ReturnType::Default;
    signature
}

/// The line of a span in the file. `None` if the parser created the token.
fn line_of(span: Span) -> Option<usize> {
    let range = span.byte_range();
    (range.end > 0).then(|| span.start().line)
}
