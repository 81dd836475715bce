//! The names that a function binds: those of its generics, and those in a pattern.

use syn::{GenericParam, Generics, Ident, Pat};

/// The names of the type and constant parameters.
pub fn names(generics: &Generics) -> impl Iterator<Item = &Ident> {
    generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Const(parameter) => Some(&parameter.ident),
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Lifetime(_) => None,
    })
}

/// Collects the names that a pattern binds. Returns false if the pattern may bind more names.
pub fn bound_names<'p>(pattern: &'p Pat, names: &mut Vec<&'p Ident>) -> bool {
    match pattern {
        Pat::Ident(pattern) => {
            names.push(&pattern.ident);
            pattern.subpat.as_ref().is_none_or(|(_, pattern)| bound_names(pattern, names))
        }
        Pat::Paren(pattern) => bound_names(&pattern.pat, names),
        Pat::Reference(pattern) => bound_names(&pattern.pat, names),
        Pat::Type(pattern) => bound_names(&pattern.pat, names),
        Pat::Slice(pattern) => pattern.elems.iter().all(|pattern| bound_names(pattern, names)),
        Pat::Tuple(pattern) => pattern.elems.iter().all(|pattern| bound_names(pattern, names)),
        Pat::TupleStruct(pattern) => pattern.elems.iter().all(|pattern| bound_names(pattern, names)),
        Pat::Struct(pattern) => pattern.fields.iter().all(|field| bound_names(&field.pat, names)),
        Pat::Or(pattern) => pattern.cases.first().is_none_or(|pattern| bound_names(pattern, names)),
        Pat::Wild(_) | Pat::Rest(_) | Pat::Path(_) | Pat::Lit(_) | Pat::Range(_) => true,
        _ => false,
    }
}
