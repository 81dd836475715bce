//! `delegate!`: a trait for the pointers to the types that have it.

/// `delegate! { Trait for &T, Arc<T> => { type Found; fn name(&self, argument: Type) -> Found; } }`.
macro_rules! delegate {
    ($trait:ident for $($type:ty),+ => $items:tt) => {$(
        crate::delegate::delegate!(@ $trait, $type, $items);
    )+};
    (@ $trait:ident, $type:ty, {
        $(type $found:ident;)*
        $(fn $name:ident $(<$life:lifetime>)? (& $($of:lifetime)? $this:ident $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)+
    }) => {
        impl<T: $trait + ?Sized> $trait for $type {
            $(type $found = T::$found;)*

            $(fn $name $(<$life>)? (& $($of)? $this $(, $argument: $kind)*) $(-> $result)? {
                (**$this).$name($($argument),*)
            })+
        }
    };
}
pub(crate) use delegate;
