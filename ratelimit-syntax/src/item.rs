//! Parses the annotated function, except its body.

mod names;

pub use names::{bound_names, names};

use crate::async_trait::AsyncTraitBody;
use crate::body::body;
use crate::errors::Errors;
use crate::future::{ReturnedFuture, not_awaited};
use crate::model::KnownAt;
use crate::suggest::suggest;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, ExprPath, FnArg, Pat, ReturnType, Signature, Token, Type, Visibility};

/// A function whose body is a group of tokens.
pub struct Item {
    pub attributes: Vec<Attribute>,
    pub visibility: Visibility,
    pub signature: Signature,
    pub body: Group,
    pub form: Form,
    /// The generic parameters of the annotated block, for a method that the block limits.
    pub block: Option<Vec<Ident>>,
    /// Whether another attribute of the block may read the names of arguments.
    pub named_by_block: bool,
}

/// The place where a function can await the decision.
#[derive(Default)]
pub enum Form {
    /// Nowhere.
    #[default]
    Plain,
    Async,
    /// In the async block into which `#[async_trait]` has put the body.
    AsyncTrait(AsyncTraitBody),
    /// In the future that it returns.
    Future(Box<ReturnedFuture>),
}

impl Form {
    fn of(signature: &Signature, body: &Group) -> Self {
        if signature.asyncness.is_some() {
            return Self::Async;
        }
        let future = || ReturnedFuture::find(return_type(signature)?, body);
        match AsyncTraitBody::find(body) {
            Some(body) => Self::AsyncTrait(body),
            None => future().map_or(Self::Plain, |future| Self::Future(Box::new(future))),
        }
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if let Some(found) = not_a_function(input) {
            return Err(input.error(format!(
                "`#[rate_limit]` goes on an `async fn` or an `impl` block, not on {found}: put it on the functions that you want to limit"
            )));
        }
        let (signature, body) = (signature(input)?, body(input)?);
        let form = Form::of(&signature, &body);
        Ok(Self { attributes, visibility, signature, body, form, block: None, named_by_block: false })
    }
}

fn signature(input: ParseStream<'_>) -> syn::Result<Signature> {
    let mut all = input.fork().parse::<TokenStream>()?.into_iter();
    let is_function = all.any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
    // If the signature is incomplete, the compiler has already reported a better error.
    input.parse().map_err(|error| {
        syn::Error::new(
            error.span(),
            if is_function {
                "`#[rate_limit]` cannot read this signature: complete it"
            } else {
                "`#[rate_limit]` goes on an `async fn` or an `impl` block: put it on the functions that you want to limit"
            },
        )
    })
}

