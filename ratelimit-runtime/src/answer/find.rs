//! `Rejection::find`: the rejection inside another error.

use crate::rejection::Rejection;
use std::error::Error;
use std::io;
use std::sync::Arc;

/// The maximum number of errors to look at, because a chain of sources may be endless.
const MOST_SOURCES: usize = 128;

impl Rejection {
    /// Finds a rejection in an error or in its [sources](Error::source), for a service that has one error type for everything:
    ///
    /// ```
    /// use ratelimit::{Rejection, rate_limit};
    ///
    /// type AnyError = Box<dyn std::error::Error + Send + Sync>;
    ///
    /// #[rate_limit(key = "find_example", count = 5)]
    /// async fn search() -> Result<String, AnyError> { Ok(String::new()) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # for _ in 0..5 { assert!(search().await.is_ok()); }
    /// let Err(error) = search().await else { return };
    /// let status = match Rejection::find(&*error) {
    ///     Some(rejection) => rejection.status(), // 429
    ///     None => 500,
    /// };
    /// # assert_eq!(status, 429);
    /// # }
    /// ```
    ///
    /// The rejection may be in a `Box`, an `Arc` or an [`io::Error`]. At most 128 errors of a chain are looked at.
    pub fn find<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Self> {
        let mut next = Some(error);
        for _ in 0..MOST_SOURCES {
            let error = next?;
            if let Some(found) = of(error) {
                found.set_answered();
                return Some(found);
            }
            next = source(error);
        }
        None
    }
}

/// `None` if it is another error. Looks into a `Box` and an `Arc`, because their `source` skips their content.
fn of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Rejection> {
    error
        .downcast_ref()
        .or_else(|| error.downcast_ref::<Box<Rejection>>().map(|rejection| &**rejection))
        .or_else(|| error.downcast_ref::<Arc<Rejection>>().map(|rejection| &**rejection))
}

fn source<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    // `io::Error::source` skips the inner error and returns the source of the inner error.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::key::Name;
    use std::fmt;

    fn rejection() -> Rejection {
        Rejection::undecided(Name::written("a"), crate::Error::new(ErrorKind::Unavailable, "away"))
    }

    /// An error with a source. `None`: its source is the error itself.
    #[derive(Debug)]
    struct Around(Option<Box<dyn Error + Send + Sync>>);

    impl fmt::Display for Around {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("around")
        }
    }

    impl Error for Around {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            match &self.0 {
                Some(source) => Some(&**source),
                None => Some(self),
            }
        }
    }

    fn around(source: impl Into<Box<dyn Error + Send + Sync>>) -> Around {
        Around(Some(source.into()))
    }

    #[test]
    fn a_rejection_is_found_wherever_it_is() {
        let errors: [Box<dyn Error + Send + Sync>; 7] = [
            Box::new(rejection()),
            Box::new(around(rejection())),
            Box::new(around(around(rejection()))),
            Box::new(around(Box::new(rejection()))),
            Box::new(around(Arc::new(rejection()))),
            Box::new(io::Error::other(rejection())),
            Box::new(around(io::Error::other(around(rejection())))),
        ];
        for error in errors {
            assert_eq!(Rejection::find(&*error).map(Rejection::name), Some("a"), "{error:?}");
        }
    }

    #[test]
    fn other_errors_have_none_and_a_chain_without_an_end_ends() {
        let errors: [Box<dyn Error>; 4] = [
            Box::new(fmt::Error),
            Box::new(around("text")),
            Box::new(io::Error::from(io::ErrorKind::Other)),
            Box::new(Around(None)),
        ];
        for error in errors {
            assert!(Rejection::find(&*error).is_none(), "{error:?}");
        }
        let too_deep = (0..MOST_SOURCES).fold(around(rejection()), |error, _| around(error));
        assert!(Rejection::find(&too_deep).is_none());
    }
}
