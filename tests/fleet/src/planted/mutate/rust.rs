//! The places of a Rust file that can be mutated. A mutation is switched on at run time, so that one build contains all of them.

use super::Place;
use quote::ToTokens;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Stmt};

pub(super) fn places(text: &str) -> Vec<Place> {
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let mut finder = Finder { text, places: Vec::new() };
    finder.visit_file(&file);
    finder.places
}

struct Finder<'t> {
    text: &'t str,
    places: Vec<Place>,
}

/// The text of an expression in one line, so that the lines of the file keep their numbers.
fn shown(part: &impl ToTokens) -> String {
    part.to_token_stream().to_string()
}

impl Finder<'_> {
    /// Adds a mutation of the text in a range. `to` is code that contains `PLANTED`, the condition that the mutation is on.
    fn add(&mut self, range: Range<usize>, to: impl FnOnce(&str) -> String, what: &str) {
        let from = self.text[range.clone()].to_owned();
        let what = what.chars().take(90).collect();
        self.places.push(Place { at: range.start, to: to(&from), from, what });
    }

    fn replace(&mut self, old: &Expr, new: &str, what: &str) {
        self.add(old.span().byte_range(), |from| format!("(if PLANTED {{ {new} }} else {{ {from} }})"), what);
    }
}

/// Whether an expression contains `let`, as the condition of `if let` does.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn exchanged(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "/",
        BinOp::Div(_) => "*",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        _ => return None,
    })
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    // What the compiler evaluates cannot be switched on at run time.
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_type(&mut self, _: &'a syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}
    fn visit_pat(&mut self, _: &'a syn::Pat) {}
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if item.sig.constness.is_none() {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Binary(binary) if !has_let(expression) => {
                if let Some(operator) = exchanged(&binary.op) {
                    let (left, right) = (shown(&binary.left), shown(&binary.right));
                    let new = format!("{left} {operator} {right}");
                    self.replace(expression, &new, &format!("`{}` becomes `{new}`", shown(expression)));
                }
            }
            Expr::If(branches) if !has_let(&branches.cond) => {
                let condition = shown(&branches.cond);
                let what = format!("not ({condition})");
                self.add(branches.cond.span().byte_range(), |from| format!("PLANTED != ({from})"), &what);
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => {
                    let new = format!("{number} + 1");
                    self.replace(expression, &new, &format!("{number} becomes {new}"));
                }
                Lit::Bool(value) => {
                    let new = !value.value;
                    self.replace(expression, &new.to_string(), &format!("{} becomes {new}", value.value));
                }
                _ => {}
            },
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Await(_), Some(_)) =
            statement
        {
            let what = format!("`{}` is deleted", shown(statement));
            self.add(statement.span().byte_range(), |from| format!("if !PLANTED {{ {from} }}"), &what);
        }
        visit::visit_stmt(self, statement);
    }
}
