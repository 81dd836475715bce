//! `Function`: a function with a limit, and the path of the items that contain it.
//!
//! Why a type inside the function: no constant names the enclosing function, and line numbers change with each edit.

/// A function, known by the path of an item that is declared in it. Constants cannot contain this path, so it is computed at
/// run time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function(fn() -> &'static str);

impl Function {
    /// `path_inside` returns the `type_name` of a type that is declared in the function.
    pub(crate) const fn new(path_inside: fn() -> &'static str) -> Self {
        Self(path_inside)
    }

    /// The path between the module and the function: `outer` for `shop::api::outer::search`, if the limit has the name
    /// `shop::api::search`. `None` if the function is directly in the module. The path distinguishes functions that have the same
    /// name in one module.
    #[inline]
    pub(super) fn around(self, name: &str) -> Option<&'static str> {
        let inside = (self.0)();
        // In the name of a limit, the time and the word `shadow` follow a slash.
        let path = name.split_once('/').map_or(name, |(path, _)| path);
        let is_in_module = inside.strip_prefix(path).is_some_and(|rest| rest.starts_with("::"));
        if is_in_module { None } else { find_around(inside, path) }
    }
}

/// The path segment of the closure that is the body of an async function.
const BODY: &str = "::{{closure}}";

#[cold]
fn find_around(inside: &'static str, path: &str) -> Option<&'static str> {
    let (module, function) = path.rsplit_once("::")?;
    let is_segment = |at: usize| {
        let (before, after) = (inside.get(..at), inside.get(at + function.len()..));
        before.is_some_and(|before| before.ends_with("::"))
            && after.is_some_and(|after| after.starts_with("::"))
    };
    let (at, _) = inside.rmatch_indices(function).find(|(at, _)| is_segment(*at))?;
    let around = inside.get(..at)?.strip_suffix("::")?;
    // The attribute of a framework may turn the function into a type of the same name, and move the body into a method of this
    // type. The name of the function is then unique in the module.
    let is_path_end = |at: usize| {
        around
            .get(at + path.len()..)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    if around.match_indices(path).any(|(at, _)| is_path_end(at)) {
        return None;
    }
    let in_module = around.strip_prefix(module).and_then(|rest| rest.strip_prefix("::"));
    Some(in_module.unwrap_or(around).trim_end_matches(BODY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_module_and_the_function_is_around_it() {
        macro_rules! around {
            ($inside:literal, $name:literal) => {
                Function::new(|| $inside).around($name)
            };
        }
        assert_eq!(around!("a::b::f::{{closure}}::H", "a::b::f"), None);
        assert_eq!(around!("a::b::f::H", "a::b::f/1d/shadow"), None);
        assert_eq!(around!("a::b::g::f::{{closure}}::H", "a::b::f"), Some("g"));
        assert_eq!(around!("a::b::g::{{closure}}::f::{{closure}}::H", "a::b::f/1s"), Some("g"));
        assert_eq!(
            around!("a::b::f::f::{{closure}}::H", "a::b::f"),
            None,
            "the outer function has this name"
        );
        assert_eq!(around!("a::b::g::f2::f::H", "a::b::f"), Some("g::f2"));
        assert_eq!(around!("a::b::g::f::f2::H", "a::b::f"), Some("g"));
        assert_eq!(around!("a::T<_>::new::{{closure}}::H", "a::new"), Some("T<_>"));
        assert_eq!(around!("<a::T as a::Tr>::new::{{closure}}::H", "a::new"), Some("<a::T as a::Tr>"));
        assert_eq!(
            around!("<a::f as web::Handler>::call::f::{{closure}}::H", "a::f"),
            None,
            "of a framework"
        );
        assert_eq!(
            around!("<a::f2 as web::Handler>::call::f::H", "a::f"),
            Some("<a::f2 as web::Handler>::call")
        );
        assert_eq!(around!("something else", "a::f"), None);
    }
}
