//! Finds the argument of a function that upgrades its connection to a WebSocket, or that accepts a subscription.

use crate::item::Item;
use syn::{FnArg, Type};

/// Returns the type of the argument with this name, if the function has one. The type is recognized by its name, because
/// frameworks share no trait for it.
pub fn argument_of<'i>(item: &'i Item, name: &str) -> Option<&'i Type> {
    let mut types = item.signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    });
    types.find(|of| match of {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == name),
        _ => false,
    })
}
