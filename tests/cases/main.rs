//! Reads the attributes of each case under `tests/ui` in this process, and checks that the errors and their places are those
//! in the case's expected messages. `ratelimit-ui-tests` runs the compiler instead, which shows further messages and takes a
//! minute.

#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use quote::ToTokens;
use ratelimit_syntax::annotated::{Annotated, read};
use ratelimit_syntax::item::Item;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The line and the column of the caret, and the message.
type Shown = (usize, usize, String);

/// The beginnings of messages that only the compiler can find, because they are about expanded code or code that cannot be
/// parsed.
const COMPILERS: [&str; 9] = [
    "`fallible` changes the return type",
    "an attribute above has already limited",
    "expected expression, found",
    "expected type, found",
    "unexpected token",
    "unnecessary ",
    "unreachable ",
    "unused ",
    "variable does not need",
];

#[test]
fn every_case_shows_the_errors_of_its_attributes() {
    let mut count = 0;
    for path in cases() {
        let expected = shown(&std::fs::read_to_string(path.with_extension("stderr")).unwrap());
        let mut found = BTreeSet::new();
        add_errors(std::fs::read_to_string(&path).unwrap().parse().unwrap(), &mut found);
        found.retain(|(_, _, message)| !is_of_the_compiler(message));
        count += found.len();
        assert_eq!(found, expected, "{}", path.display());
    }
    assert!(count >= 300, "only {count} errors found");
}

fn cases() -> Vec<PathBuf> {
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let topics = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui")).filter(|path| path.is_dir());
    let cases = topics.flat_map(|topic| files(&topic).collect::<Vec<_>>());
    cases.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

fn is_of_the_compiler(message: &str) -> bool {
    COMPILERS.iter().any(|start| message.starts_with(start))
}

/// Returns the errors in an expected message, except errors with an error code of the compiler.
fn shown(text: &str) -> BTreeSet<Shown> {
    let errors = text.split("\n\n").filter_map(|error| error.strip_prefix("error: ")?.split_once('\n'));
    let errors = errors.filter(|(message, _)| !is_of_the_compiler(message));
    let errors = errors.filter_map(|(message, rest)| {
        let mut place = rest.lines().next()?.rsplit(':').map(|number| number.parse().ok());
        let (column, line) = (place.next()??, place.next()??);
        Some((line, column, message.to_owned()))
    });
    errors.collect()
}

/// Adds the errors of all attributes in some code. This includes attributes that are left after an attribute above them was
/// expanded.
fn add_errors(code: TokenStream, found: &mut BTreeSet<Shown>) {
    let mut tokens = code.into_iter().peekable();
    let (mut topmost, mut item) = (None, Vec::new());
    while let Some(token) = tokens.next() {
        if let (TokenTree::Punct(hash), Some(TokenTree::Group(group))) = (&token, tokens.peek())
            && hash.as_char() == '#'
            && topmost.is_none()
            && let Some(arguments) = arguments(group.stream())
        {
            topmost = Some((hash.span().start(), arguments));
            tokens.next();
            continue;
        }
        item.push(token.clone());
        let body = match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => group.stream(),
            TokenTree::Punct(sign) if sign.as_char() == ';' => TokenStream::new(),
            _ => continue,
        };
        let item: TokenStream = std::mem::take(&mut item).into_iter().collect();
        match topmost.take() {
            Some((at, arguments)) => {
                let left = add_errors_of(at, arguments, item, found);
                add_errors(left, found);
            }
            None => add_errors(body, found),
        }
    }
}

/// Adds the errors of the attribute at the position `at`. Returns the item without this attribute.
fn add_errors_of(
    at: LineColumn,
    arguments: TokenStream,
    item: TokenStream,
    found: &mut BTreeSet<Shown>,
) -> TokenStream {
    let read = read(arguments, item);
    for error in read.errors.iter().flatten() {
        let start = error.span().start();
        // An error about the whole attribute has the position of the macro call, which is the start of the file here.
        let start = if start == (LineColumn { line: 1, column: 0 }) { at } else { start };
        found.insert((start.line, start.column + 1, error.to_string()));
    }
    match read.annotated {
        Some(Annotated::Function(item)) => item.into_token_stream(),
        Some(Annotated::Block(block)) => block.into_tokens(Item::into_token_stream),
        None => TokenStream::new(),
    }
}

/// Returns the arguments of `rate_limit` or `rate_limit(..)`. `None` for other attributes.
fn arguments(attribute: TokenStream) -> Option<TokenStream> {
    let mut tokens = attribute.into_iter();
    let is_ours = tokens.next()?.to_string() == "rate_limit";
    let arguments = match tokens.next() {
        None => TokenStream::new(),
        Some(TokenTree::Group(arguments)) => arguments.stream(),
        Some(_) => return None,
    };
    is_ours.then_some(arguments)
}
