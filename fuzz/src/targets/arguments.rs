//! Fuzz target `arguments`: lexes, parses and checks the arguments of an attribute on a fixed function.

use crate::args::Arguments;
use crate::check;
use crate::errors::Errors;
use crate::item::Item;
use proc_macro2::TokenStream;
use std::sync::OnceLock;

const FUNCTION: &str = "async fn f(&self, a: A, id: u64, (b, c): (B, C)) -> R {}";

thread_local! {
    static ITEM: OnceLock<Item> = const { OnceLock::new() };
}

pub(super) fn run(text: &str) {
    if super::has_many_ranges(text) {
        return;
    }
    let Ok(tokens) = text.parse::<TokenStream>() else { return };
    let mut errors = Errors::default();
    let arguments = Arguments::parse(tokens, &mut errors);
    assert!(
        arguments.complete == errors.is_empty(),
        "`{text}` is complete, but has errors, or is incomplete without errors"
    );
    ITEM.with(|item| {
        #[expect(clippy::expect_used, reason = "the function is always the same")]
        let item = item.get_or_init(|| syn::parse_str(FUNCTION).expect("a function"));
        check::check(&arguments, &[], item, &mut errors);
    });
    if !errors.is_empty() {
        super::attribute::check_messages(errors.into_compile_errors());
    }
}
