//! A macro that declares limited functions whose bodies do not matter.

/// Declares functions that do nothing: `#[rate_limit(key = "k", by = id)] name(id: u64);`. The macro keeps the attributes and
/// arguments as the test writes them, so an attribute reads the same source text as without the macro.
#[macro_export]
macro_rules! limited {
    ($($(#[$($attribute:tt)*])+ $name:ident($($arguments:tt)*);)*) => {
        $($(#[$($attribute)*])+
        async fn $name($($arguments)*) -> Result<(), ratelimit::Rejection> {
            Ok(())
        })*
    };
}
