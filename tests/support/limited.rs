//! A macro that declares limited functions whose bodies do not matter.

/// Declares functions that do nothing: `#[rate_limit(key = "k", by = id)] name(id: u64);`. Everything that a test writes keeps its
/// place, so the attributes read what they would read without the macro.
#[macro_export]
macro_rules! limited {
    ($($(#[$($attribute:tt)*])+ $name:ident($($arguments:tt)*);)*) => {
        $($(#[$($attribute)*])+
        async fn $name($($arguments)*) -> Result<(), ratelimit::Rejection> {
            Ok(())
        })*
    };
}
