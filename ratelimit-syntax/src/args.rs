//! Parses the arguments of an attribute one by one, so that a mistake does not hide the others.

use crate::errors::Errors;
use crate::rate;
use crate::table::{ARGUMENTS, Argument, unknown};
use crate::value::{bare, last_dot, skip_to_comma, uses_self};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Meta, Token, parse_quote_spanned};

/// The word that exempts a method. It is not an argument of a limit.
const SKIP: &str = "skip";

/// The arguments of one attribute, each at most once.
#[derive(Default)]
pub struct Arguments {
    given: Vec<Given>,
    /// The attribute itself. `None` for the topmost attribute, because the compiler passes only its arguments.
    attribute: Option<Attribute>,
    /// Names that are unknown or have no value, probably because somebody is still typing them.
    pub half_typed: Vec<Ident>,
    /// The word `skip`, which exempts a method from the limit of its block.
    pub skip: Option<Ident>,
    /// Whether all arguments could be read. If not, an argument that seems to be missing may be one that could not be read.
    pub complete: bool,
}

/// An argument with its value.
pub struct Given {
    argument: &'static Argument,
    pub name: Ident,
    value: Expr,
}

impl Given {
    pub fn example(&self) -> &'static str {
        self.argument.example
    }
}

impl Arguments {
    /// Parses all arguments. If an argument cannot be read, reports an error, and continues with the next argument.
    pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut arguments = Self::default();
        let before = errors.count();
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let parsed = arguments.parse_one(input, errors);
                if let Err(error) = parsed.and_then(|()| end_of_argument(input)) {
                    errors.add(error);
                    skip_to_comma(input)?;
                }
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        };
        if let Err(error) = parser.parse2(tokens) {
            errors.add(error);
        }
        arguments.complete = errors.count() == before;
        arguments
    }

    /// Parses the arguments of an attribute below the topmost one.
    pub fn of(attribute: Attribute, errors: &mut Errors) -> Self {
        let mut arguments = match &attribute.meta {
            Meta::Path(_) => Self { complete: true, ..Self::default() },
            Meta::List(list) => Self::parse(list.tokens.clone(), errors),
            Meta::NameValue(_) => {
                errors.on(&attribute, "expected parentheses, as in `#[rate_limit(time = 60, count = 5)]`");
                Self::default()
            }
        };
        arguments.attribute = Some(attribute);
        arguments
    }

    /// Reports an error about the attribute as a whole.
    pub fn error(&self, errors: &mut Errors, message: impl std::fmt::Display) {
        match &self.attribute {
            Some(attribute) => errors.on(attribute, message),
            None => errors.at(Span::call_site(), message),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.argument.name == name)
    }

    /// Reports `skip` on a function or block. Only a method of an annotated block can be skipped.
    pub fn check_skip(&self, errors: &mut Errors) {
        if let Some(skip) = &self.skip {
            errors.on(
                skip,
                "`skip` is for a method of an `impl` block that has `#[rate_limit(..)]`: remove this attribute",
            );
        }
    }

    /// Reports arguments beside `skip`, because a skipped method has no limit that they could describe.
    pub fn check_skipped(&self, errors: &mut Errors) {
        for given in &self.given {
            let name = &given.name;
            errors.on(name, format!("`{name}` has no effect beside `skip`: remove one of them"));
        }
    }

    /// Whether a value or a placeholder uses `self`.
    pub fn use_self(&self) -> bool {
        self.given.iter().any(|given| uses_self(given.value.to_token_stream()))
    }

    pub fn value(&self, name: &str) -> Option<&Expr> {
        self.get(name).map(|given| &given.value)
    }

    fn parse_one(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(positional(input)));
        }
        let name = input.call(Ident::parse_any)?;
        if name == SKIP {
            if input.peek(Token![=]) {
                return Err(input.error("`skip` takes no value: write `#[rate_limit(skip)]`"));
            }
            self.skip = Some(name);
            return Ok(());
        }
        let Some(argument) = ARGUMENTS.iter().find(|argument| name == argument.name) else {
            let value = value_of_unknown(input)?;
            errors.at(name.span(), unknown(&name.to_string(), &value));
            self.half_typed.push(name);
            return Ok(());
        };
        let assigned = input.parse::<Option<Token![=]>>()?.is_some();
        if argument.is_flag() {
            return self.parse_flag(argument, name, assigned, errors);
        }
        if !assigned || input.is_empty() || input.peek(Token![,]) {
            let message = format!("`{name}` needs a value: write `{}`", argument.example);
            self.half_typed.extend((!assigned).then(|| name.clone()));
            return Err(syn::Error::new(name.span(), message));
        }
        if let Some(dot) = last_dot(&input.fork()) {
            return Err(syn::Error::new(
                dot,
                format!(
                    "`{name}` ends with a dot: write the field or the method after it, as in `{name} = user.id`"
                ),
            ));
        }
        let value = bare(input.parse()?);
        if argument.name == "by" && input.peek(Token![:]) {
            return Err(syn::Error::new_spanned(
                value,
                "`by` takes a header in quotes: write `by = \"header:x-api-key\"`",
            ));
        }
        self.add(Given { argument, name, value }, errors);
        Ok(())
    }

    fn parse_flag(
        &mut self,
        argument: &'static Argument,
        name: Ident,
        assigned: bool,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        if assigned {
            let message = format!("`{name}` takes no value: write only `{}`", argument.example);
            return Err(syn::Error::new(name.span(), message));
        }
        let value = parse_quote_spanned!(name.span()=> true);
        self.add(Given { argument, name, value }, errors);
        Ok(())
    }

    fn add(&mut self, given: Given, errors: &mut Errors) {
        let name = &given.name;
        if self.get(given.argument.name).is_some() {
            errors.at(name.span(), format!("`{name}` is given twice: remove one of them"));
        } else {
            self.given.push(given);
        }
    }
}