fn not_a_function(input: ParseStream<'_>) -> Option<&'static str> {
    let fork = input.fork();
    let _ = fork.parse::<Option<Token![unsafe]>>();
    let kinds = [
        (fork.peek(Token![struct]), "a struct"),
        (fork.peek(Token![enum]), "an enum"),
        (fork.peek(Token![trait]), "a trait"),
        (fork.peek(Token![mod]), "a module"),
        (fork.peek(Token![static]), "a static"),
        (fork.peek(Token![type]), "a type"),
        (fork.peek(Token![use]), "an import"),
        (fork.peek(syn::Ident) && fork.peek2(Token![!]), "a macro call"),
        (fork.peek(Token![const]) && fork.peek2(syn::Ident) && fork.peek3(Token![:]), "a constant"),
    ];
    kinds.into_iter().find_map(|(is, kind)| is.then_some(kind))
}

impl Item {
    /// Reports a function that cannot be limited.
    pub fn check(&self, errors: &mut Errors) {
        let signature = &self.signature;
        if let Some(constness) = &signature.constness {
            errors.on(constness, "a `const fn` cannot await a decision: make it an `async fn`");
        } else if !self.awaits() {
            errors.on(signature.fn_token, not_awaited(self.return_type()));
        }
    }

    /// Whether callers await the function.
    pub fn awaits(&self) -> bool {
        !matches!(self.form, Form::Plain)
    }

    pub fn span(&self) -> Span {
        self.signature.ident.span()
    }

    /// The return type, if the function has one.
    pub fn return_type(&self) -> Option<&Type> {
        return_type(&self.signature)
    }

    fn has_receiver(&self) -> bool {
        self.signature.receiver().is_some()
    }

    /// Whether the function certainly has a `Self` type.
    pub fn has_type(&self) -> bool {
        self.has_receiver() || self.block.is_some()
    }

    /// The span for an error about this function. If the attribute is on the block, it is the function's name.
    pub fn place(&self, in_attribute: Span) -> Span {
        if self.block.is_some() { self.span() } else { in_attribute }
    }

    /// Explains what is wrong with a name, if no argument has it.
    pub fn unknown_name(&self, name: &Ident) -> Option<String> {
        let wrong = self.no_argument(name)?;
        if self.block.is_none() {
            return Some(wrong);
        }
        let function = &self.signature.ident;
        Some(format!(
            "is written for all methods of this block, but `{function}` does not have it: give that method an attribute of its own, or `#[rate_limit(skip)]`"
        ))
    }

    fn no_argument(&self, name: &Ident) -> Option<String> {
        let function = &self.signature.ident;
        if name == "self" {
            return (!self.has_receiver())
                .then(|| format!("needs a `self`, which `{function}` does not take"));
        }
        let mut names = Vec::new();
        let known = self.arguments().all(|pattern| bound_names(pattern, &mut names));
        // `#[async_trait]` replaces patterns by generated names.
        let hidden = names.iter().any(|argument| argument.to_string().starts_with("__arg"));
        if !known || hidden || names.contains(&name) {
            return None;
        }
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        if names.is_empty() {
            return Some(format!("names no argument of `{function}`, which has none"));
        }
        let suggestion = suggest(&name.to_string(), names.iter().map(String::as_str));
        Some(format!("names no argument of `{function}`{suggestion}"))
    }

    /// The patterns of the arguments, without the receiver.
    pub fn arguments(&self) -> impl Iterator<Item = &Pat> {
        self.signature.inputs.iter().filter_map(|argument| match argument {
            FnArg::Typed(argument) => Some(&*argument.pat),
            FnArg::Receiver(_) => None,
        })
    }

    /// Tells when the value of an expression is known. A path in upper case is a constant, and so is a `Duration` made of a
    /// constant.
    pub fn known(&self, value: &Expr) -> KnownAt {
        if let Some(argument) = duration_of(value) {
            return if let Expr::Lit(_) = argument { KnownAt::CompileTime } else { self.known(argument) };
        }
        let Expr::Path(ExprPath { qself, path, .. }) = value else {
            return KnownAt::Call;
        };
        let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
            return KnownAt::Call;
        };
        let name = last.ident.to_string();
        if name.contains(char::is_lowercase) || !name.contains(char::is_uppercase) {
            return KnownAt::Call;
        }
        // A single letter may be a constant parameter of the `impl` around the method, which the attribute cannot
        // see.
        let generic = first.ident == "Self"
            || name.len() == 1
            || self.generic_names().any(|name| *name == first.ident)
            || path.segments.iter().any(|segment| !segment.arguments.is_none());
        if generic || qself.is_some() { KnownAt::Instantiation } else { KnownAt::CompileTime }
    }

    fn generic_names(&self) -> impl Iterator<Item = &Ident> {
        names(&self.signature.generics).chain(self.block.iter().flatten())
    }
}

/// The argument of a constant function that makes a `Duration`, as in `Duration::from_secs(5)`. `None` for any other expression.
fn duration_of(value: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = value else { return None };
    let Expr::Path(ExprPath { path, .. }) = &*call.func else { return None };
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let makes = ["from_secs", "from_millis", "from_micros", "from_nanos"].contains(&names.next()?.as_str());
    (makes && names.next()? == "Duration").then(|| call.args.first()).flatten()
}

fn return_type(signature: &Signature) -> Option<&Type> {
    match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, output) => Some(ungrouped(output)),
    }
}

/// A type without the invisible delimiters of a `$type:ty`.
fn ungrouped(found: &Type) -> &Type {
    match found {
        Type::Group(group) => ungrouped(&group.elem),
        other => other,
    }
}

impl ToTokens for Item {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, visibility, signature, body, .. } = self;
        tokens.extend(quote!(#(#attributes)* #visibility #signature #body));
    }
}
