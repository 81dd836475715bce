//! Finds the argument of a function that upgrades its connection to a WebSocket.

use crate::item::Item;
use syn::{FnArg, Type};

/// Returns the type of the argument that upgrades the connection, if the function has one. The type is recognized by its name,
/// because frameworks share no trait for it.
pub fn upgrade(item: &Item) -> Option<&Type> {
    let mut types = item.signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(&*argument.ty),
        FnArg::Receiver(_) => None,
    });
    types.find(|of| match of {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "WebSocketUpgrade"),
        _ => false,
    })
}
