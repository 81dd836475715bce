//! `opaque!`: the `Debug` output of types with parts that it does not show, because they are secret, long or of no use.

/// Implements `Debug` with these fields: `opaque!([generics] Type<..>, |this| field = this.field, ..)`.
macro_rules! opaque {
    (
        $(#[$doc:meta])*
        $([$($generics:tt)*])? $type:ident $(<$($argument:tt),+>)?
        $(, |$this:ident| $($field:ident = $shown:expr),+ $(,)?)?
    ) => {
        $(#[$doc])*
        impl $(<$($generics)*>)? std::fmt::Debug for $type $(<$($argument),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $(let $this = self;)?
                f.debug_struct(stringify!($type))$($(.field(stringify!($field), &$shown))+)?.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use opaque;
