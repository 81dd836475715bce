//! Finds the body of a method that `#[async_trait]` has turned into `Box::pin(async move { .. })`. It also finds the body if
//! another attribute has later put code in front of that expression.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// The position of the user's code in a body that `#[async_trait]` has written.
pub struct AsyncTraitBody {
    /// The path from the body to the async block: the position of each group in the group around it.
    path: Vec<usize>,
    block: Group,
    /// The position of the user's code in the async block.
    user: usize,
}

impl AsyncTraitBody {
    /// Looks for the code of `#[async_trait]` in the body of a function that is not `async` itself. `None` if the body has no
    /// such code.
    pub fn find(body: &Group) -> Option<Self> {
        let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
        let [.., TokenTree::Ident(boxed), _, _, TokenTree::Ident(pin), TokenTree::Group(_)] =
            tokens.as_slice()
        else {
            return None;
        };
        let is_boxed = boxed == "Box" && pin == "pin";
        is_boxed.then(|| Self::descend(&tokens, &mut Vec::new())).flatten()
    }

    fn descend(tokens: &[TokenTree], path: &mut Vec<usize>) -> Option<Self> {
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            path.push(at);
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_async = at >= 2 && is_word(&tokens[at - 2], "async") && is_word(&tokens[at - 1], "move");
            if is_async && let Some(user) = user_block(&inner) {
                return Some(Self { path: path.clone(), block: group.clone(), user });
            }
            if let Some(found) = Self::descend(&inner, path) {
                return Some(found);
            }
            path.pop();
        }
        None
    }

    /// The user's code.
    pub fn user_body(&self) -> Option<Group> {
        match self.block.stream().into_iter().nth(self.user) {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        }
    }

    /// Rebuilds the function's body: puts `first` at the start of the async block, and replaces the user's code by `user`.
    pub fn rebuild(&self, body: &Group, first: TokenStream, user: &TokenStream) -> Group {
        let block = replace(&self.block, &[self.user], user);
        let block: TokenStream = first.into_iter().chain(block.stream()).collect();
        replace(body, &self.path, &block)
    }
}

/// Replaces the content of a nested group, which `path` leads to.
pub fn replace(group: &Group, path: &[usize], content: &TokenStream) -> Group {
    let Some((at, rest)) = path.split_first() else {
        return regroup(group, content.clone());
    };
    let tokens = group.stream().into_iter().enumerate().map(|(i, token)| match token {
        TokenTree::Group(inner) if i == *at => replace(&inner, rest, content).into(),
        other => other,
    });
    regroup(group, tokens.collect())
}

/// Finds the block in `let __ret: R = { .. };`, or in `let _: () = { .. };` if that is the last statement. Returns the position
/// of the block. `None` for similar code that a user wrote by hand.
fn user_block(tokens: &[TokenTree]) -> Option<usize> {
    let word = |at: usize, expected: &str| tokens.get(at).is_some_and(|token| is_word(token, expected));
    let sign = |at: usize, expected: char| matches!(tokens.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == expected);
    let start = (0..tokens.len()).rev().find(|at| {
        let named = word(at + 1, "__ret") || word(at + 1, "_");
        word(*at, "let") && named && sign(at + 2, ':')
    })?;
    let assigned = (start + 3..tokens.len()).find(|at| {
        let braced = matches!(&tokens[*at], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        braced && sign(at - 1, '=')
    })?;
    let last = assigned + 2 == tokens.len() && sign(assigned + 1, ';');
    (word(start + 1, "__ret") || last).then_some(assigned)
}

pub fn is_word(token: &TokenTree, expected: &str) -> bool {
    matches!(token, TokenTree::Ident(word) if word == expected)
}

fn regroup(like: &Group, content: TokenStream) -> Group {
    let mut group = Group::new(like.delimiter(), content);
    group.set_span(like.span());
    group
}

/// Renames the receiver `self` to `__self`, its name in a block of `#[async_trait]`. A `self` at the start of a path is not
/// renamed.
pub fn rename_self(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut renamed = TokenStream::new();
    while let Some(token) = tokens.next() {
        let of_path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        renamed.extend([match token {
            TokenTree::Ident(ident) if ident == "self" && !of_path => {
                Ident::new("__self", ident.span()).into()
            }
            TokenTree::Group(group) => regroup(&group, rename_self(group.stream())).into(),
            other => other,
        }]);
    }
    renamed
}
