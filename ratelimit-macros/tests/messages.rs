//! Checks that every text that users of the attribute may read has a case under `tests/ui`.
//!
//! A text is a string literal that contains a space, in the sources without their tests. An expected message must contain the
//! longest piece of the text between the placeholders for values. Messages that the documentation quotes must be real too. The
//! columns of the argument table are not messages, and neither are the texts that editors show.

#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use proc_macro2::{TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use syn::LitStr;

#[test]
fn every_message_of_the_macro_has_a_case() {
    let documentation = documentation();
    let rows: String = documentation.lines().filter(|line| line.starts_with("| [`")).collect();
    let mut texts = sources("src");
    texts.extend(sources("../ratelimit-syntax/src"));
    texts.extend(sources("../ratelimit-limit/src/rules"));
    let texts = texts.iter().flat_map(|path| texts_of(tokens(path)));
    let is_shown = |text: &str| rows.contains(&format!("| {text} |")) || text.contains("{takes}");
    let texts: Vec<_> = texts.filter(|text| !is_shown(text)).collect();
    check(&texts, 60);
}

#[test]
fn every_diagnostic_of_the_runtime_has_a_case() {
    let sources = sources("../ratelimit-runtime/src");
    let texts: Vec<_> = sources.iter().flat_map(|path| diagnostics_of(tokens(path))).collect();
    check(&texts, 12);
}

#[test]
fn every_message_in_the_documentation_is_a_real_one() {
    let documentation = documentation();
    let shown = expected_messages();
    let quoted: Vec<_> = documentation.lines().filter(|line| line.starts_with("error")).collect();
    assert!(quoted.len() >= 10, "only {} messages found", quoted.len());
    let unreal: Vec<_> = quoted.iter().filter(|message| !shown.contains(**message)).collect();
    assert!(unreal.is_empty(), "no case under tests/ui shows {unreal:#?}");
}

fn documentation() -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ratelimit-runtime/src/rate_limit.md"))
}

/// Fails if fewer than `least` texts are found, because the search itself may no longer work.
fn check(texts: &[String], least: usize) {
    let expected = expected_messages();
    assert!(texts.len() >= least, "only {} texts found", texts.len());
    let missing: Vec<_> = texts.iter().filter(|text| !expected.contains(distinctive(text))).collect();
    assert!(missing.is_empty(), "no case under tests/ui shows {missing:#?}");
}

fn expected_messages() -> String {
    files("../tests/ui", "stderr").iter().map(|path| read(path)).collect()
}

/// The longest piece of a text between its placeholders.
fn distinctive(text: &str) -> &str {
    let pieces = text.split(['{', '}']).step_by(2);
    pieces.max_by_key(|piece| piece.len()).unwrap_or(text)
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let mut files = files(folder, "rs");
    files.retain(|path| {
        path.components().all(|part| !["tests", "tests.rs"].map(AsRef::as_ref).contains(&part.as_os_str()))
    });
    files
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn tokens(path: &Path) -> TokenStream {
    let source = read(path);
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&source);
    code.parse().unwrap()
}

/// The texts in code. Attributes are left out, because doc comments are attributes.
fn texts_of(code: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    let mut attribute = false;
    for token in code {
        let sign = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match token {
            TokenTree::Group(group) if !attribute => texts.extend(texts_of(group.stream())),
            TokenTree::Literal(_) => {
                let literal: Option<LitStr> = syn::parse2(token.into()).ok();
                texts.extend(literal.map(|literal| literal.value()).filter(|text| text.contains(' ')));
            }
            _ => {}
        }
        attribute = sign == '#' || attribute && sign == '!';
    }
    texts
}

/// The texts of `#[diagnostic::on_unimplemented(..)]`. The texts in a `cfg_attr` are shown only if a feature is off, and the cases
/// need this feature.
fn diagnostics_of(code: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    let (mut named, mut conditional) = (false, false);
    for token in code {
        match token {
            TokenTree::Group(_) if std::mem::take(&mut conditional) => {}
            TokenTree::Group(group) if named => texts.extend(texts_of(group.stream())),
            TokenTree::Group(group) => texts.extend(diagnostics_of(group.stream())),
            TokenTree::Ident(ident) => {
                (named, conditional) = (ident == "on_unimplemented", ident == "cfg_attr");
            }
            _ => named = false,
        }
    }
    texts
}
