//! Macros that implement a trait for many types.

/// Implements `Debug` for a type whose other fields are secret, long or of no use. Only the given fields are shown:
/// `opaque!([generics] Type<..>, |this| field = this.field, ..)`.
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

/// Implements a trait for pointers to types that implement it:
/// `delegate! { Trait for &T, Arc<T> => { type Found; fn name(&self, argument: Type) -> Found; } }`.
///
/// The second form is for any other type that dereferences to a type with the trait:
/// `delegate! { impl [T: Trait + Clone] Trait for Wrapper<T> => { .. } }`.
macro_rules! delegate {
    (impl [$($generics:tt)*] $trait:ident for $type:ty => {
        $(type $found:ident;)*
        $(fn $name:ident $(<$life:lifetime>)? (& $($of:lifetime)? $this:ident $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)+
    }) => {
        impl<$($generics)*> $trait for $type {
            $(type $found = T::$found;)*

            $(#[inline] fn $name $(<$life>)? (& $($of)? $this $(, $argument: $kind)*) $(-> $result)? {
                (**$this).$name($($argument),*)
            })+
        }
    };
    ($trait:ident for $($type:ty),+ => $items:tt) => {$(
        crate::macros::delegate!(impl [T: $trait + ?Sized] $trait for $type => $items);
    )+};
}
pub(crate) use delegate;