fn end_of_argument(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(input.error("expected `,` between two arguments"))
}

fn positional(input: ParseStream<'_>) -> String {
    if let Ok(text) = input.fork().parse::<syn::LitStr>() {
        return match rate::read(&text.value()) {
            Some(rate) => format!("expected `name = value`: write the rate as `{rate}`"),
            None => "expected `name = value`: write the name of the limit as `key = \"..\"`".to_owned(),
        };
    }
    if input.peek(syn::LitInt) {
        "expected `name = value`: write the number of calls as `count = ..`, and the window in seconds as `time = ..`"
    } else {
        "expected `name = value`, as in `key = \"login\", time = 60, count = 5`"
    }
    .to_owned()
}

/// Reads the value of an unknown argument, for the error message.
fn value_of_unknown(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    input.parse::<Option<Token![=]>>()?;
    let mut value = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        value.extend([input.parse::<TokenTree>()?]);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_accepted_by_the_parser() {
        for argument in &ARGUMENTS {
            let mut errors = Errors::default();
            let example = argument.example.replace("..", "0");
            let arguments = Arguments::parse(example.parse().unwrap(), &mut errors);
            assert!(errors.is_empty(), "{}", argument.example);
            assert!(arguments.get(argument.name).is_some(), "{}", argument.example);
        }
    }

    #[test]
    fn one_mistake_does_not_hide_the_others() {
        let mut errors = Errors::default();
        let tokens =
            "\"login\", tiem = 60, count, by = , burst = 3, burst = 4, cost = 1 2, refill = \"greedy\"";
        let arguments = Arguments::parse(tokens.parse().unwrap(), &mut errors);
        assert_eq!(errors.into_compile_errors().to_string().matches("compile_error").count(), 6);
        assert!(arguments.get("burst").is_some() && arguments.get("refill").is_some());
    }
}
