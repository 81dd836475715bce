//! Macros that declare limited functions.

/// Declares functions that count the runs of their body: `#[rate_limit(key = "k", count = 1)] name;`.
macro_rules! counted {
    ($($(#[$($attribute:tt)*])+ $name:ident;)*) => {
        $($(#[$($attribute)*])+
        async fn $name(runs: &$crate::harness::Runs) -> Result<u32, ratelimit::Rejection> {
            Ok(runs.add())
        })*
    };
}

pub(crate) use counted;
pub(crate) use support::limited;
