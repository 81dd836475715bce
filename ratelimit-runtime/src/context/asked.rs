//! Remembers headers that a call needed and no layer kept. Layers keep them from then on, so a forgotten `keep_header` does not
//! reject every call.

use std::sync::OnceLock;

/// The most names. A program has few, but a name may also come from a caller.
const MOST: usize = 16;

/// The names in lower case, from the first one on.
static ASKED: [OnceLock<Box<str>>; MOST] = [const { OnceLock::new() }; MOST];

/// Remembers a name, unless there are too many.
#[cold]
pub(super) fn remember(name: &str) {
    let name = name.to_ascii_lowercase();
    // The first free place takes it.
    let _ = ASKED.iter().any(|known| **known.get_or_init(|| name.as_str().into()) == *name);
}

/// The names until now.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ASKED.iter().map_while(|known| known.get().map(|name| &**name))
}
